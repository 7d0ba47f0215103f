"""How soon `kctl up` is ready, and what it costs while nobody asks: `python -m tests.bench.up --help`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable
from localplane.compose.options import StorageKind
from tests.bench.figures import Aim, Table
from tests.bench.http.kube import IDLE_CPU_PERCENT, IDLE_RESIDENT, KUBE, SOURCE, START_SECONDS
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.processes import cpu_seconds, resident_bytes
from tests.bench.report import as_json, as_text
from tests.bench.running_plane import RunningPlane, running_plane

HEADING = (
    "`kctl up`: one run on one machine, medians over the rounds, beside what is known of another server. A start is\n"
    "timed from before there is a process until /readyz says ok."
)
_MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Sizes:
    """`idle` is how long a plane is left alone, after `settle` in which what began at its start may end."""

    rounds: int
    settle: timedelta
    idle: timedelta


FULL = Sizes(5, timedelta(seconds=5), timedelta(seconds=10))
QUICK = Sizes(2, timedelta(seconds=2), timedelta(seconds=3))
PROOF = Sizes(1, timedelta(0), timedelta(seconds=0.1))
"""Enough to see that everything runs; its figures mean nothing."""


@dataclass(slots=True)
class Samples:
    """Of one store, over the rounds: seconds, bytes, and CPU in per cent of one core."""

    fresh: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    store_resident: list[float] = field(default_factory=list)
    store_idle: list[float] = field(default_factory=list)


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    sizes = QUICK if options.quick else FULL
    if options.rounds is not None:
        sizes = Sizes(options.rounds, sizes.settle, sizes.idle)
    command = " ".join(["python -m tests.bench.up", *argv])
    kinds = options.storage or list(StorageKind)
    with tempfile.TemporaryDirectory(prefix="kctl-bench-") as directory:
        try:
            machine = facts(Path(directory), needs_etcd=StorageKind.ETCD in kinds) | {"known": SOURCE}
        except EtcdUnusable as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        warm_up(Path(directory) / "warm-up")
        tables = [
            measure(sizes, kinds, Path(directory) / "all", controllers="*"),
            measure(sizes, kinds, Path(directory) / "none", controllers="none"),
        ]
    del machine["object"]
    print(as_text(machine, tables, command, heading=HEADING))
    if options.json is not None:
        options.json.write_text(as_json(machine, tables, command) + "\n", encoding="utf-8")
    if options.imports:
        print(f"\nimports, slowest first, in ms with what each imports itself\n{slowest_imports(options.imports)}")
    return 0


def warm_up(home: Path) -> None:
    """One start that does not count: after it the files are compiled, and in the machine's memory."""
    home.mkdir()
    with running_plane(home, "--storage", StorageKind.MEMORY.value):
        pass


def measure(sizes: Sizes, kinds: Sequence[StorageKind], directory: Path, *, controllers: str) -> Table:
    """Every store starts twice in every round: with nothing, and with what the first left."""
    samples = {kind: Samples() for kind in kinds}
    for number in range(sizes.rounds):
        for kind in reversed(kinds) if number % 2 else kinds:
            print(f"measuring: {kind}, controllers {controllers}, round {number + 1}", file=sys.stderr, flush=True)
            _measure_one(samples[kind], sizes, kind, directory / f"{kind}-{number}", controllers)
    return _table(samples, controllers)


def _measure_one(samples: Samples, sizes: Sizes, kind: StorageKind, home: Path, controllers: str) -> None:
    home.mkdir(parents=True)
    arguments = ("--storage", kind.value, "--controllers", controllers)
    with running_plane(home, *arguments) as plane:
        samples.fresh.append(plane.ready_after)
        samples.told.append(plane.told)
        time.sleep(sizes.settle.total_seconds())
        _measure_idle(samples, sizes, plane)
    if kind is not StorageKind.MEMORY:
        with running_plane(home, *arguments) as plane:
            samples.again.append(plane.ready_after)


def _measure_idle(samples: Samples, sizes: Sizes, plane: RunningPlane) -> None:
    begun, server, store = time.perf_counter(), cpu_seconds(plane.pid), cpu_seconds(plane.store_pid)
    time.sleep(sizes.idle.total_seconds())
    wall = time.perf_counter() - begun
    samples.idle.append((cpu_seconds(plane.pid) - server) / wall * 100)
    samples.resident.append(resident_bytes(plane.pid))
    if plane.store_pid is not None:
        samples.store_idle.append((cpu_seconds(plane.store_pid) - store) / wall * 100)
        samples.store_resident.append(resident_bytes(plane.store_pid))


def _table(samples: dict[StorageKind, Samples], controllers: str) -> Table:
    first = next(iter(samples)).value
    table = Table(f"kctl up --controllers {controllers}", (*(kind.value for kind in samples), KUBE))

    def add(name: str, unit: str, what: str, factor: float = 1, aim: Aim | None = None) -> None:
        rounds = {kind.value: [value * factor for value in getattr(found, what)] for kind, found in samples.items()}
        table.add(name, unit, rounds, aim=aim)

    add("fresh start to /readyz", "s", "fresh", aim=Aim(at_most=1.0, of=first))
    table.figures[-1].sides[KUBE] = START_SECONDS
    add("what it says itself", "s", "told")
    if any(found.again for found in samples.values()):
        add("start on existing data", "s", "again", aim=Aim(at_most=1.0, of=first))
    add("memory, server", "MB", "resident", 1 / _MEGABYTE, Aim(at_most=120, of=first))
    table.figures[-1].sides[KUBE] = IDLE_RESIDENT
    add("idle CPU, server", "% of a core", "idle", aim=Aim(at_most=1.0, of=first))
    table.figures[-1].sides[KUBE] = IDLE_CPU_PERCENT
    if any(found.store_resident for found in samples.values()):
        add("memory, etcd", "MB", "store_resident", 1 / _MEGABYTE)
        add("idle CPU, etcd", "% of a core", "store_idle")
    return table


def slowest_imports(count: int) -> str:
    """What a start spends on importing, as -X importtime tells it: the modules that cost most by themselves."""
    program = "import localplane.cli.up, localplane.cli.plane, kctl.cli"
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", program], capture_output=True, text=True, check=True
    ).stderr
    lines = [line.removeprefix("import time:").split("|") for line in told.splitlines()[1:] if "|" in line]
    found = sorted(((int(own), int(whole), name.strip()) for own, whole, name in lines if own.strip().isdigit()))
    total = sum(own for own, _, _ in found)
    shown = "\n".join(f"  {own / 1e3:7.1f} {whole / 1e3:7.1f}  {name}" for own, whole, name in found[: -count - 1 : -1])
    return f"{shown}\n  {total / 1e3:7.1f} in all, {len(found)} modules"


def _options(argv: Sequence[str]) -> argparse.Namespace:
    made = parser("tests.bench.up", __doc__)
    made.add_argument(
        "--storage",
        type=StorageKind,
        choices=list(StorageKind),
        action="append",
        metavar="STORE",
        help="etcd, sqlite or memory; all of them unless one is named",
    )
    made.add_argument("--imports", type=int, metavar="N", help="also tell the N modules that take longest to import")
    return made.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
