"""What it takes to make a role or binding that is there into one that is wanted. Nothing here asks a server.

Kubernetes: component-helpers/auth/rbac/reconciliation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kctl.views.access.rules import Rule, shown, uncovered
from localplane.apimachinery.objects import JSONObject

AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate"


class Plan(NamedTuple):
    """`operation` is nothing, create, update or recreate. A protected object said that it wants to stay as it is."""

    operation: str
    object: JSONObject
    protected: bool = False
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


def creation(wanted: JSONObject) -> Plan:
    if str(wanted["kind"]).endswith("Binding"):
        return Plan("create", wanted, missing=tuple(map(_subject, wanted.get("subjects") or ())))
    return Plan("create", wanted, missing=tuple(map(shown, wanted.get("rules") or ())))


def role(existing: JSONObject, wanted: JSONObject, *, remove: bool) -> Plan:
    """`remove` takes away what is not wanted."""
    obj, changed = _merged(existing, wanted)
    own: list[Rule] = existing.get("rules") or []
    rules: list[Rule] = wanted.get("rules") or []
    missing, extra = uncovered(own, rules), uncovered(rules, own)
    if existing.get("aggregationRule") and wanted.get("aggregationRule"):
        extra = []  # a controller fills them in
    if remove and (missing or extra):
        obj["rules"], changed = rules, True
    elif missing and not remove:
        obj["rules"], changed = [*own, *missing], True
    if _aggregated(obj, existing.get("aggregationRule"), wanted.get("aggregationRule"), remove=remove):
        changed = True
    return Plan(
        "update" if changed else "",
        obj,
        protected=_is_protected(existing),
        missing=tuple(map(shown, missing)),
        extra=tuple(map(shown, extra)),
    )


def _aggregated(obj: JSONObject, existing: JSONObject | None, wanted: JSONObject | None, *, remove: bool) -> bool:
    """Whether the selectors of other roles had to be changed."""
    own = (existing or {}).get("clusterRoleSelectors") or []
    selectors = (wanted or {}).get("clusterRoleSelectors") or []
    missing = [one for one in selectors if one not in own]
    if wanted is None:
        obj.pop("aggregationRule", None)
        return existing is not None
    if missing and not remove:
        obj["aggregationRule"] = {"clusterRoleSelectors": [*own, *missing]}
        return True
    if remove and (missing or any(one not in selectors for one in own)):
        obj["aggregationRule"] = wanted
        return True
    return False


def binding(existing: JSONObject, wanted: JSONObject, *, remove: bool) -> Plan:
    protected = _is_protected(existing)
    if existing.get("roleRef") != wanted.get("roleRef"):
        return Plan("recreate", wanted, protected=protected)
    obj, changed = _merged(existing, wanted)
    own, subjects = existing.get("subjects") or [], wanted.get("subjects") or []
    missing, extra = _without(subjects, own), _without(own, subjects)
    if remove and (missing or extra):
        obj["subjects"], changed = subjects, True
    elif missing and not remove:
        obj["subjects"], changed = [*own, *missing], True
    return Plan(
        "update" if changed else "",
        obj,
        protected=protected,
        missing=tuple(map(_subject, missing)),
        extra=tuple(map(_subject, extra)),
    )


def _without(these: Sequence[JSONObject], those: Sequence[JSONObject]) -> list[JSONObject]:
    """The same one only once."""
    found: list[JSONObject] = []
    for one in these:
        if one not in those and one not in found:
            found.append(one)
    return found


def _merged(existing: JSONObject, wanted: JSONObject) -> tuple[JSONObject, bool]:
    """The existing object with labels and annotations that it has not, and whether that changes anything."""
    metadata = dict(existing["metadata"])
    for field in ("annotations", "labels"):
        merged = {**(wanted["metadata"].get(field) or {}), **(metadata.get(field) or {})}
        if merged:
            metadata[field] = merged
    return {**existing, "metadata": metadata}, metadata != existing["metadata"]


def _is_protected(existing: JSONObject) -> bool:
    return (existing["metadata"].get("annotations") or {}).get(AUTOUPDATE) == "false"


def _subject(subject: JSONObject) -> str:
    """Go's %+v."""
    fields = (("Kind", "kind"), ("APIGroup", "apiGroup"), ("Name", "name"), ("Namespace", "namespace"))
    return "{" + " ".join(f"{title}:{subject.get(field, '')}" for title, field in fields) + "}"
