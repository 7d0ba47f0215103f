"""The text of an expression, and what is wrong with it: issues with a place, printed as cel-go prints them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

NOWHERE = -1
"""As the offset of an issue: it is about the whole expression."""
_REPORTED = 100
_LONGEST_SNIPPET = 16384


@dataclass(frozen=True, slots=True)
class Issue:
    offset: int
    message: str


class CompilationFailed(ValueError):
    """An expression that can't be parsed or type checked; the text is cel-go's Issues.String()."""

    def __init__(self, text: str, issues: Iterable[Issue]) -> None:
        self.issues = sorted(issues, key=lambda issue: max(issue.offset, NOWHERE))
        super().__init__(_rendered(text, self.issues))


def _location(text: str, offset: int) -> tuple[int, int]:
    """The line, from 1, and the column, from 0."""
    if offset < 0:
        return -1, -1
    if not text:
        return 1, -1
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start


def _rendered(text: str, issues: list[Issue]) -> str:
    lines = [_displayed(text, issue) for issue in issues[:_REPORTED]]
    if len(issues) > _REPORTED:
        lines.append(f"{len(issues) - _REPORTED} more errors were truncated")
    return "\n".join(lines)


def _displayed(text: str, issue: Issue) -> str:
    line, column = _location(text, issue.offset)
    message = f"ERROR: <input>:{line}:{column + 1}: {issue.message}"
    if line < 1 or not text:
        return message
    snippet = text.split("\n")[line - 1].replace("\t", " ")
    if len(snippet.encode("utf-8", "surrogatepass")) > _LONGEST_SNIPPET:
        return message
    # A wide dot under a wide character, so that the caret stands where it should.
    dots = "".join("." if character.isascii() else "\uff0e" for character in snippet[:column])
    caret = "^" if column >= len(snippet) or snippet[column].isascii() else "\uff3e"
    return f"{message}\n | {snippet}\n | {dots}{caret}"
