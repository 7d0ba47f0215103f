"""`kctl alpha`: there is nothing in it, and it says so."""

from __future__ import annotations

import re

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl

SAID = Outcome(0, "", "No alpha commands are available in this version of kctl\n")


@pytest.mark.parametrize("line", ["alpha", "alpha --help", "alpha words", "help alpha", "alpha -n x"])
def test_nothing_is_there(line: str, run_kctl: Kctl) -> None:
    assert run_kctl(*line.split()) == SAID


def test_a_flag_is_refused(run_kctl: Kctl) -> None:
    stderr = "error: unknown flag: --colours\nSee 'kctl alpha --help' for usage.\n"
    assert run_kctl("alpha", "--colours") == Outcome(1, "", stderr)


def test_it_is_not_listed(run_kctl: Kctl) -> None:
    listed = re.findall(r"^  ([a-z-]+)  ", run_kctl("--help").stdout, re.MULTILINE)
    assert {"annotate", "api-resources", "api-versions", "apply"} <= {*listed}
    assert "alpha" not in listed
