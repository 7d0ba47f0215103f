"""Runs every scenario against one server and tells what came of it: `python -m tests.bench.http --help`."""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import uvloop

from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable
from localplane.library import StorageKind
from tests.bench.figures import Table
from tests.bench.http import kube, reads, starts, watches, writes
from tests.bench.http.load import table_of
from tests.bench.http.serving import served
from tests.bench.http.sizes import FULL, QUICK, Sizes
from tests.bench.http.subjects import WRITTEN, body
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.report import as_json, as_text

HEADING = (
    "Over HTTPS: one run on one machine. Medians over the rounds, beside what is known of another server; a ratio is\n"
    "the low end of what is known through our own, and shown as median (lowest … highest)."
)


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    sizes = QUICK if options.quick else FULL
    if options.rounds is not None:
        sizes = replace(sizes, rounds=options.rounds)
    command = " ".join(["python -m tests.bench.http", *argv])
    allow_many_connections()
    with tempfile.TemporaryDirectory(prefix="kctl-bench-") as directory:
        try:
            machine = machine_facts(Path(directory), options.storage)
        except EtcdUnusable as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        tables = uvloop.run(measure(sizes, options.storage, Path(directory)))
    print(as_text(machine, tables, command, heading=HEADING))
    if options.json is not None:
        options.json.write_text(as_json(machine, tables, command) + "\n", encoding="utf-8")
    return 0


def machine_facts(directory: Path, kind: StorageKind) -> dict[str, str]:
    told = facts(directory, needs_etcd=kind is StorageKind.ETCD)
    return told | {
        "served from": kind.value,
        "object": f"{len(body(WRITTEN, 'c32-0-000000'))} bytes, as sent",
        "known": kube.SOURCE,
    }


async def measure(sizes: Sizes, kind: StorageKind, directory: Path) -> list[Table]:
    """All scenarios, one after the other, in every round; starts come first, each with a server of its own."""
    _say("starts")
    tables = await starts.measure(sizes, kind, directory)
    scenarios = [*reads.scenarios(sizes), *writes.scenarios(sizes), *watches.scenarios(sizes)]
    async with served(kind, directory / "served") as server:
        _say(f"{sizes.objects + sizes.few_objects:,} objects into {kind}")
        await writes.seed(server, sizes)
        for number in range(sizes.rounds):
            for scenario in scenarios:
                _say(f"{scenario.name}, round {number + 1} of {sizes.rounds}")
                scenario.samples.append(await scenario.run(server, number))
    return tables + [table_of(scenario) for scenario in scenarios]


def allow_many_connections() -> None:
    """A thousand watchers are a thousand files on either side; the server inherits what is allowed here."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _say(what: str) -> None:
    print(f"measuring: {what}", file=sys.stderr, flush=True)


def _options(argv: Sequence[str]) -> argparse.Namespace:
    made = parser("tests.bench.http", __doc__)
    made.add_argument(
        "--storage",
        type=StorageKind,
        choices=list(StorageKind),
        default=StorageKind.ETCD,
        metavar="STORE",
        help="etcd (the default), sqlite or memory",
    )
    return made.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
