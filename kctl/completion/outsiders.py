"""Plugins are completed by their names, and behind them by programs of their own: kubectl_complete-NAME.

Kubernetes: kubectl/pkg/cmd/plugin/plugin_completion.go.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from typing import NamedTuple

from kctl.command_line import plugins
from kctl.completion.values import DEFAULT, Offer


class _Named(NamedTuple):
    """How many of the words name a plugin, and which of PREFIXES it has."""

    words: int
    prefix: str


def names(*, known: Collection[str]) -> list[tuple[str, str]]:
    """The first words of all plugins that are no verbs, with what they are."""
    found = {name: _about(name) for _, (name, *_) in _plugins() if name not in known}
    return sorted(found.items())


async def offer(words: Sequence[str]) -> Offer | None:
    """None if the words don't begin with a plugin's name."""
    *before, current = words
    found = _named(before)
    if found is None:
        return None
    below = [rest for _, rest in _plugins() if len(rest) > found.words and rest[: found.words] == before[: found.words]]
    arguments = before[found.words :]
    next_words = sorted({rest[found.words] for rest in below} if not arguments else ())
    listed = [f"{name}\t{_about(name)}" for name in next_words if name.startswith(current)]
    completed = _ask(found, before[: found.words], [*arguments, current])
    return Offer([*listed, *completed.words], completed.directive)


def _about(name: str) -> str:
    return f"The command {name} is a plugin installed by the user"


def _plugins() -> list[tuple[str, list[str]]]:
    """Each with its prefix and the words that name it: kubectl-get_all-pods is `get-all pods`."""
    found = []
    for path in plugins.on_path()[0]:
        prefix, *rest = path.rpartition("/")[2].split("-")
        if prefix in plugins.PREFIXES and rest and all(rest):
            found.append((prefix, [word.replace("_", "-") for word in rest]))
    return found


def _named(words: Sequence[str]) -> _Named | None:
    """By as many words as any plugin has in common with the line."""
    found = [_Named(_common(rest, words), prefix) for prefix, rest in _plugins()]
    best = max(found, default=_Named(0, ""), key=lambda one: one.words)
    return best if best.words else None


def _common(some: Sequence[str], others: Sequence[str]) -> int:
    shorter = min(len(some), len(others))
    return next((at for at in range(shorter) if some[at] != others[at]), shorter)


def _ask(found: _Named, name: Sequence[str], arguments: Sequence[str]) -> Offer:
    called = f"{found.prefix}_complete-{'-'.join(word.replace('-', '_') for word in name)}"
    sys.stderr.write(f"[Debug] About to look for: {called}\n")
    program = shutil.which(called)
    if program is None:
        plugin = called.replace("_complete-", "-", 1)
        sys.stderr.write(f"[Debug] Plugin {plugin} does not provide a matching completion executable\n")
        return Offer([], DEFAULT)
    sys.stderr.write(f"[Debug] About to call: {program} {' '.join(arguments)}\n")
    sys.stderr.flush()
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, check=False)
    lines = [line for line in done.stdout.decode(errors="replace").split("\n") if line] if not done.returncode else []
    if lines and lines[-1].startswith(":") and lines[-1][1:].isdecimal():
        return Offer(lines[:-1], int(lines[-1][1:]))
    return Offer(lines, DEFAULT)
