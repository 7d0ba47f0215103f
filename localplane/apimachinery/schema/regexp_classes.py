"""The classes of characters that RE2 has names for and Python's re has not."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import Final

POSIX: Final = {
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
_CATEGORIES: Final = frozenset(
    [
        "L",
        "Lu",
        "Ll",
        "Lt",
        "Lm",
        "Lo",
        "M",
        "Mn",
        "Mc",
        "Me",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Ps",
        "Pe",
        "Pi",
        "Pf",
        "Po",
        "S",
        "Sm",
        "Sc",
        "Sk",
        "So",
        "Z",
        "Zs",
        "Zl",
        "Zp",
        "C",
        "Cc",
        "Cf",
        "Co",
        "Cs",
    ]
)
_SCRIPTS: Final = frozenset(
    [
        "Arabic",
        "Armenian",
        "Bengali",
        "Cherokee",
        "Cyrillic",
        "Devanagari",
        "Ethiopic",
        "Georgian",
        "Greek",
        "Gujarati",
        "Gurmukhi",
        "Han",
        "Hangul",
        "Hebrew",
        "Hiragana",
        "Kannada",
        "Katakana",
        "Khmer",
        "Lao",
        "Latin",
        "Malayalam",
        "Mongolian",
        "Myanmar",
        "Oriya",
        "Sinhala",
        "Tamil",
        "Telugu",
        "Thai",
        "Tibetan",
    ]
)


def is_category(name: str) -> bool:
    return name in _CATEGORIES or name in _SCRIPTS or name == "Any"


@cache
def category_class(name: str, *, negated: bool) -> str:
    """The inside of brackets for all characters of a general category or a script. Scripts are told by the names of
    their characters, which is nearly right."""
    if name == "Any":
        return r"\x00-\U0010ffff" if not negated else r"\U0010ffff"
    ranges: list[str] = []
    start = -1
    for code in range(sys.maxunicode + 2):
        is_in = code <= sys.maxunicode and _is_in(chr(code), name) != negated
        if is_in and start < 0:
            start = code
        elif not is_in and start >= 0:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = -1
    return "".join(ranges)


def _is_in(character: str, name: str) -> bool:
    if name in _CATEGORIES:
        return unicodedata.category(character).startswith(name)
    words = "CJK UNIFIED" if name == "Han" else name.upper()
    return unicodedata.name(character, "").startswith(words)
