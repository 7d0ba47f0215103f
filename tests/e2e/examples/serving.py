"""An example as a process: started as its docstring says, and known to be ready by what it prints."""

from __future__ import annotations

import atexit
import functools
import os
import re
import signal
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

from tests.e2e.command_line import ROOT, environment
from tests.e2e.warm_kctl import MODULE, Process, Warm

EXAMPLES = ROOT / "examples"
MINIMAL = EXAMPLES / "minimal" / "greetings.py"
WARDLE = EXAMPLES / "wardle" / "wardle.py"

SCRIPT = "tests.e2e.examples.script"
STOPS_WITHIN = 30
_LAST_LINE = "Ctrl-C stops it.\n"


@dataclass(frozen=True, slots=True)
class Serving:
    """A running example; `report` is all that it has printed."""

    process: Process
    report: str
    stderr: Path

    @property
    def url(self) -> str:
        return self._told(r"is served at (\S+)$")

    @property
    def kubeconfig(self) -> Path:
        return Path(self._told(r"kubectl --kubeconfig (\S+) api-resources$"))

    def http(self) -> httpx.Client:
        """Speaks to it as its administrator."""
        certificates = self.kubeconfig.parent / "pki"
        tls = ssl.create_default_context(cafile=certificates / "ca.crt")
        tls.load_cert_chain(certificates / "admin.crt", certificates / "admin.key")
        return httpx.Client(base_url=self.url, verify=tls, timeout=30)

    def etcd_pids(self) -> list[int]:
        """The etcds that it runs: all its descendants of that name."""
        return [pid for pid in _descendants(self.process.pid) if _name(pid) == "etcd"]

    def signal(self, number: signal.Signals) -> int:
        """Send it and wait for the end; the exit code is negative if the signal ended it."""
        self.process.send_signal(number)
        return self.process.wait(STOPS_WITHIN)

    def stop(self) -> int:
        return self.signal(signal.SIGTERM)

    def complaints(self) -> list[str]:
        """What it has said on stderr, but for what a busy machine makes it say."""
        lines = self.stderr.read_text().splitlines()
        return [line for line in lines if "the event loop was held" not in line]

    def _told(self, pattern: str) -> str:
        found = re.search(pattern, self.report, re.MULTILINE)
        assert found, self.report
        return found[1]


@functools.cache
def _warm() -> Warm:
    """This process' own, for all examples."""
    process = Warm(SCRIPT, packages=("localplane",))
    atexit.register(process.close)
    return process


def start(example: Path, *flags: str, home: Path, files: Sequence[IO[str] | None]) -> Process:
    """`files` are its stdin, stdout and stderr."""
    variables = environment(home, {"XDG_STATE_HOME": str(home / "state"), MODULE: SCRIPT})
    return _warm().start([str(example), *flags], cwd=home, env=variables, files=files)


@contextmanager
def serving(example: Path, *flags: str, home: Path) -> Iterator[Serving]:
    """Ready when the block is entered. It listens on a port of its own unless the flags name one."""
    port = () if "--port" in flags else ("--port", "0")
    stderr = home / f"{example.stem}.stderr"
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdout:
        with stderr.open("w") as errors, os.fdopen(writing, "w") as said:
            process = start(example, *port, *flags, home=home, files=(None, said, errors))
        with process:
            yield Serving(process, _report(process, stdout, stderr), stderr)


def _report(process: Process, stdout: IO[str], stderr: Path) -> str:
    said = []
    for line in stdout:
        said.append(line)
        if line == _LAST_LINE:
            return "".join(said)
    raise AssertionError(f"it ended with {process.wait()}:\n{stderr.read_text()}")


def _descendants(pid: int) -> Iterator[int]:
    for children in Path("/proc").glob(f"{pid}/task/*/children"):
        for child in map(int, children.read_text().split()):
            yield child
            yield from _descendants(child)


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()
