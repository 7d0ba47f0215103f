"""What happened to an object, as a plane of ours remembers it: who wrote when, and what that changed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from kctl.printers.objects import without_managed_fields
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml
from localplane.client.rest.names import GroupVersionResource


async def revisions(session: Session, resource: GroupVersionResource, namespace: str, name: str) -> Any:
    query = [("group", resource.group), ("resource", resource.resource), ("namespace", namespace), ("name", name)]
    return await instruments.ask(session, "GET", "history/object", query=query)


def reach(told: Any) -> str:
    return f"revision {told['reachesBackTo']['revision']}, {told['reachesBackTo']['time']}"


def parts(told: Any) -> Iterator[tuple[str, str]]:
    """For each revision what is said of it, and what it changed."""
    before: JSONObject | None = None
    for revision in told["revisions"]:
        deleted = revision["type"] == "DELETED"
        after = None if deleted else revision["object"]
        changed = "".join(_difference(before, after)) if revision["type"] and not deleted else ""
        yield _heading(revision, before) + "\n", changed
        before = after


def _heading(revision: JSONObject, before: JSONObject | None) -> str:
    if not revision["type"]:
        return f"revision {revision['revision']}: as it was before that"
    words = [f"revision {revision['revision']}", revision["time"], revision["type"]]
    if manager := _manager(before, revision["object"]):
        words.append(f"by {manager}")
    if revision.get("user"):
        agent = str(revision.get("userAgent") or "").partition(" ")[0]
        words.append(f"({revision['user']}{', ' + agent if agent else ''})")
    return "  ".join(words)


def _manager(before: JSONObject | None, after: JSONObject | None) -> str:
    """Who wrote, as managedFields have it: whose entry is new, or of another time. One may just have lost a field."""
    known = {_stamp(entry) for entry in _entries(before)}
    written = [entry for entry in _entries(after) if _stamp(entry) not in known]
    written = written or [entry for entry in _entries(after) if entry not in _entries(before)]
    return ", ".join(str(entry.get("manager")) for entry in written)


def _stamp(entry: JSONObject) -> tuple[str, ...]:
    return tuple(str(entry.get(field) or "") for field in ("manager", "operation", "subresource", "time"))


def _entries(obj: JSONObject | None) -> list[JSONObject]:
    return ((obj or {}).get("metadata") or {}).get("managedFields") or []


def _difference(before: JSONObject | None, after: JSONObject | None) -> list[str]:
    lines = list(difflib.unified_diff(_lines(before), _lines(after), n=1))[2:]
    return [f"  {line}" for line in lines if not line.startswith("@@")]


def _lines(obj: JSONObject | None) -> list[str]:
    if obj is None:
        return []
    plain = without_managed_fields(obj)
    metadata = {key: value for key, value in (plain.get("metadata") or {}).items() if key != "resourceVersion"}
    return to_yaml({**plain, "metadata": metadata}).decode().splitlines(keepends=True)
