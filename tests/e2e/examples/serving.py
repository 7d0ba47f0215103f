"""An example as a process: started as its docstring says, and known to be ready by what it prints."""

from __future__ import annotations

import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.e2e.command_line import ROOT, environment

EXAMPLES = ROOT / "examples"
MINIMAL = EXAMPLES / "minimal" / "greetings.py"
WARDLE = EXAMPLES / "wardle" / "wardle.py"

STOPS_WITHIN = 30
_LAST_LINE = "Ctrl-C stops it.\n"


@dataclass(frozen=True, slots=True)
class Serving:
    """A running example; `report` is all that it has printed."""

    process: subprocess.Popen[str]
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


def command(example: Path, *flags: str) -> list[str]:
    return [sys.executable, str(example), *flags]


@contextmanager
def serving(example: Path, *flags: str, home: Path) -> Iterator[Serving]:
    """Ready when the block is entered. It listens on a port of its own unless the flags name one."""
    port = () if "--port" in flags else ("--port", "0")
    stderr = home / f"{example.stem}.stderr"
    with stderr.open("w") as errors:
        process = subprocess.Popen(
            command(example, *port, *flags),
            cwd=home,
            env=environment(home, {"XDG_STATE_HOME": str(home / "state")}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    try:
        yield Serving(process, _report(process, stderr), stderr)
    finally:
        process.kill()
        process.communicate()


def _report(process: subprocess.Popen[str], stderr: Path) -> str:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
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
