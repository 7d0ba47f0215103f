"""A command that a plane is started for, as `kctl up -- CMD` has it: it begins when the plane is ready, and ends it.

It has the terminal, the directory and the standard streams of whoever typed it, and an environment in which every
client finds this plane and no other cluster.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from .errors import CommandNotFound

_GRACE = timedelta(seconds=5)
_CANNOT_BE_RUN, _NOT_FOUND = 126, 127
_FROM_THE_KEYBOARD = (signal.SIGINT, signal.SIGQUIT)
_OTHER_CLUSTERS = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")


class CommandRun:
    """One command, once. Made before the plane is started: raises CommandNotFound while nothing has been done yet."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._program = _program(words[0])
        self._umask = _current_umask()  # a plane sets a strict one for what is its own
        self._process: subprocess.Popen[bytes] | None = None
        self._ended: asyncio.Future[int] | None = None

    def start(self, kubeconfig: str, *, ended: Callable[[], None]) -> None:
        """The second time, when the plane was emptied meanwhile, nothing is done."""
        if self._process is not None:
            return
        environment = command_environment(os.environ, kubeconfig)
        try:
            self._process = subprocess.Popen(self._words, executable=self._program, env=environment, umask=self._umask)
        except OSError as error:
            raise CommandNotFound(f"{self._words[0]} can't be run: {error.strerror}", _CANNOT_BE_RUN) from error
        self._ended = asyncio.ensure_future(asyncio.to_thread(self._process.wait))
        self._ended.add_done_callback(lambda _: ended())

    @property
    def exit_code(self) -> int | None:
        """As a shell tells it: 128 and the signal's number if one has ended it. None if it was never started."""
        code = self._process.poll() if self._process is not None else None
        return 128 - code if code is not None and code < 0 else code

    def pass_on(self, number: signal.Signals) -> bool:
        """Whether there is somebody to hear it. What is typed at a terminal goes to both of us: it has it already."""
        if self._process is None or self._process.poll() is not None:
            return False
        if number not in _FROM_THE_KEYBOARD or not _is_in_foreground():
            self._process.send_signal(number)
        return True

    async def end(self) -> None:
        """Of one whose plane is gone: it is asked to stop, and killed if it doesn't."""
        if self._process is None or self._ended is None:
            return
        self._process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._ended), _GRACE.total_seconds())
        self._process.kill()
        await self._ended


def command_environment(environment: Mapping[str, str], kubeconfig: str) -> dict[str, str]:
    """Whoever runs in a pod, as CI jobs do, is told by these variables of the cluster around it, and some clients ask
    them first."""
    kept = {name: value for name, value in environment.items() if name not in _OTHER_CLUSTERS}
    return {**kept, "KUBECONFIG": kubeconfig}


def _program(word: str) -> str:
    path = shutil.which(word)
    if path is not None:
        return path
    if os.path.dirname(word) and os.path.exists(word):  # noqa: PTH110, PTH120 - "./x" is no path to pathlib, but x
        raise CommandNotFound(f"{word} can't be run: it is no program", _CANNOT_BE_RUN)
    raise CommandNotFound(f"{word or 'an empty word'}: there is no such program, so no plane was started", _NOT_FOUND)


def _current_umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def _is_in_foreground() -> bool:
    """Whether we belong to those who hear what is typed."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
