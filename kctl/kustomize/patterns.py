"""Regular expressions of selectors, image names and paths, as Go reads them."""

from __future__ import annotations

import re
from collections.abc import Callable

from kctl.kustomize.errors import KustomizeError
from localplane.apimachinery.golang import regexps

_SIMPLE = re.compile(r"\.\*|[A-Za-z0-9_/:@.|-]*")
"""What both languages read alike and Python reads in linear time, so that nothing else has to be imported for it."""

Matches = Callable[[str], object]
"""Something, or nothing."""


def compiled(pattern: str, tail: str = "") -> Matches:
    """To search with. `tail` is more of it, which is simple too. Raises KustomizeError, in Go's words."""
    if _SIMPLE.fullmatch(pattern.removeprefix("^")):
        return re.compile(pattern + tail.replace("$", r"\Z"), re.ASCII).search
    try:
        expression = regexps.compiled(pattern + tail)
    except regexps.InvalidRegexp as error:
        raise KustomizeError(str(error)) from error

    def matches(text: str) -> bool:
        try:
            return expression.is_in(text)
        except regexps.TooCostly as error:
            raise KustomizeError(f"{pattern}: {error}") from error

    return matches


def anchored(pattern: str) -> Matches:
    """For the whole of a text."""
    return re.compile(pattern).fullmatch if _SIMPLE.fullmatch(pattern) else compiled(f"^(?:{pattern})$")
