"""A real terminal: tmux, what is typed into it, and what stands on its screen."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

TMUX = shutil.which("tmux")
needs_tmux = pytest.mark.skipif(TMUX is None, reason="there is no tmux")


class Terminal:
    def __init__(self, directory: Path, environ: Mapping[str, str]) -> None:
        self._base = [str(TMUX), "-S", str(directory / "tmux"), "-f", "/dev/null"]
        self._environ = {**environ, "LANG": "C.UTF-8", "PS1": "$ "}

    def start(self, *, width: int, height: int) -> None:
        self._tmux("-u", "new-session", "-d", "-x", str(width), "-y", str(height), "sh")

    def type(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def resize(self, width: int, height: int) -> None:
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    @property
    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    @property
    def coloured(self) -> str:
        return self._tmux("capture-pane", "-p", "-e")

    def state(self, name: str) -> str:
        """What tmux knows of it: `alternate_on`, `cursor_flag`."""
        return self._tmux("display-message", "-p", f"#{{{name}}}").strip()

    def end(self) -> None:
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._base, *arguments], env=self._environ, capture_output=True, text=True, check=True, timeout=10
        )
        return done.stdout
