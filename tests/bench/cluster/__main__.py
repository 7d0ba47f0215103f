"""Runs every kind of write against one server and tells what came of it: `python -m tests.bench.cluster --help`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import uvloop

from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable
from localplane.compose.options import StorageKind
from tests.bench.cluster.meter import seconds_in
from tests.bench.cluster.plane import METER, UNMANAGED
from tests.bench.cluster.report import Result
from tests.bench.cluster.sizes import FULL, QUICK, Sizes
from tests.bench.cluster.subjects import SUBJECTS, namespace
from tests.bench.cluster.writes import scenarios
from tests.bench.figures import Table
from tests.bench.http import kube
from tests.bench.http.connection import Connection, connections
from tests.bench.http.serving import Served, served
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.report import as_json, as_text

PLANE = "tests.bench.cluster.plane"
HEADING = (
    "Writes to a cluster, over HTTPS: one run on one machine. Medians over the rounds, beside what is known of\n"
    "another server; a ratio is the low end of what is known through our own, and shown as median (lowest … highest)."
)


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    sizes = QUICK if options.quick else FULL
    if options.rounds is not None:
        sizes = replace(sizes, rounds=options.rounds)
    command = " ".join(["python -m tests.bench.cluster", *argv])
    with tempfile.TemporaryDirectory(prefix="kctl-bench-") as directory:
        try:
            machine = machine_facts(Path(directory), options.storage)
        except EtcdUnusable as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        tables = uvloop.run(measure(sizes, options.storage, Path(directory), only=options.only))
    print(as_text(machine, tables, command, heading=HEADING))
    if options.json is not None:
        options.json.write_text(as_json(machine, tables, command) + "\n", encoding="utf-8")
    return 0


def machine_facts(directory: Path, kind: StorageKind) -> dict[str, str]:
    told = facts(directory, needs_etcd=kind is StorageKind.ETCD)
    told.pop("object")
    sizes = {subject.name: len(orjson.dumps(subject.make("put-c16-0-0", 0))) for subject in SUBJECTS}
    return told | {
        "served from": kind.value,
        "objects": ", ".join(f"a {name} of {size:,} bytes, as sent" for name, size in sizes.items()),
        "known": kube.SOURCE,
    }


async def measure(sizes: Sizes, kind: StorageKind, directory: Path, *, only: str = "") -> list[Table]:
    """In every round each scenario is run on both servers, one after the other. `only` is what its name begins with."""
    results = [Result(each) for each in scenarios(sizes) if each.name.startswith(only)]
    async with (
        served(kind, directory / "managed", PLANE) as managed,
        served(kind, directory / UNMANAGED, PLANE, UNMANAGED) as unmanaged,
    ):
        for each in (managed, unmanaged):
            await _prepare(each)
        for number in range(sizes.rounds):
            for result in results:
                print(f"measuring: {result.scenario.name}, round {number + 1} of {sizes.rounds}", file=sys.stderr)
                before = seconds_in(directory / "managed" / METER)
                result.samples.append(await result.scenario.run(managed, number))
                result.managing.append(seconds_in(directory / "managed" / METER) - before)
                if not result.scenario.needs_managers:
                    result.unmanaged.append(await result.scenario.run(unmanaged, number))
    return [result.table() for result in results]


async def _prepare(server: Served) -> None:
    """A namespace to write to; and schemas are compiled when they are first met, which is no part of any scenario."""
    async with connections(server.place, 1, Connection) as (connection,):
        await connection.ask(namespace())
        for subject in SUBJECTS:
            await connection.ask(subject.creation("first"))


def _options(argv: Sequence[str]) -> argparse.Namespace:
    made = parser("tests.bench.cluster", __doc__)
    made.add_argument(
        "--storage",
        type=StorageKind,
        choices=list(StorageKind),
        default=StorageKind.ETCD,
        metavar="STORE",
        help="etcd (the default), sqlite or memory",
    )
    made.add_argument("--only", default="", metavar="NAME", help="the scenarios whose names begin so")
    return made.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
