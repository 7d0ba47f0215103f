"""Whether the tests of a project use our fixtures, seen from their text: before anything of the project is imported,
because a client that it imports may read the developer's kubeconfig then.

They do if a test module or a conftest.py of this run speaks of localplane, or if a test or fixture there asks for one
of our fixtures by its name and neither the project nor another plugin has one of that name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

_CONFTEST: Final = "conftest.py"
_FUNCTION: Final = re.compile(rb"\bdef[ \t]+(\w+)[ \t]*\(([^()]*)\)?")
_PARAMETER: Final = re.compile(rb"(?:^|,)\s*(\w+)")
_USED: Final = re.compile(rb"\busefixtures\(([^()]*)\)")
_NAMED: Final = re.compile(rb"\bname[ \t]*=[ \t]*[\"'](\w+)[\"']")
_WORD: Final = re.compile(rb"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What pytest was asked to run. `patterns` are its python_files, `passed_over` its norecursedirs."""

    arguments: Sequence[str]
    root: Path
    patterns: Sequence[str]
    passed_over: Sequence[str]


def uses_fixtures(run: Run, fixtures: Mapping[str, bool]) -> bool:
    """`fixtures` are the names of ours, and whether another plugin has one of that name."""
    wanted: set[bytes] = set()
    defined = {name.encode() for name, is_others in fixtures.items() if is_others}
    ours = {name.encode() for name in fixtures}
    for path in _files(run):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        if b"localplane" in text:
            return True
        if any(name in text for name in ours):
            _note(text, ours, wanted, defined)
    return bool(wanted - defined)


def _note(text: bytes, ours: Collection[bytes], wanted: set[bytes], defined: set[bytes]) -> None:
    """Which of our names a file asks for, and which it gives a meaning of its own."""
    for name, parameters in _FUNCTION.findall(text):
        if name in ours:
            defined.add(name)
        wanted.update(word for word in _PARAMETER.findall(parameters) if word in ours)
    for names in _USED.findall(text):
        wanted.update(word for word in _WORD.findall(names) if word in ours)
    defined.update(word for word in _NAMED.findall(text) if word in ours)


def _files(run: Run) -> set[Path]:
    """Those that pytest would import, and each conftest.py on the way to them."""
    files: set[Path] = set()
    for argument in run.arguments:
        path = Path(argument.partition("::")[0]).absolute()
        files.update(folder / _CONFTEST for folder in path.parents if folder.is_relative_to(run.root))
        files.update(_below(path, run) if path.is_dir() else [path])
    return files


def _below(folder: Path, run: Run) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = [name for name in folders if not _is_passed_over(here / name, run.passed_over)]
        for path in map(here.joinpath, files):
            if path.name == _CONFTEST or any(_matches(path, pattern) for pattern in run.patterns):
                yield path


def _is_passed_over(folder: Path, patterns: Sequence[str]) -> bool:
    is_no_place = folder.name == "__pycache__" or (folder / "pyvenv.cfg").exists()
    return is_no_place or any(_matches(folder, pattern) for pattern in patterns)


def _matches(path: Path, pattern: str) -> bool:
    """A pattern with a slash is one for the end of a path."""
    if "/" not in pattern:
        return fnmatch(path.name, pattern)
    return fnmatch(str(path), pattern if pattern.startswith("/") else f"*/{pattern}")
