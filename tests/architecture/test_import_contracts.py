"""The import contracts hold, and they would notice."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FORBIDDEN = [
    ("kctl.errors", "localplane.apiserver.storage.errors"),
    ("kctl.commands.version", "localplane.apiserver.storage.etcd.program.binary"),
    ("kctl.commands.version", "kctl.commands.etcd"),
    ("kctl.errors", "kctl.cli"),
    ("localplane.apiserver.storage.errors", "kctl.errors"),
    ("localplane.apiserver.storage.backend", "localplane.apiserver.storage.etcd.program.binary"),
]
"""Who must not import whom."""
ARROW = re.compile(r"[a-z_.]+ -> [a-z_.]+")


def lint_imports(directory: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    if not program.exists():
        pytest.skip("import-linter is not installed")
    return subprocess.run(
        [program, "--no-cache"],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(directory), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_contracts_are_kept() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in ("kctl", "localplane"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_wrong_import_is_noticed(copy: Path) -> None:
    for importer, imported in FORBIDDEN:
        with (copy / importer.replace(".", "/")).with_suffix(".py").open("a") as module:
            module.write(f"\nimport {imported}\n")
    done = lint_imports(copy)
    assert done.returncode == 1, done.stdout
    told = {tuple(arrow.split(" -> ")) for arrow in ARROW.findall(done.stdout)}
    assert sorted(set(FORBIDDEN) - told) == [], done.stdout


def test_a_room_that_no_contract_names_is_noticed(copy: Path) -> None:
    (copy / "localplane" / "apiserver" / "storage" / "drawer.py").touch()
    done = lint_imports(copy)
    assert done.returncode == 1, done.stdout
    assert "drawer" in done.stdout
