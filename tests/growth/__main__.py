"""Measures everything that reads, merges, compares, writes or prints, with inputs as large as a given time allows:
`python -m tests.growth --help`.

All of it is measured in any case, however little time there is: what is short of time is measured with smaller inputs.
Every family has its portion of the time and every input its share of that; what one does not need goes to those that
come later.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

from tests.growth.measuring import HIGHEST_EXPONENT, Growth, growth_within
from tests.growth.subjects import Subject, fields, objects, texts, works

_TIMES_MODERATE = 16
_SHOWN = 20
_PORTIONS = {"works": 1, "texts": 3, "fields": 3, "objects": 3}

P = ParamSpec("P")
T = TypeVar("T")
Findings = Mapping[str, Growth]


@dataclass(slots=True)
class Account:
    """What came of it, by family, subject and input."""

    growths: dict[tuple[str, str, str], Growth] = field(default_factory=dict)
    subjects: Counter[str] = field(default_factory=Counter)
    whole: Counter[str] = field(default_factory=Counter)
    """How many inputs were measured at their largest."""

    def add(self, family: str, subject: Subject, findings: Findings) -> None:
        self.subjects[family] += 1
        largest = _TIMES_MODERATE * subject.moderate
        for name, growth in findings.items():
            self.growths[family, subject.name, name] = growth
            self.whole[family] += growth.large >= largest

    def too_fast(self) -> list[str]:
        return [line for growth, line in self._worst() if growth.exponent >= HIGHEST_EXPONENT]

    def _worst(self) -> list[tuple[Growth, str]]:
        worst = sorted(self.growths.items(), key=lambda item: -item[1].exponent)
        return [(growth, f"{family}: {subject}: {name}: {growth}") for (family, subject, name), growth in worst]

    def lines(self) -> Iterator[str]:
        inputs = Counter(family for family, _, _ in self.growths)
        for family, number in inputs.items():
            yield (
                f"{family}: {self.subjects[family]:,} functions or places, {number:,} inputs in all, "
                f"{self.whole[family]:,} of them measured at {_TIMES_MODERATE} times the size of the tests"
            )
        yield f"all: {sum(self.subjects.values()):,} functions or places, {len(self.growths):,} inputs"
        yield ""
        yield f"The {_SHOWN} that grow fastest; {HIGHEST_EXPONENT} is too fast:"
        yield from (f"  {line}" for _, line in self._worst()[:_SHOWN])


@cache
def families() -> Mapping[str, Sequence[Subject]]:
    return {
        "works": tuple(works()),
        "texts": tuple(texts()),
        "fields": tuple(fields()),
        "objects": tuple(objects(again=True)),
    }


def measured(family: str, index: int, seconds: float) -> Findings:
    """In a process that has made the same subjects."""
    subject = families()[family][index]
    ends = time.monotonic() + seconds
    found: dict[str, Growth] = {}
    for name, work in subject.inputs.items():
        share = max(0.0, ends - time.monotonic()) / (len(subject.inputs) - len(found))
        largest = _TIMES_MODERATE * subject.moderate
        found[name] = growth_within(work, smallest=largest // 64, largest=largest, seconds=share)
    return found


def measure(chosen: Collection[str], *, seconds: float, jobs: int) -> Account:
    account = Account()
    ends = time.monotonic() + seconds
    portions = {family: _PORTIONS[family] for family in _PORTIONS if family in chosen}
    with _Here() if jobs == 1 else ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        while portions:
            whole = sum(portions.values())
            family, portion = next(iter(portions.items()))
            _measure_family(account, pool, family, (ends - time.monotonic()) * portion / whole, jobs)
            del portions[family]
    return account


class _Here(Executor):
    """One process needs no other."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _measure_family(account: Account, pool: Executor, family: str, seconds: float, jobs: int) -> None:
    subjects = families()[family]
    ends = time.monotonic() + seconds
    waiting, left = list(enumerate(subjects)), sum(len(subject.inputs) for subject in subjects)
    waiting.reverse()
    running: dict[Future[Findings], Subject] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            index, subject = waiting.pop()
            share = max(0.0, ends - time.monotonic()) * jobs * len(subject.inputs) / left
            left -= len(subject.inputs)
            running[pool.submit(measured, family, index, share)] = subject
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            account.add(family, running.pop(future), future.result())
        _say(f"{len(account.growths):,} inputs; of {family}, {left:,} are left")


def _say(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[Kmeasured: {what}", end="", file=sys.stderr, flush=True)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.growth", description=__doc__)
    parser.add_argument("--minutes", type=float, default=18.0, help="how long it may take, about (18)")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes measure (2)")
    parser.add_argument("--only", action="append", choices=_PORTIONS, help="this family (repeatable)")
    options = parser.parse_args(argv)
    begun = time.monotonic()
    account = measure(options.only or _PORTIONS, seconds=options.minutes * 60, jobs=max(1, options.jobs))
    too_fast = account.too_fast()
    print("\n".join(chain(account.lines(), [""], too_fast and ["Too fast:", *too_fast])))
    print(f"{len(too_fast)} too fast, after {(time.monotonic() - begun) / 60:.1f} minutes")
    return 1 if too_fast else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
