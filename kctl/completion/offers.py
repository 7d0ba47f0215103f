"""What is offered, and what the shell should do with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

DEFAULT = 0
"""Let the shell do what it does: names of files, if nothing is offered."""
NO_SPACE = 2
NO_FILES = 4
EXTENSIONS = 8
"""The words are endings of files that may follow."""
DIRECTORIES = 16

_NAMES = (
    (1, "ShellCompDirectiveError"),
    (NO_SPACE, "ShellCompDirectiveNoSpace"),
    (NO_FILES, "ShellCompDirectiveNoFileComp"),
    (EXTENSIONS, "ShellCompDirectiveFilterFileExt"),
    (DIRECTORIES, "ShellCompDirectiveFilterDirs"),
    (32, "ShellCompDirectiveKeepOrder"),
)
_BEYOND = 64


class Offer(NamedTuple):
    """Each word may have a tab and what it means behind it. `problem` is why there is none."""

    words: list[str]
    directive: int = NO_FILES
    problem: str = ""


def directive_name(directive: int) -> str:
    if directive >= _BEYOND:
        return f"ERROR: unexpected ShellCompDirective value: {directive}"
    return ", ".join(name for bit, name in _NAMES if directive & bit) or "ShellCompDirectiveDefault"


def fitting(current: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(current)]
