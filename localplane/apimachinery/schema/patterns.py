"""Patterns are written for RE2 and run by Python's re, which reads a few things differently.

Translated are: `$` (for RE2 the very end, not before a last line end), `\\z`, POSIX classes, brackets within classes;
`\\w`, `\\d` and `\\s` mean ASCII. What Python doesn't know (`\\pL`, a flag in the middle) is an InvalidPattern.
RE2 runs in linear time and Python does not: a pattern like `(a+)+$` can take forever on a text of thirty characters.
Whoever may write definitions may stop the server with one; there is no guard against it here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_POSIX_CLASS: Final = re.compile(r"\[:(\w+):\]")


class InvalidPattern(ValueError):
    pass


@lru_cache(maxsize=4096)
def searcher(pattern: str) -> Callable[[str], Any]:
    """What finds the pattern anywhere in a text."""
    try:
        return re.compile(_translated(pattern), re.ASCII).search
    except (re.error, OverflowError) as error:
        raise InvalidPattern(f"error parsing regexp: {error}: `{pattern}`") from None


def _translated(pattern: str) -> str:
    pieces: list[str] = []
    position, in_class, class_start = 0, False, 0
    while position < len(pattern):
        character = pattern[position]
        posix = _POSIX_CLASS.match(pattern, position) if in_class else None
        if character == "\\":
            escape = pattern[position : position + 2]
            pieces.append(r"\Z" if escape == r"\z" else escape)
            position += 2
            continue
        if posix is not None and posix[1] in _POSIX:
            pieces.append(_POSIX[posix[1]])
            position = posix.end()
            continue
        if in_class:
            is_first = position == class_start
            pieces.append(f"\\{character}" if character in "[&~|" or (character == "]" and is_first) else character)
            if character == "^" and is_first and pattern[position - 1] == "[":
                class_start = position + 1
            in_class = character != "]" or is_first
        else:
            pieces.append(r"\Z" if character == "$" else character)
            in_class, class_start = character == "[", position + 1
        position += 1
    return "".join(pieces)
