"""File names with `*`, `?` and `[a-z]`, as Go matches them: hidden files too, and a backslash takes a letter as it is.

Kubernetes: expandIfFilePattern in cli-runtime/pkg/resource; Go: path/filepath, Glob.
"""

from __future__ import annotations

import os
import re


class BadPattern(ValueError):
    def __init__(self) -> None:
        super().__init__("syntax error in pattern")


def matching(pattern: str) -> list[str]:
    """What there is of that name, sorted within each directory. Raises BadPattern."""
    _expression(pattern)
    return _matching(pattern)


def _matching(pattern: str) -> list[str]:
    if not any(character in pattern for character in "*?[\\"):
        return [pattern] if os.path.lexists(pattern) else []
    directory, slash, name = pattern.rpartition("/")
    places = _matching(directory) if directory else ["/" if slash else "."]
    expression = _expression(name)
    found = []
    for place in places:
        try:
            names = sorted(os.listdir(place))  # noqa: PTH208 - names, not paths
        except OSError:
            continue
        start = "" if place == "." and not directory else place if place.endswith("/") else f"{place}/"
        found += [os.path.normpath(start + one) for one in names if expression.fullmatch(one)]
    return found


def _expression(pattern: str) -> re.Pattern[str]:
    parts, rest = [], pattern
    while rest:
        character, rest = rest[0], rest[1:]
        match character:
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case "[":
                part, rest = _letters(rest)
                parts.append(part)
            case "\\":
                character, rest = _letter(f"\\{rest}")
                parts.append(re.escape(character))
            case _:
                parts.append(re.escape(character))
    return re.compile("".join(parts), re.DOTALL)


def _letters(rest: str) -> tuple[str, str]:
    """A class, and what follows it."""
    negated = rest.startswith("^")
    rest = rest[1:] if negated else rest
    ranges: list[str] = []
    while not (ranges and rest.startswith("]")):
        low, rest = _letter(rest, in_class=True)
        high = low
        if rest.startswith("-"):
            high, rest = _letter(rest[1:], in_class=True)
        if low <= high:
            ranges.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            ranges.append("")
    inner = "".join(ranges)
    if not inner:
        return ("[^/]" if negated else "(?!)"), rest[1:]
    return f"[{'^/' if negated else ''}{inner}]", rest[1:]


def _letter(rest: str, *, in_class: bool = False) -> tuple[str, str]:
    if not rest or (in_class and rest[0] in "-]"):
        raise BadPattern
    if rest[0] == "\\":
        rest = rest[1:]
    if not rest or (in_class and len(rest) == 1):
        raise BadPattern
    return rest[0], rest[1:]
