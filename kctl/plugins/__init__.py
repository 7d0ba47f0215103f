"""Programs called `kctl-foo` or `kubectl-foo` on the PATH, which are verbs too: `kctl foo`.

`cli` asks for one when it knows no verb of that name; `kctl plugin list` lists them.
Kubernetes: kubectl/pkg/cmd/plugin.go.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

PREFIXES = ("kctl", "kubectl")


def replace_with_plugin(words: Sequence[str]) -> None:
    """Become the plugin that most of the words name (`kctl foo bar` is kctl-foo-bar); return if there is none."""
    names: list[str] = []
    for word in words:
        if word.startswith("-"):
            break
        names.append(word.replace("-", "_"))
    while names:
        for prefix in PREFIXES:
            path = shutil.which(f"{prefix}-{'-'.join(names)}")
            if path is not None:
                sys.stdout.flush()
                environment = {**os.environ, "KUBECTL_PATH": sys.argv[0]}
                os.execve(path, [path, *words[len(names) :]], environment)  # noqa: S606 - the user's own program
        names.pop()


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
    return os.access(path, os.X_OK)
