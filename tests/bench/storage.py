"""Runs every scenario and tells what came of it: `python -m tests.bench.storage --help`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import uvloop

from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable
from localplane.compose.options import StorageKind
from tests.bench import reads, starts, stores, watches, writes
from tests.bench.figures import Table
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.report import as_json, as_text
from tests.bench.sizes import FULL, QUICK, Sizes
from tests.bench.subjects import seed


def main(argv: Sequence[str]) -> int:
    options = parser("tests.bench.storage", __doc__).parse_args(argv)
    sizes = QUICK if options.quick else FULL
    if options.rounds is not None:
        sizes = replace(sizes, rounds=options.rounds)
    command = " ".join(["python -m tests.bench.storage", *argv])
    with tempfile.TemporaryDirectory(prefix="kctl-bench-") as directory:
        try:
            machine = facts(Path(directory))
        except EtcdUnusable as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        tables = uvloop.run(measure(sizes, Path(directory)))
    print(as_text(machine, tables, command))
    if options.json is not None:
        options.json.write_text(as_json(machine, tables, command) + "\n", encoding="utf-8")
    return 0


async def measure(sizes: Sizes, directory: Path) -> list[Table]:
    """All scenarios, one after the other."""
    seeded = {kind: directory / f"seeded-{kind}" for kind in (StorageKind.ETCD, StorageKind.SQLITE)}
    _say("writes")
    tables = await writes.measure(sizes, directory)
    for kind, path in seeded.items():
        _say(f"{sizes.objects:,} objects into {kind}")
        await seed(kind, path, objects=sizes.objects)
    _say("starts")
    tables_of_starts = await starts.measure(sizes, directory, seeded)
    _say("reads")
    tables += await reads.measure(sizes, seeded[StorageKind.ETCD])
    _say("watches")
    tables += await watches.measure(sizes, directory / "watches")
    _say("stores side by side")
    tables += await stores.measure(sizes, directory)
    return tables + tables_of_starts


def _say(what: str) -> None:
    print(f"measuring: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
