"""The benchmark runs, what it says can be true, and the meter counts. Nothing asserts how fast anything is."""

from __future__ import annotations

import math
import time
from pathlib import Path

import orjson
import pytest
import uvloop

from localplane.compose.options import StorageKind
from tests.bench.cluster import __main__ as program
from tests.bench.cluster.meter import Meter, seconds_in
from tests.bench.cluster.sizes import PROOF
from tests.bench.cluster.subjects import SUBJECTS, Subject
from tests.bench.cluster.writes import scenarios
from tests.bench.http import kube
from tests.bench.report import as_text


def test_every_scenario_runs_and_its_figures_can_be_true(tmp_path: Path) -> None:
    tables = uvloop.run(program.measure(PROOF, StorageKind.MEMORY, tmp_path))

    assert [table.title for table in tables] == [each.name for each in scenarios(PROOF)]
    for table in tables:
        for figure in table.figures:
            for spread in figure.sides.values():
                assert 0 <= spread.lowest <= spread.median <= spread.highest < math.inf, (table.title, figure)
        figures = {figure.name: figure.sides[kube.OURS].median for figure in table.figures}
        assert 0 < figures["their share"] < 100, table.title
        assert ("CPU, without them" in figures) is not table.title.startswith("apply"), table.title
    machine = program.machine_facts(tmp_path, StorageKind.MEMORY)
    assert "again        the command" in as_text(machine, tables, "the command", heading=program.HEADING)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_subject_is_as_large_as_it_is_said_to_be(subject: Subject) -> None:
    size = len(orjson.dumps(subject.make("put-c16-0-0", 0)))
    assert round(size / 1000) == {"configmap": 1, "deployment": 4}[subject.name]


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_change_says_which_turn_it_is(subject: Subject) -> None:
    for request in (subject.merge_patch("a", 6), subject.strategic_patch("a", 6), subject.application("a", 7)):
        assert request.count(b'"turn":"7"') == 1
    assert b'"turn":"7"' in subject.put("a", orjson.dumps(subject.make("a", 6)), 6)


def test_the_meter_adds_up_what_a_function_costs(tmp_path: Path) -> None:
    def busy(seconds: float) -> float:
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass
        return seconds

    path = tmp_path / "meter"
    metered = Meter(path).metered(busy)
    assert metered(0.01) + metered(0.02) == pytest.approx(0.03)
    assert 0.03 <= seconds_in(path) < 0.1


def test_a_run_without_etcd_says_so_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KCTL_ETCD", str(tmp_path / "nothing-here"))
    assert program.main(["--quick"]) == 1
    assert capsys.readouterr().err.startswith("error: ")
