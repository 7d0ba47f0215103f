"""The suites that show how to test with localplane pass, and are short."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.examples.serving import EXAMPLES

SUITES = EXAMPLES / "testing"


@pytest.mark.timeout(600)
def test_they_pass(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "KUBE"))}
    env |= {"HOME": str(tmp_path), "PYTHONPATH": str(EXAMPLES.parent)}
    plugins = ("-p", "no:localplane", "-p", "localplane.testing.plugin", "-p", "no:cacheprovider")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, "."],
        cwd=SUITES,
        env=env,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert re.search(r"\b14 passed", ended.stdout), ended.stdout + ended.stderr


@pytest.mark.parametrize("suite", sorted(SUITES.glob("*.py")), ids=lambda path: path.stem)
def test_each_is_under_sixty_lines(suite: Path) -> None:
    assert len(suite.read_text().splitlines()) < 60
