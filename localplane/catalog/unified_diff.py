"""What differs between two texts, line by line, in the form of `diff -u`. Messages show it as Kubernetes does."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
"""What becomes of some lines, their first and last, and those of the lines that they become."""

_CONTEXT = 3
_COMPARED_WHOLE = 2_000  # lines: a pod with some fifty containers
_PIECE = 250


def unified_diff(before: list[str], after: list[str]) -> str:
    """As difflib's, without the names of files."""
    shown: list[str] = []
    for hunk in _Differences(before, after).get_grouped_opcodes(_CONTEXT):
        (_, start, _, new_start, _), (_, _, end, _, new_end) = hunk[0], hunk[-1]
        shown.append(f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n")
        for tag, low, high, new_low, new_high in hunk:
            if tag == "equal":
                shown += [f" {line}" for line in before[low:high]]
            else:
                shown += [f"-{line}" for line in before[low:high]]
                shown += [f"+{line}" for line in after[new_low:new_high]]
    return "".join(shown)


class _Differences(SequenceMatcher[str]):
    """The time that the matcher takes grows with the square of what it is given: a long text is compared piece by
    piece, each with the piece at the same place."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        self._before, self._after = before, after
        super().__init__()

    def get_opcodes(self) -> list[Opcode]:
        longer = max(len(self._before), len(self._after))
        if longer <= _COMPARED_WHOLE:
            return SequenceMatcher(None, self._before, self._after).get_opcodes()
        joined: list[Opcode] = []
        for start in range(0, longer, _PIECE):
            for opcode in self._piece(start):
                if joined and joined[-1][0] == opcode[0] == "equal":
                    _, low, _, new_low, _ = joined.pop()
                    joined.append(("equal", low, opcode[2], new_low, opcode[4]))
                else:
                    joined.append(opcode)
        return joined

    def _piece(self, start: int) -> Iterator[Opcode]:
        before, after = self._before[start : start + _PIECE], self._after[start : start + _PIECE]
        at, new_at = min(start, len(self._before)), min(start, len(self._after))
        for tag, low, high, new_low, new_high in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            yield tag, at + low, at + high, new_at + new_low, new_at + new_high


def _range(start: int, end: int) -> str:
    """The lines of a hunk; of none, the line before."""
    if end - start == 1:
        return f"{start + 1}"
    return f"{start + 1 if end > start else start},{end - start}"
