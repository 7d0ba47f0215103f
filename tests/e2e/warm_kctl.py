"""kctl in processes that need not start: one interpreter has imported everything, and each command is a fork of it.

A command of our tests does little, and its process takes most of the time to start. So each process that runs tests has
one that waits (`Warm`), and whatever is asked of it runs in a child that has its own arguments, environment, directory
and files, as the shell would give them. How kctl starts, and that it imports what it uses, is for the tests that start
it: those of `tests/e2e/up`, `watch` and `streaming` do, and with KCTL_FRESH=1 all of them.

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
from typing import IO, NoReturn

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

    def __init__(self, module: str = "") -> None:
        """`module` is imported before anything is asked, beside all of kctl."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MAX_MESSAGE)
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(there.fileno())],
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
            answers, theirs = socket.socketpair()
            with answers, theirs:
                message = json.dumps({"arguments": [*arguments], "directory": str(cwd), "environment": {**env}})
                files = [given.fileno(), said.fileno(), wrong.fileno(), theirs.fileno()]
                with self._lock:
                    socket.send_fds(self._socket, [message.encode()], files)
                theirs.close()
                code = _ended(answers, [*arguments], timeout)
            return subprocess.CompletedProcess([*arguments], code, _text(said), _text(wrong))

    def fileno(self) -> int:
        """Of the socket that takes commands, for programs that inherit it: `tests/e2e/guides/kctl_on_path`."""
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


@functools.cache
def warm() -> Warm:
    """This process' own."""
    process = Warm()
    atexit.register(process.close)
    return process


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


def _ended(answers: socket.socket, arguments: list[str], timeout: float) -> int:
    """The exit code, or minus the signal: the process tells its number first."""
    answers.settimeout(timeout)
    told = b""
    try:
        while told.count(b"\n") < 2:
            received = answers.recv(64)
            if not received:
                raise ChildProcessError(f"nobody runs {arguments}")
            told += received
    except TimeoutError as error:
        if told:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(told.partition(b"\n")[0]), signal.SIGKILL)
        raise subprocess.TimeoutExpired(arguments, timeout) from error
    return os.waitstatus_to_exitcode(int(told.splitlines()[1]))


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


def _load() -> None:
    """Everything that a command of kctl's may use; as kctl does it, with its lazy loading installed before."""
    from kctl import cli, lazy

    for module in pkgutil.walk_packages([str(Path(cli.__file__).parent)], "kctl."):
        if module.name != "kctl.__main__":
            importlib.import_module(module.name)
    while unloaded := [module for module in [*sys.modules.values()] if not lazy.is_loaded(module)]:
        for empty in unloaded:
            with contextlib.suppress(AttributeError):
                getattr(empty, "nothing of this name")
    for name in ("ssl", "asyncio", "yaml", "http.client", _module()):
        importlib.import_module(name)


if __name__ == "__main__":
    _load()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as commands:
        _serve(commands)
