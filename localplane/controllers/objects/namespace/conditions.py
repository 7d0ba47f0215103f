"""What a namespace says about its own deletion. Kubernetes: namespace/deletion/status_condition_utils.go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.times import now
from localplane.client import GroupVersionResource

Condition = dict[str, Any]

DISCOVERY: Final = "NamespaceDeletionDiscoveryFailure"
PARSING: Final = "NamespaceDeletionGroupVersionParsingFailure"
CONTENT: Final = "NamespaceDeletionContentFailure"
REMAINING: Final = "NamespaceContentRemaining"
FINALIZERS: Final = "NamespaceFinalizersRemaining"

_WHEN_WELL: Final = {
    DISCOVERY: ("ResourcesDiscovered", "All resources successfully discovered"),
    PARSING: ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    CONTENT: ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    REMAINING: ("ContentRemoved", "All content successfully removed"),
    FINALIZERS: ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


@dataclass(slots=True)
class DeletionTroubles:
    """What stands in the way, gathered during one attempt; what nobody notes is well."""

    _found: dict[str, tuple[str, str]] = field(default_factory=dict)
    _content: list[str] = field(default_factory=list)

    def note_discovery(self, failing: int, message: str) -> None:
        said = f"Discovery failed for some groups, {failing} failing: {message}" if failing else message
        self._found[DISCOVERY] = ("DiscoveryFailed", said)

    @property
    def incomplete(self) -> bool:
        """There may be kinds of objects that nobody told us of."""
        return DISCOVERY in self._found

    def note_content(self, message: str) -> None:
        """A resource whose objects could not be deleted."""
        self._content.append(message)

    def note_remaining(self, left: Mapping[GroupVersionResource, int], finalizers: Mapping[str, int]) -> None:
        if left:
            each = sorted(
                f"{kind.resource}.{kind.group} has {count} resource instances" for kind, count in left.items()
            )
            self._found[REMAINING] = ("SomeResourcesRemain", f"Some resources are remaining: {', '.join(each)}")
        if finalizers:
            each = sorted(f"{name} in {count} resource instances" for name, count in finalizers.items())
            message = f"Some content in the namespace has finalizers remaining: {', '.join(each)}"
            self._found[FINALIZERS] = ("SomeFinalizersRemain", message)

    def conditions(self, old: Sequence[Condition]) -> list[Condition] | None:
        """The conditions that `old` become, or None if they stay. Others' conditions are left alone."""
        new = [dict(condition) for condition in old]
        found = self._found | self._content_failure()
        for kind, well in _WHEN_WELL.items():
            status = "True" if kind in found else "False"
            reason, message = found.get(kind, well)
            _put(new, {"type": kind, "status": status, "reason": reason, "message": message})
        return None if new == list(old) else new

    def _content_failure(self) -> dict[str, tuple[str, str]]:
        if not self._content:
            return {}
        each = ", ".join(sorted(self._content))
        message = f"Failed to delete all resource types, {len(self._content)} remaining: {each}"
        return {CONTENT: ("ContentDeletionFailed", message)}


def _put(conditions: list[Condition], wanted: Condition) -> None:
    """The time is that of the last change of the status, not of the words."""
    for condition in conditions:
        if condition.get("type") == wanted["type"]:
            if condition.get("status") != wanted["status"]:
                condition["lastTransitionTime"] = now()
            condition.update(wanted)
            return
    conditions.append(wanted | {"lastTransitionTime": now()})
