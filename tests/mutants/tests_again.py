"""The part of pytest that runs tests against a kctl that forgets a flag: `-p tests.mutants.tests_again --mutants VERB`.

First all tests are run as they are, and it is noted which gives which flags. Then, for each flag of the verb, those
that give it are run until one fails. All of it is one session, so that they share its planes. A test that fails is run
once more with nothing forgotten, to see that it can be; one that can't is believed, and the log says so.

A line that failed before is left as it is at first: that a wrong value is refused tells nothing about the right ones.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.command_lines import FlagOf, flags_of
from tests.mutants.forgetful import COUNTER, FORGETS, LINES, NOTES

NOTICED, BY_ERRORS, IGNORED, NEVER_GIVEN = "noticed", "errors only", "ignored", "never given"
MOST = 10
"""Tests that are run for one flag before it counts as ignored."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`test` is the one that noticed."""

    flag: str
    verdict: str
    test: str = ""


@dataclass(slots=True)
class Given:
    """A flag in a test: how each line ended that gives it, and how many flags the shortest of them has."""

    succeeded: list[bool] = field(default_factory=list)
    fewest: int = 1000

    def lines(self, *, that_succeeded: bool) -> list[int]:
        return [number for number, success in enumerate(self.succeeded) if success or not that_succeeded]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mutants", action="append", help="a verb whose flags are forgotten, or one flag of it: 'drain --force'"
    )
    parser.addoption("--verdicts", type=Path, help="file for what becomes of it")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("mutants"):
        config.pluginmanager.register(TestsAgain(config), "tests-again")


class TestsAgain:
    __test__ = False

    def __init__(self, config: pytest.Config) -> None:
        self._flags = [flag for subject in config.getoption("mutants") for flag in _flags_of(subject)]
        self._verdicts: Path = config.getoption("verdicts")
        self._notes, self._counter = self._verdicts.with_suffix(".notes"), self._verdicts.with_suffix(".counter")
        self._environ: Mapping[str, str] = {}
        self._failed = False
        self._run_again: set[str] = set()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        given = self._as_they_are(session.items)
        for flag in self._flags:
            tests = {items[test]: told for test, told in given.get(str(flag), {}).items()}
            verdict = self._judged(flag, tests)
            with self._verdicts.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(verdict)) + "\n")
        return True

    def _as_they_are(self, items: Sequence[pytest.Item]) -> dict[str, dict[str, Given]]:
        """Which tests give a flag; those that fail by themselves are left out."""
        self._notes.unlink(missing_ok=True)
        self._environ = {NOTES: str(self._notes)}
        passed = {item.nodeid for item, after in zip(items, [*items[1:], None], strict=True) if self._run(item, after)}
        notes = [json.loads(line) for line in self._notes.read_text().splitlines()] if self._notes.exists() else []
        codes = {note["line"]: note["code"] for note in notes if "code" in note}
        tests: dict[str, dict[str, Given]] = {}
        for note in (note for note in notes if "flags" in note):
            test = note["test"].rpartition(" ")[0]
            for flag in note["flags"] if test in passed else ():
                told = tests.setdefault(flag, {}).setdefault(test, Given())
                told.succeeded.append(codes.get(note["line"], 0) == 0)
                told.fewest = min(told.fewest, len(note["flags"]))
        return tests

    def _judged(self, flag: FlagOf, tests: Mapping[pytest.Item, Given]) -> Verdict:
        if not tests:
            return Verdict(str(flag), NEVER_GIVEN)
        for verdict, that_succeeded in ((NOTICED, True), (BY_ERRORS, False)):
            chosen = [item for item, told in tests.items() if told.lines(that_succeeded=that_succeeded)]
            for item in sorted(chosen, key=lambda item: tests[item].fewest)[:MOST]:
                if self._notices(item, flag, tests[item].lines(that_succeeded=that_succeeded)):
                    return Verdict(str(flag), verdict, item.nodeid)
        return Verdict(str(flag), IGNORED)

    def _notices(self, item: pytest.Item, flag: FlagOf, lines: Sequence[int]) -> bool:
        self._counter.write_text("")
        self._environ = {FORGETS: str(flag), LINES: ",".join(map(str, lines)), COUNTER: str(self._counter)}
        if self._run(item, _beside(item)):
            return False
        if item.nodeid not in self._run_again:
            self._environ = {}
            self._run_again.add(item.nodeid)
            if not self._run(item, _beside(item)):
                print(f"\n{item.nodeid} can be run only once")
        return True

    def _run(self, item: pytest.Item, after: pytest.Item | None) -> bool:
        """Whether it passes."""
        self._failed = False
        again: Any = item
        again._initrequest()  # as plugins do that run a test again
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        return not self._failed

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """Not while a fixture is made that others use, too."""
        os.environ.update(self._environ)
        try:
            return (yield)
        finally:
            for name in self._environ:
                del os.environ[name]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed


def _flags_of(subject: str) -> list[FlagOf]:
    verb, dashes, _ = subject.partition(" --")
    known = flags_of(verb.split(maxsplit=1)[0])
    return [flag for flag in known if (str(flag) == subject if dashes else f"{flag.command} ".startswith(f"{verb} "))]


def _beside(item: pytest.Item) -> pytest.Item | None:
    """Another one, best of the same file: what they share stays."""
    others = [other for other in item.session.items if other is not item]
    return next((other for other in others if other.parent is item.parent), others[0] if others else None)
