"""Both engines, each for itself."""

from __future__ import annotations

from collections.abc import Callable

import re2  # type: ignore[import-untyped] # its API is four calls of ours

from localplane.apimachinery.golang.regexps.automaton import Automaton
from localplane.apimachinery.golang.regexps.engines import Engine, RE2Engine
from localplane.apimachinery.golang.regexps.parser import parsed

Maker = Callable[[str], Engine]


def with_re2(pattern: str) -> Engine:
    return RE2Engine(re2, parsed(pattern))


def with_automaton(pattern: str) -> Engine:
    return Automaton(parsed(pattern).tree)


def has_re2(pattern: str) -> bool:
    return parsed(pattern).text is not None


ENGINES: dict[str, Maker] = {"re2": with_re2, "automaton": with_automaton}
