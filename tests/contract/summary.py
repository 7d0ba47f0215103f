"""Counts what a run has shown: upstream functions passed, per subject.

A function is passed when every test that covers it ran and passed. The counts travel in the test reports, so they
also add up when the tests ran in several processes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.upstream import FUNCTIONS, NOT_APPLICABLE, SUBJECTS, why_not_applicable

_PROPERTY = "contract"


class ContractSummary:
    def __init__(self) -> None:
        self._passed: set[tuple[str, str]] = set()
        self._broken: set[tuple[str, str]] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for covered in _covered(report):
            if report.failed or (report.skipped and not why_not_applicable(*covered)):
                self._broken.add(covered)
            elif report.when == "call" and report.passed:
                self._passed.add(covered)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        seen = {subject for _, subject in (*self._passed, *self._broken)}
        if not seen:
            return
        terminalreporter.section("contract")
        for subject in SUBJECTS:
            if subject in seen:
                terminalreporter.write_line(self._line(subject))
        for function, (subjects, reason) in NOT_APPLICABLE.items():
            terminalreporter.write_line(f"not applicable: {function} on {', '.join(subjects)}: {reason}")

    def _line(self, subject: str) -> str:
        failed = [function for function in FUNCTIONS if (function, subject) in self._broken]
        passed = [function for function in FUNCTIONS if (function, subject) in self._passed and function not in failed]
        apart = [function for function in FUNCTIONS if why_not_applicable(function, subject)]
        missing = len(FUNCTIONS) - len(passed) - len(failed) - len(apart)
        notes = [f"{len(apart)} not applicable"] if apart else []
        notes += [f"{missing} not run"] if missing else []
        notes += [f"failed: {', '.join(failed)}"] if failed else []
        return f"contract: {len(passed)} / {len(FUNCTIONS)} {subject}" + (f" ({'; '.join(notes)})" if notes else "")


def label(items: list[pytest.Item]) -> None:
    """Tell every test's report which function it covers on which subject, and skip what does not apply."""
    for item in items:
        subject = _subject_of(item)
        marker = item.get_closest_marker("upstream")
        if subject is None or marker is None:
            continue
        for function in marker.args:
            if function not in FUNCTIONS:
                raise pytest.UsageError(f"{item.nodeid}: {function} is not in the upstream suite")
            item.user_properties.append((_PROPERTY, [function, subject]))
            reason = why_not_applicable(function, subject)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))


def _subject_of(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get("subject")


def _covered(report: pytest.TestReport) -> Iterator[tuple[str, str]]:
    for name, value in report.user_properties:
        if name == _PROPERTY and isinstance(value, (list, tuple)):
            function, subject = value
            yield function, subject
