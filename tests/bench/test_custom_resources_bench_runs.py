"""The benchmark of custom resources runs. How fast anything is, is not asserted."""

from __future__ import annotations

import pytest

from tests.bench import custom_resources


async def test_every_figure_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    await custom_resources.measure(2)
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told] == ["a", "an", "2", "started", "discovered"]
    assert int(told[0].split()[3]) > 10_000
