"""`python -m tests.faults.restores --kills 20`: kill a process while it restores and saves snapshots, again and again.

After each kill the store holds all of one snapshot and nothing else: the last that was acknowledged, or the one that
was under way. Revisions never go back, and the file that was being saved is whole. Exit 0 if so, 1 if not.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import secrets
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO

from localplane.apiserver.storage.backend import KeyValue
from localplane.apiserver.storage.snapshot import Header, Snapshot, check, encode
from localplane.compose.archives import stored_archive
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.storage import open_storage
from localplane.files import write_atomically

LETTERS = "ab"


@dataclass(frozen=True, slots=True)
class Blow:
    """What the next process found after a kill, or that something was lost."""

    begun: str
    done: str
    found: str
    problem: str = ""


def strike(directory: Path, kind: StorageKind, *, kills: int, seed: int, objects: int) -> list[Blow]:
    """Kill so often, and say what was found each time."""
    chance, blows = random.Random(seed), []
    done = begun = ""
    revision = 0
    for number in range(kills + 1):
        with _child(directory, kind, objects) as process:
            assert process.stdout is not None
            found, reached = _said(process.stdout, "found")
            problem = "" if found in (done or "-", begun or "-") else f"{found} is neither {done} nor {begun}"
            if reached < revision:
                problem = f"the store went back from {revision} to {reached}"
            if number:
                blows.append(Blow(begun, done, found, problem or _file_problem(directory)))
            done = begun = "" if found == "-" else found
            revision = reached
            if number < kills:
                done, begun, revision = _let_run(process.stdout, chance, done, revision)
            process.send_signal(signal.SIGKILL)
    return blows


def _let_run(output: IO[str], chance: random.Random, done: str, revision: int) -> tuple[str, str, int]:
    """Until some way into a restore that was begun. Who reads what is still on its way may learn of one more."""
    for _ in range(chance.randrange(1, 4)):
        begun, _ = _said(output, "begun")
        done, revision = _said(output, "done")
    begun, _ = _said(output, "begun")
    with asyncio.Runner() as runner:
        runner.run(asyncio.sleep(chance.random() * 0.15))
    return done, begun, revision


def _said(output: IO[str], word: str) -> tuple[str, int]:
    for line in output:
        said, what, number = line.split()
        if said == word:
            return what, int(number)
    raise AssertionError(f"the process ended before it said {word}")


def _child(directory: Path, kind: StorageKind, objects: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "tests.faults.restores", "--child", str(directory), kind.value, str(objects)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, bufsize=1)


def _file_problem(directory: Path) -> str:
    file = directory / "saved.snapshot"
    if file.exists():
        check(file.read_bytes())
    return ""


def _snapshot(letter: str, objects: int) -> Snapshot:
    """Those of the one have other names than those of the other, but for every third."""
    value = b'{"kind":"ConfigMap","metadata":{},"data":{"letter":"%s","more":"%s"}}' % (letter.encode(), b"x" * 500)
    names = sorted(f"{letter if number % 3 else 'shared'}-{number:05}" for number in range(objects))
    kvs = [KeyValue(f"/configmaps/default/{name}", value, 1) for name in names]
    return Snapshot(Header(1, objects), kvs)


async def _restore_for_ever(directory: Path, kind: StorageKind, objects: int) -> None:
    def say(word: str, letter: str, revision: int) -> None:
        print(word, letter, revision, flush=True)

    snapshots = {letter: _snapshot(letter, objects) for letter in LETTERS}
    async with open_storage(StorageOptions(kind=kind, data_dir=directory / "data")) as storage:
        archive = stored_archive(storage.cacher)
        taken = await archive.take()
        there = {kv.key: kv.value for kv in taken.objects}
        whole = [
            letter for letter, snapshot in snapshots.items() if there == {kv.key: kv.value for kv in snapshot.objects}
        ]
        say("found", whole[0] if whole else "mixed" if there else "-", taken.revision)
        for number in count():
            letter = LETTERS[number % 2] if not whole else LETTERS[(number + LETTERS.index(whole[0]) + 1) % 2]
            say("begun", letter, 0)
            say("done", letter, await archive.restore(snapshots[letter]))
            header = Header(1, objects, store=f"{number}")
            write_atomically(directory / "saved.snapshot", b"".join(encode(header, snapshots[letter].objects)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.restores", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--objects", type=int, default=2_000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        directory, kind, objects = arguments.child
        asyncio.run(_restore_for_ever(Path(directory), StorageKind(kind), int(objects)))
    seed = secrets.randbelow(1_000_000) if arguments.seed is None else arguments.seed
    code = 0
    for kind in (StorageKind.SQLITE, StorageKind.ETCD):
        with tempfile.TemporaryDirectory() as directory:
            blows = strike(Path(directory), kind, kills=arguments.kills, seed=seed, objects=arguments.objects)
        problems = [blow.problem for blow in blows if blow.problem]
        under_way = sum(blow.found == blow.begun for blow in blows)
        print(f"{kind}: {len(blows)} kills, {under_way} of them found what was under way done; seed {seed}")
        for problem in problems:
            print(f"  {problem}")
        code = max(code, int(bool(problems)))
    return code


if __name__ == "__main__":
    sys.exit(main())
