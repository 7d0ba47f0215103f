"""kctl, speaking to the fake kubelet: at once, in the background, or on a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.streaming.fake_kubelet import FakeKubelet
from tests.e2e.warm_kctl import warm

_STAMP = re.compile(r"(?m)^([EWIF])\d{4} [\d:.]+ +\d+ ")
_WITHIN = 20.0


class Talk:
    """What a log line begins with, its time and its process, is masked."""

    def __init__(self, kubelet: FakeKubelet, directory: Path) -> None:
        self.kubelet = kubelet
        self.directory = directory

    def words(self, *arguments: str) -> list[str]:
        return [arguments[0], "-s", self.kubelet.url, *arguments[1:]]

    def command(self, *arguments: str) -> list[str]:
        return [*KCTL, *self.words(*arguments)]

    def environment(self, **environ: str) -> dict[str, str]:
        """With this machine's programs: they are what is in the containers."""
        return environment(self.directory, {"PATH": os.environ["PATH"], **environ})

    def __call__(self, *arguments: str, stdin: bytes = b"", **environ: str) -> Outcome:
        with ExitStack() as files:
            given, said, wrong = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write(stdin)
            given.seek(0)
            words, variables = self.words(*arguments), self.environment(**environ)
            with warm().start(words, cwd=self.directory, env=variables, files=(given, said, wrong)) as process:
                code = process.wait(60)
            for file in (said, wrong):
                file.seek(0)
            return Outcome(code, masked(said.read().decode()), masked(wrong.read().decode()))

    def asked(self, *arguments: str, stdin: bytes = b"", **environ: str) -> list[str]:
        """What the server was asked, but for its types."""
        before = len(self.kubelet.requests)
        self(*arguments, stdin=stdin, **environ)
        return [one for one in self.kubelet.requests[before:] if not re.match(r"GET /apis?\?", one)]

    @contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.directory,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()

    @contextmanager
    def on_a_terminal(self, *arguments: str) -> Iterator[PseudoTerminal]:
        terminal = PseudoTerminal(self.command(*arguments), self.directory, self.environment(TERM="dumb"))
        try:
            yield terminal
        finally:
            terminal.end()


def masked(text: str) -> str:
    return _STAMP.sub(r"\1<log> ", text)


class PseudoTerminal:
    """A terminal of 100 columns and 30 lines, and a program on it."""

    def __init__(self, command: list[str], directory: Path, environ: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        self._output = b""
        self._size(30, 100)
        self._before = termios.tcgetattr(self._master)
        self._process = subprocess.Popen(
            command,
            cwd=directory,
            env=environ,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - nothing else runs in the child
        )
        os.close(slave)

    def wait_for(self, text: str) -> None:
        """Until it stands there after what was waited for before."""
        while text.encode() not in self._output:
            if not self._read(_WITHIN):
                raise AssertionError(f"{text!r} never came: {self._output!r}")
        self._output = self._output.partition(text.encode())[2]

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def resize(self, lines: int, columns: int) -> None:
        self._size(lines, columns)  # the system tells the program

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait_until_raw(self) -> None:
        """Until what is typed is no longer echoed here."""
        give_up = time.monotonic() + _WITHIN
        while termios.tcgetattr(self._master)[3] & termios.ICANON:
            assert time.monotonic() < give_up, f"it stays a line at a time: {self._output!r}"
            self._read(0.02)

    @property
    def is_as_before(self) -> bool:
        return termios.tcgetattr(self._master)[:4] == self._before[:4]

    def rest(self) -> str:
        """What comes until the program ends."""
        give_up = time.monotonic() + _WITHIN
        while self._process.poll() is None or self._read(0.1):
            self._read(0.1)
            assert time.monotonic() < give_up, f"it does not end: {self._output!r}"
        return self._output.decode().replace("\r\n", "\n")

    def exit_code(self) -> int:
        self.rest()
        return self._process.returncode

    def end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    def _read(self, within: float) -> bool:
        give_up = time.monotonic() + within
        if not select.select([self._master], [], [], max(0.0, give_up - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # how a terminal says that nobody has it open any more
            return False
        self._output += data
        return bool(data)

    def _size(self, lines: int, columns: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
