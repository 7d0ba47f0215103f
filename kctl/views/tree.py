"""Who owns whom: from ownerReferences to a tree, and how its members are doing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from localplane.apimachinery.objects import JSONObject

_SIGNS_OF_HEALTH = ("Ready", "Available", "Complete", "Established", "Healthy", "Synced")
"""Conditions that say how an object is, the first that is there counts."""


class Branch(NamedTuple):
    """`lines` is what stands before the name: the branches that lead to it."""

    lines: str
    object: JSONObject


def tree(root: JSONObject, objects: Iterable[JSONObject]) -> Iterator[Branch]:
    """The root and all that it owns, directly or through others; each only once, whatever the references say."""
    owned: dict[str, list[JSONObject]] = {}
    for obj in objects:
        for reference in (obj.get("metadata") or {}).get("ownerReferences") or ():
            owned.setdefault(str(reference.get("uid", "")), []).append(obj)
    yield Branch("", root)
    yield from _below(root, owned, "", {_uid(root)})


def _below(parent: JSONObject, owned: dict[str, list[JSONObject]], lines: str, seen: set[str]) -> Iterator[Branch]:
    children = [child for child in owned.get(_uid(parent), ()) if _uid(child) not in seen]
    seen.update(_uid(child) for child in children)
    children.sort(key=_order)
    for child in children:
        last = child is children[-1]
        yield Branch(f"{lines}{'└─' if last else '├─'}", child)
        yield from _below(child, owned, f"{lines}{'  ' if last else '│ '}", seen)


def _uid(obj: JSONObject) -> str:
    return str((obj.get("metadata") or {}).get("uid", ""))


def _order(obj: JSONObject) -> tuple[str, str, str]:
    metadata = obj.get("metadata") or {}
    return str(obj.get("kind", "")), str(metadata.get("namespace", "")), str(metadata.get("name", ""))


def readiness(obj: JSONObject) -> str:
    """`2/3` of what is counted, or what its most telling condition says; `-` for what has neither."""
    status, spec = _part(obj, "status"), _part(obj, "spec")
    if obj.get("kind") == "Pod" and isinstance(status.get("containerStatuses"), list):
        containers = status["containerStatuses"]
        return f"{sum(bool(one.get('ready')) for one in containers)}/{len(containers)}"
    counts = str(obj.get("apiVersion", "")).startswith("apps/") or "replicas" in status
    if "replicas" in spec and counts:
        return f"{status.get('readyReplicas', 0)}/{spec['replicas']}"
    if "desiredNumberScheduled" in status:
        return f"{status.get('numberReady', 0)}/{status['desiredNumberScheduled']}"
    telling = _telling(status)
    return str(telling.get("status", "-")) if telling else "-"


def condition(obj: JSONObject) -> str:
    """What state it is in, or why it is not ready."""
    status, metadata = _part(obj, "status"), _part(obj, "metadata")
    if metadata.get("deletionTimestamp"):
        return "Terminating"
    if isinstance(status.get("phase"), str):
        return str(status["phase"])
    telling = _telling(status)
    if telling and telling.get("status") != "True" and telling.get("reason"):
        return str(telling["reason"])
    return "Current" if telling else "-"


def _telling(status: JSONObject) -> JSONObject | None:
    conditions = status.get("conditions")
    found = (
        {one.get("type"): one for one in conditions if isinstance(one, dict)} if isinstance(conditions, list) else {}
    )
    return next((found[sign] for sign in _SIGNS_OF_HEALTH if sign in found), None)


def _part(obj: JSONObject, name: str) -> JSONObject:
    part = obj.get(name)
    return part if isinstance(part, dict) else {}
