"""Regular expressions of selectors, image names and paths, as Go reads them."""

from __future__ import annotations

import re

from .errors import KustomizeError

_PIECE = r"(?:[A-Za-z0-9_/:@-]|\.[*+?]?)*"
_SIMPLE = re.compile(rf"{_PIECE}(?:\|{_PIECE})*")
"""What both languages read alike, so that nothing has to be translated."""


def compiled(pattern: str, tail: str = "") -> re.Pattern[str]:
    """To search with. `tail` is more of it, which is simple too. Raises KustomizeError, in Go's words."""
    if _SIMPLE.fullmatch(pattern.removeprefix("^")):
        return re.compile(pattern + tail.replace("$", r"\Z"), re.ASCII)
    from localplane.apimachinery.schema.regexps import InvalidRegexp, translated

    try:
        return re.compile(translated(pattern + tail), re.ASCII)
    except InvalidRegexp as error:
        raise KustomizeError(f"error parsing regexp: {error}") from error


def anchored(pattern: str) -> re.Pattern[str]:
    """For the whole of a text."""
    return compiled(pattern) if _SIMPLE.fullmatch(pattern) else compiled(f"^(?:{pattern})$")
