"""How many columns of a terminal a text takes, and what of it fits; with colours in it or without."""

from __future__ import annotations

import re
import unicodedata

_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
_PLAIN = "\x1b[0m"


def width_of(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def clipped(text: str, width: int) -> str:
    """With a sign at its end, if something is missing."""
    if width_of(text) <= width:
        return text
    kept, used = [], 1  # the sign that something is missing
    for character in text:
        used += _character_width(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"


def window(text: str, start: int, width: int) -> str:
    """What can be seen of a line with our colours in it, from a column on."""
    plain = _COLOUR.sub("", text)
    total = width_of(plain)
    if not start and total <= width:
        return text
    room = width if total <= start + width else width - 1
    kept: list[str] = []
    position, coloured = 0, False
    for part in _COLOUR.split(text):
        if part.startswith("\x1b["):
            kept.append(part)
            coloured = part != _PLAIN
            continue
        for character in part:
            if start <= position < start + room:
                kept.append(character)
            position += _character_width(character)
    last = "…" if room < width else ""
    return "".join(kept) + (_PLAIN if coloured else "") + last


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("F", "W") else 1
