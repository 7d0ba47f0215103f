"""A command imports what it uses. Each of these costs more than the rest of a start-up together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"aiohttp", "asyncio", "httpx", "rich", "yaml", "orjson", "uvloop", "google.protobuf", "ssl", "watchfiles"}

PROGRAM = """
import sys
from kctl.cli import run
run(sys.argv[1:])
sys.stderr.write("\\n".join(sys.modules))
"""


@pytest.mark.parametrize("line", ["--help", "version", "etcd path", "etcd install --help"])
def test_a_light_command_imports_nothing_heavy(line: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *line.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(done.stderr.split())
    assert "kctl.cli" in imported
    assert imported & HEAVY == set()
