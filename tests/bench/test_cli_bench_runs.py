"""The benchmark of the command line runs, and what it says can be true. How fast anything is, is not asserted."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from tests.bench import cli


def test_every_command_is_measured_on_both_sides(tmp_path: Path) -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("there is no kubectl to compare with")
    wall, processor = cli.measure(cli.PROOF, kubectl, tmp_path)
    for table in (wall, processor):
        assert len(table.figures) == 6
        for figure in table.figures:
            assert set(figure.sides) == {cli.KCTL, cli.KUBECTL, cli.FLOOR}
            assert all(0 < spread.median < math.inf for spread in figure.sides.values())
            assert figure.ratio is not None


def test_a_command_that_fails_is_not_measured(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nothing of the kind"):
        cli.cost_of(["sh", "-c", "echo nothing of the kind; exit 1"], tmp_path)
