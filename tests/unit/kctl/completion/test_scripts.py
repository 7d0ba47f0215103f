"""The scripts that are shipped."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kctl.completion.scripts import FILES, SCRIPTS

ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_that_are_shipped_are_current(shell: str) -> None:
    assert (ROOT / "completions" / FILES[shell]).read_text() == SCRIPTS[shell]


def test_bash_can_read_its_script() -> None:
    subprocess.run(["bash", "-n", str(ROOT / "completions" / FILES["bash"])], check=True)
