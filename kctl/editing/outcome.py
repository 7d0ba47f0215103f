"""What became of an edited file, and what is written above it when it is shown again.

Kubernetes: editResults and editHeader in kubectl/pkg/cmd/util/editor/editoptions.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from localplane.apimachinery.errors import APIError, Invalid, NotFound
from localplane.apimachinery.gotext import go_quote

if TYPE_CHECKING:
    from pathlib import Path

    from kctl.resolve import Info

HEADER = """\
# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
"""
LAST_APPLIED_HEADER = """\
# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
"""


@dataclass(slots=True)
class Reason:
    """Why a file comes back."""

    head: str
    causes: list[str] = field(default_factory=list)

    def commented(self) -> str:
        lines = [f"# {_hashed(self.head)}{':' if self.causes else ''}\n"]
        lines += [f"# * {_hashed(cause)}\n" for cause in self.causes]
        return "".join((*lines, "#\n"))


@dataclass(slots=True)
class Results:
    """Of one round. `invalid` objects are shown again; `file` is where what was edited still is."""

    file: Path | None = None
    reasons: list[Reason] = field(default_factory=list)
    invalid: int = 0
    not_found: int = 0
    retryable: int = 0

    def add_problem(self, problem: str, info: Info) -> str:
        """Of a file that nobody would be asked about. What to say about it."""
        what = _named(info)
        cause = f'<nil>: Invalid value: "The edited file failed validation": {problem}'
        self.reasons.append(Reason(f"{what} was not valid", [cause]))
        return f"error: {what} is invalid"

    def add(self, error: APIError, info: Info) -> str:
        """What to say about it."""
        what = _named(info)
        if isinstance(error, Invalid):
            self.invalid += 1
            causes = [f"{cause.field}: {cause.message}" for cause in error.causes]
            self.reasons.append(Reason(f"{what} was not valid", causes))
            return f"error: {what} is invalid"
        if isinstance(error, NotFound):
            self.not_found += 1
            return f"error: {what} could not be found on the server"
        self.retryable += 1
        return f"error: {what} could not be patched: {error.message}"


def _named(info: Info) -> str:
    return f"{info.rest_mapping.resource.group_resource} {go_quote(info.name)}"


def _hashed(text: str) -> str:
    import re

    return re.sub(r"\n(?=[^#])", "\n# ", text)
