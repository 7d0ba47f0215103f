"""kctl in processes that need not start: one interpreter has imported everything, and each command is a fork of it.

A command of our tests does little, and its process takes most of the time to start. So each process that runs tests has
one that waits (`Warm`), and whatever is asked of it runs in a child that has its own arguments, environment, directory
and files, as the shell would give them. Those that start servers or ask about them have another one, which has imported
the servers too. How kctl starts, and that it imports what it uses, is for the tests that start it: `FRESH` says so for
one of them, those of `watch` and `streaming` do, and with KCTL_FRESH=1 all of them.

Run as a program, this is the one that waits.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn, Self

ROOT = Path(__file__).parents[2]
_MAX_MESSAGE = 4 * 1024 * 1024
_STANDARD = 3
"""stdin, stdout and stderr."""


MODULE, _KCTL = "KCTL_MODULE", "kctl.cli"
"""Whose `main` a command is: `tests/mutants` puts a kctl of its own in its place."""


def _module() -> str:
    return os.environ.get(MODULE, _KCTL)


class Warm:
    """The tests' side. Commands may run at the same time, from several threads."""

    def __init__(self, module: str = "", packages: Sequence[str] = ("kctl",)) -> None:
        """`module` is imported before anything is asked, beside all of `packages`."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MAX_MESSAGE)
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(there.fileno()), *packages],
                cwd=ROOT,
                env={"PATH": os.defpath, "PYTHONPATH": str(ROOT), "HOME": os.devnull, MODULE: module or _module()},
                stdin=subprocess.DEVNULL,
                pass_fds=[there.fileno()],
            )
        self._socket = here
        self._lock = threading.Lock()

    def run(
        self, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str = "", timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """As subprocess.run does it, with texts and captured output."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as wrong:
            given.write(stdin.encode())
            given.seek(0)
            with self.start(arguments, cwd=cwd, env=env, files=(given, said, wrong)) as process:
                code = process.wait(timeout)
            return subprocess.CompletedProcess([*arguments], code, _text(said), _text(wrong))

    def start(
        self, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], files: Sequence[IO[Any] | int | None]
    ) -> Process:
        """`files` are its stdin, stdout and stderr; None is nothing to read, or nobody who reads."""
        answers, theirs = socket.socketpair()
        with theirs, Path(os.devnull).open("r+b", buffering=0) as nothing:
            message = json.dumps({"arguments": [*arguments], "directory": str(cwd), "environment": {**env}})
            numbers = [file if isinstance(file, int) else (file or nothing).fileno() for file in files]
            with self._lock:
                socket.send_fds(self._socket, [message.encode()], [*numbers, theirs.fileno()])
        return Process([*arguments], answers)

    def fileno(self) -> int:
        """Of the socket that takes commands, for programs that inherit it: `tests/e2e/guides/kctl_on_path`."""
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


@functools.cache
def warm(*packages: str) -> Warm:
    """This process' own, with all of kctl and of these packages."""
    process = Warm(packages=("kctl", *packages))
    atexit.register(process.close)
    return process


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


class Process:
    """One that was started, with what subprocess.Popen has and our tests use."""

    def __init__(self, arguments: list[str], answers: socket.socket) -> None:
        self.args = arguments
        self.returncode: int | None = None
        self._answers = answers
        self._told = b""
        self._hear(1, 60)
        self.pid = int(self._told.splitlines()[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.wait(60)

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float = 60) -> int:
        """The exit code, or minus the signal. One that does not end in time is left running."""
        if self.returncode is None:
            self._hear(2, timeout)
            self._answers.close()
            self.returncode = os.waitstatus_to_exitcode(int(self._told.splitlines()[1]))
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _hear(self, lines: int, timeout: float) -> None:
        """Its number is told first, then how it ended."""
        until = time.monotonic() + timeout
        while self._told.count(b"\n") < lines:
            if not select.select([self._answers], [], [], max(0.0, until - time.monotonic()))[0]:
                raise subprocess.TimeoutExpired(self.args, timeout)
            received = self._answers.recv(64)
            if not received:
                raise ChildProcessError(f"nobody runs {self.args}")
            self._told += received


# The process that waits.


def _serve(commands: socket.socket) -> None:
    """Until the tests' process is gone. Nobody is waited for: another command may be what this one waits for."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    running: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([commands.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _tell_who_ended(running)
        if commands.fileno() in ready:
            message, files, _, _ = socket.recv_fds(commands, _MAX_MESSAGE, _STANDARD + 1)
            if not message:
                return
            answers = socket.socket(fileno=files[_STANDARD])
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for held in (commands, answers, *running.values()):
                    held.close()
                _become(json.loads(message), files[:_STANDARD])
            for file in files[:_STANDARD]:
                os.close(file)
            running[pid] = answers
            answers.sendall(b"%d\n" % pid)


def _tell_who_ended(running: dict[int, socket.socket]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with running.pop(pid) as answers, contextlib.suppress(OSError):
            answers.sendall(b"%d\n" % status)


def _become(command: dict[str, object], files: Sequence[int]) -> NoReturn:
    """A process as the shell would have started it."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    code = 1
    try:
        os.chdir(str(command["directory"]))
        os.environ.clear()
        os.environ.update(command["environment"])  # type: ignore[call-overload]
        time.tzset()
        tempfile.tempdir = None  # where it is has been read from the environment, if anybody asked
        arguments: list[str] = command["arguments"]  # type: ignore[assignment]
        sys.argv = [str(ROOT / "kctl" / "__main__.py"), *arguments]
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, buffering, errors=errors, closefd=False)  # noqa: SIM115 - they are the process' own
            for number, mode, buffering, errors in (
                (0, "r", -1, "strict"),
                (1, "w", -1, "strict"),
                (2, "w", 1, "backslashreplace"),  # always by lines
            )
        )
        code = importlib.import_module(os.environ.pop(MODULE, _KCTL)).main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    except BaseException:  # noqa: BLE001 - it is told, and the process ends with it
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _load(packages: Sequence[str]) -> None:
    """Everything that a command of kctl's may use; as kctl does it, with its lazy loading installed before."""
    from kctl import lazy

    for package in packages:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    while unloaded := [module for module in [*sys.modules.values()] if not lazy.is_loaded(module)]:
        for empty in unloaded:
            with contextlib.suppress(AttributeError):
                getattr(empty, "nothing of this name")
    for name in ("ssl", "asyncio", "yaml", "http.client", _module()):
        importlib.import_module(name)


if __name__ == "__main__":
    _load(sys.argv[2:])
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as commands:
        _serve(commands)
