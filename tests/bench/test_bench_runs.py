"""The benchmarks run, and what they say can be true. How fast anything is, is not asserted."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import uvloop

from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable, find_etcd
from tests.bench import storage
from tests.bench.figures import Aim, Comparison, Spread, Table
from tests.bench.machine import facts
from tests.bench.processes import clock_reading
from tests.bench.report import as_json, as_text
from tests.bench.sizes import PROOF

SCENARIOS = (
    "create, one at a time",
    "create, 8 at once",
    "update, one at a time",
    "update, 8 at once",
    "update, the same object over and over",
    "get, one at a time",
    "get, 8 at once",
    "list of 20 objects of 1 KB",
    "one event to all watchers",
    "create on each store, one at a time",
    "create on each store, 8 at once",
    "start",
    "memory with 20 objects of 1 KB in the cache",
)


def test_every_scenario_runs_and_its_figures_can_be_true(tmp_path: Path) -> None:
    try:
        find_etcd()
    except EtcdUnusable as error:
        pytest.skip(str(error))
    tables = uvloop.run(storage.measure(PROOF, tmp_path))

    assert tuple(table.title for table in tables) == SCENARIOS
    for table in tables:
        assert table.figures, table.title
        for figure in table.figures:
            assert set(figure.sides) <= set(table.sides)
            for spread in (*figure.sides.values(), *([figure.ratio] if figure.ratio else [])):
                assert 0 <= spread.lowest <= spread.median <= spread.highest < math.inf, (table.title, figure)
            if table.comparison is not None and figure.name in ("time", "from the write's call", "CPU, both"):
                assert figure.ratio is not None, (table.title, figure)
                assert figure.ratio.lowest > 0, (table.title, figure)

    machine = facts(tmp_path)
    told = json.loads(as_json(machine, tables, "again"))
    assert [scenario["title"] for scenario in told["scenarios"]] == list(SCENARIOS)
    text = as_text(machine, tables, "the command that repeats it")
    assert "the command that repeats it" in text
    assert all(title in text for title in SCENARIOS)


def test_a_ratio_is_taken_within_each_round() -> None:
    table = Table("a table", ("bare", "cached"), Comparison("cached", "bare"))
    table.add("time", "ms", {"bare": [1.0, 10.0, 100.0], "cached": [2.0, 30.0, 100.0]})
    assert table.figures[0].ratio == Spread(median=2.0, lowest=1.0, highest=3.0)
    assert table.figures[0].sides["cached"] == Spread(median=30.0, lowest=2.0, highest=100.0)


@pytest.mark.parametrize(
    ("aim", "met"),
    [
        (Aim(at_most=2.0), True),
        (Aim(at_most=1.9), False),
        (Aim(at_least=2.0), True),
        (Aim(at_least=2.1), False),
        (Aim(at_most=19.0, of="cached"), False),
        (Aim(at_most=20.0, of="cached"), True),
    ],
)
def test_an_aim_is_met_by_the_median(aim: Aim, *, met: bool) -> None:
    table = Table("a table", ("bare", "cached"), Comparison("cached", "bare"))
    table.add("time", "ms", {"bare": [10.0], "cached": [20.0]}, aim=aim)
    assert table.figures[0].met is met
    assert ("MISSED" in as_text({}, [table], "again")) is not met


def test_what_nobody_aims_at_is_neither_met_nor_missed() -> None:
    table = Table("a table", ("bare",))
    table.add("time", "ms", {"bare": [10.0]})
    assert table.figures[0].met is None


def test_a_run_without_etcd_says_so_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KCTL_ETCD", str(tmp_path / "nothing-here"))
    assert storage.main(["--quick"]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_no_rounds_are_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        storage.main(["--rounds", "0"])
    assert exited.value.code == 2
    assert "at least one round" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "seconds"), [("0:01.50", 1.5), ("2:00.00", 120.0), ("1:00:00", 3600.0)])
def test_the_time_that_ps_shows_is_read_as_seconds(text: str, seconds: float) -> None:
    assert clock_reading(text) == seconds
