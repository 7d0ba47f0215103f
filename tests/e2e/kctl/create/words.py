"""Command lines as a shell would read them."""

from __future__ import annotations

import shlex


def with_flags(line: str, *flags: str) -> list[str]:
    """The words, with flags behind them but before `--`."""
    words = shlex.split(line)
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *flags, *words[end:]]
