"""What field management says no with.

InvalidManagedFields    metadata.managedFields that can't be read; whoever wrote them is ignored
MissingVersion          an apiVersion that is no longer there; what was managed in it is forgotten
Unmanageable            an object that no fields can be computed from
InvalidApply            500: an applied configuration that does not fit the schema
ApplyConflict           409: others own fields that the configuration would change
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from localplane.apimachinery.errors import APIError, Cause, Conflict
from localplane.apimachinery.golang.text import go_quote

from .fieldset import shown

if TYPE_CHECKING:
    from .managers import Manager


class InvalidManagedFields(ValueError):
    """In the words of Kubernetes' DecodeManagedFields."""


class MissingVersion(LookupError):
    """Raised by whoever converts between versions."""


class Unmanageable(ValueError):
    """A list item without a key, or a value nested beyond all measure."""


class InvalidApply(APIError):
    """Kubernetes has no reason for these: a client sees a plain 500."""

    code: ClassVar[int] = 500


class ApplyConflict(Conflict):
    """Every field that would change, with the manager that owns it."""

    def __init__(self, conflicts: Sequence[tuple[Manager, tuple[str, ...]]]) -> None:
        self.conflicts = tuple(conflicts)
        causes = tuple(
            Cause("FieldManagerConflict", f"conflict with {_described(manager)}", path_text(path))
            for manager, path in self.conflicts
        )
        super().__init__(_message(self.conflicts), details={}, causes=causes)


def path_text(path: Sequence[str]) -> str:
    return "".join(map(shown, path))


def _message(conflicts: Sequence[tuple[Manager, tuple[str, ...]]]) -> str:
    """Conflicts come sorted by manager, so that those of one are together."""
    if len(conflicts) == 1:
        manager, path = conflicts[0]
        return f"Apply failed with 1 conflict: conflict with {_described(manager)}: {path_text(path)}"
    lines: list[str] = []
    before: Manager | None = None
    for manager, path in conflicts:
        if manager != before:
            lines.append(f"conflicts with {_described(manager)}:")
            before = manager
        lines.append(f"- {path_text(path)}")
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)


def _described(manager: Manager) -> str:
    text = go_quote(manager.name)
    if manager.subresource:
        text = f"{text} with subresource {go_quote(manager.subresource)}"
    return f"{text} using {manager.api_version}" if manager.operation == "Update" else text
