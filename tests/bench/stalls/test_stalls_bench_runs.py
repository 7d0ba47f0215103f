"""The benchmark runs, and tells of every row. How long anything takes is not asserted."""

from __future__ import annotations

import pytest

from tests.bench.stalls import __main__ as program
from tests.bench.stalls.rows import rows


def test_every_row_is_asked_for_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--objects", "100", "--quick"]) == 0
    told = capsys.readouterr().out
    for name in [row.name for row in rows()] + ["the first seconds after a start"]:
        assert f"\n{name} " in told


def test_a_bound_that_is_broken_is_a_failure() -> None:
    assert program.main(["--objects", "1", "--quick", "--only", "metrics", "--at-most", "0.000001"]) == 1
