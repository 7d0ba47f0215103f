"""A pager between us and a terminal, for those who ask for one.

KCTL_PAGER names it for every command, --pager asks for it once (then PAGER may name it, or it is less). A command that
goes on by itself, or asks questions, has none.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError

_USUAL = "less -RFX"
_ENDLESS = ("watch", "watch-only", "follow")
_PAGED = frozenset(
    (
        *("api-resources", "api-versions", "config view", "describe", "diff", "events"),
        *("explain", "get", "history", "guide", "kustomize", "logs", "options", "rbac minimal"),
        *("requests", "top node", "top pod", "tree"),
    )
)


def is_wanted(flags: FlagSet) -> bool:
    """By what was said; whether there is a terminal is another question."""
    return flags.is_on("pager") if flags.changed("pager") else bool(os.environ.get("KCTL_PAGER"))


def run(title: str, flags: FlagSet, run: Callable[[], int]) -> int:
    """Run a command with its output in a pager, if it is a person who reads it."""
    endless = next((name for name in _ENDLESS if flags.known(name) and flags.is_on(name)), "")
    if title.partition(" ")[2] not in _PAGED or endless:
        if flags.changed("pager"):
            what = f"{title} --{endless}" if endless else title
            raise KctlError(f"--pager is for output that ends: {what} can't have one")
        return run()
    if not sys.stdout.isatty() or os.environ.get("TERM", "") in ("", "dumb"):
        return run()
    with _pager():
        try:
            return run()
        except BrokenPipeError:
            return 0  # somebody has seen enough


@contextlib.contextmanager
def _pager() -> Iterator[None]:
    """Until it ends, stdout goes to it, of the programs that we start as well, and still counts as a terminal."""
    text = os.environ.get("KCTL_PAGER") or os.environ.get("PAGER") or _USUAL
    try:
        words = shlex.split(text)
        program = subprocess.Popen(words, stdin=subprocess.PIPE, env={"LESS": "RFX", **os.environ})
    except (OSError, ValueError, IndexError) as error:
        raise KctlError(f"the pager {text!r} can't be started: {error}; KCTL_PAGER names another one") from error
    assert program.stdin is not None
    before, descriptor = sys.stdout, os.dup(1)
    before.flush()
    os.dup2(program.stdin.fileno(), 1)
    program.stdin.close()
    sys.stdout = _Paged(io.FileIO(1, "w", closefd=False), before.encoding, before.errors)
    try:
        yield
    finally:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        sys.stdout = before
        os.dup2(descriptor, 1)
        os.close(descriptor)
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which is the pager's to obey
        program.wait()
        signal.signal(signal.SIGINT, interrupt)


class _Paged(io.TextIOWrapper):
    def __init__(self, raw: io.FileIO, encoding: str, errors: str | None) -> None:
        super().__init__(io.BufferedWriter(raw), encoding=encoding, errors=errors)

    def isatty(self) -> bool:
        return True
