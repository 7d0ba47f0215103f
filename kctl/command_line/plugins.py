"""Programs called `kctl-foo` or `kubectl-foo` on the PATH, which are verbs too: `kctl foo`.

`cli` asks for one when it knows no verb of that name; `kctl plugin list` lists them.
Kubernetes: kubectl/pkg/cmd/plugin.go.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from kctl import program
from kctl.errors import KctlError

PREFIXES = (program.KCTL, program.KUBECTL)


def prefixes() -> tuple[str, ...]:
    """In the order in which they count: the name that we were called by goes first."""
    return (program.KUBECTL, program.KCTL) if program.is_kubectl() else PREFIXES


def replace_with_plugin(words: Sequence[str], *, at_least: int = 1) -> None:
    """Become the plugin that most of the words name (`kctl foo bar` is kctl-foo-bar); return if there is none.

    `at_least` so many words have to be in its name. Raises KctlError if flags come first, or if it can't be run.
    """
    names: list[str] = []
    for word in words:
        if word.startswith("-"):
            break
        names.append(word.replace("-", "_"))
    if not names:
        raise KctlError(f"Error: flags cannot be placed before plugin name: {words[0]}", verbatim=True)
    while len(names) >= at_least:
        for prefix in prefixes():
            path = shutil.which(f"{prefix}-{'-'.join(names)}")
            if path is not None:
                _become(path, words[len(names) :])
        names.pop()


def _become(path: str, arguments: Sequence[str]) -> None:
    sys.stdout.flush()
    try:
        os.execve(path, [path, *arguments], {**os.environ, "KUBECTL_PATH": _own_path()})  # noqa: S606 - the user's own
    except OSError as error:
        raise KctlError(f"Error: {(error.strerror or str(error)).lower()}", verbatim=True) from error


def _own_path() -> str:
    """Where a plugin finds us again: a program, also where Python was told to run a package."""
    called = sys.argv[0]
    if os.access(called, os.X_OK) and not called.endswith(".py"):
        return os.path.abspath(called)  # noqa: PTH100 - a link stays a link: its name says who we are
    beside = Path(sys.executable).with_name(program.KCTL)
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(program.name()) or called


def on_path() -> tuple[list[str], list[str]]:
    """Every plugin in the order of the PATH, and what is wrong with the PATH."""
    found: list[str] = []
    problems: list[str] = []
    for directory in dict.fromkeys(os.environ.get("PATH", "").split(os.pathsep)):
        if not directory.strip():
            continue
        try:
            entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except OSError as error:
            why = f"open {directory}: {(error.strerror or '').lower()}"
            problems.append(f'Unable to read directory "{directory}" from your PATH: {why}. Skipping...')
            continue
        found += [
            str(Path(directory, entry.name))
            for entry in entries
            if not entry.is_dir(follow_symlinks=False) and entry.name.startswith(tuple(f"{one}-" for one in PREFIXES))
        ]
    return found, problems


def is_executable(path: str) -> bool:
    """For anybody. Raises OSError."""
    mode = Path(path).stat().st_mode
    return not stat.S_ISDIR(mode) and bool(mode & 0o111)
