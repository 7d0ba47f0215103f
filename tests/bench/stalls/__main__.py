"""Asks a cluster with many objects for everything that is long, and tells how long others had to wait for it.

The store is SQLite by default, because it keeps what a second start needs and no other process takes time for it.
"""

from __future__ import annotations

import argparse
import base64
import json
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.stalls.client import Client
from tests.bench.stalls.plane import HELD_PATH
from tests.bench.stalls.rows import Row, rows

_TREE = Path(__file__).resolve().parents[3]
_AFTER_START_SECONDS = 12.0
_QUIET_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and the files with which a client comes."""

    host: str
    port: int
    pem: Path
    authority: Path

    def client(self) -> Client:
        context = ssl.create_default_context(cafile=str(self.authority))
        context.load_cert_chain(self.pem)
        return Client(self.host, self.port, context)


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds."""

    name: str
    waited: float
    held: float
    garbage: float
    took: float
    size: int


class Probe:
    """The process that waits."""

    def __init__(self, server: Server) -> None:
        self._process = subprocess.Popen(
            [*_module("probe"), server.host, str(server.port), str(server.pem), str(server.authority)],
            cwd=_TREE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def longest(self) -> float:
        """Milliseconds since somebody last asked."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(json.loads(self._process.stdout.readline())["longest"]) * 1e3

    def close(self) -> None:
        self._process.communicate()


def _module(name: str) -> list[str]:
    return [sys.executable, "-m", f"tests.bench.stalls.{name}"]


@contextmanager
def serving(store: str, directory: Path, objects: int) -> Iterator[Server]:
    process = subprocess.Popen(
        [*_module("plane"), store, str(directory), str(objects)], cwd=_TREE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield _server(Path(json.loads(process.stdout.readline())["kubeconfig"]), directory)
    finally:
        process.terminate()
        process.communicate()


def _server(kubeconfig: Path, directory: Path) -> Server:
    config = json.loads(kubeconfig.read_bytes())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    pem, authority = directory / "client.pem", directory / "authority.pem"
    pem.touch(mode=0o600)
    pem.write_bytes(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
    authority.write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    url = urlsplit(cluster["server"])
    assert url.hostname is not None
    assert url.port is not None
    return Server(url.hostname, url.port, pem, authority)


class Bench:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._probe = Probe(server)
        self._control = server.client()
        self._fresh()

    def _fresh(self) -> None:
        self._control.tell(HELD_PATH)
        self._probe.longest()

    def _held(self) -> tuple[float, float]:
        told = json.loads(self._control.tell(HELD_PATH))
        return told["seconds"] * 1e3, told["garbage"] * 1e3

    def wait(self, name: str, seconds: float) -> Measured:
        time.sleep(seconds)
        return Measured(name, self._probe.longest(), *self._held(), seconds * 1e3, 0)

    def measure(self, row: Row, *, quick: bool) -> list[Measured]:
        measured = []
        for turn in range(1 if quick else row.repeats):
            time.sleep(0 if quick else _QUIET_SECONDS)
            client = self._server.client()
            self._fresh()
            begun = time.perf_counter()
            status, size = client.ask(row.method, row.path, row.body, row.headers, until=row.until)
            took = (time.perf_counter() - begun) * 1e3
            if status != row.status if row.status else not 200 <= status < 300:
                raise RuntimeError(f"{row.name} was answered with {status}")
            client.close()
            name = row.name if not turn else f"{row.name}, again"
            measured.append(Measured(name, self._probe.longest(), *self._held(), took, size))
        return measured

    def close(self) -> None:
        self._probe.close()
        self._control.close()


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    worst = 0.0
    _tell("", "waited", "held", "garbage", "took", "size")
    with tempfile.TemporaryDirectory(prefix="kctl-stalls-") as temporary:
        directory = Path(temporary)
        with serving(options.storage, directory, options.objects) as server:
            bench = Bench(server)
            for row in rows():
                if options.only in row.name:
                    for measured in bench.measure(row, quick=options.quick):
                        worst = max(worst, measured.held)
                        _tell_measured(measured)
            bench.close()
        if options.storage != "memory" and options.only in "the first seconds after a start":
            with serving(options.storage, directory, 0) as server:
                bench = Bench(server)
                seconds = _QUIET_SECONDS if options.quick else _AFTER_START_SECONDS
                measured = bench.wait("the first seconds after a start", seconds)
                worst = max(worst, measured.held)
                _tell_measured(measured)
                bench.close()
    print(f"\nThe loop was held for {worst:.0f} ms at most.")
    return int(worst > options.at_most) if options.at_most else 0


def _tell_measured(measured: Measured) -> None:
    size = f"{measured.size / 1e6:.1f} MB"
    times = [measured.waited, measured.held, measured.garbage, measured.took]
    _tell(measured.name, *(f"{milliseconds:.1f} ms" for milliseconds in times), size)


def _tell(*cells: str) -> None:
    first, *rest = cells
    print(f"{first:<46}" + "".join(f"{cell:>11}" for cell in rest), flush=True)


def _options(argv: Sequence[str]) -> argparse.Namespace:
    made = argparse.ArgumentParser(prog="python -m tests.bench.stalls", description=__doc__)
    made.add_argument("--objects", type=int, default=50_000, help="how many config maps there are (50000)")
    made.add_argument("--storage", choices=("sqlite", "etcd", "memory"), default="sqlite", help="the store (sqlite)")
    made.add_argument("--quick", action="store_true", help="everything once, without pauses")
    made.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this in it")
    made.add_argument(
        "--at-most", type=float, default=0.0, metavar="MS", help="fail if the loop was held longer than this"
    )
    return made.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
