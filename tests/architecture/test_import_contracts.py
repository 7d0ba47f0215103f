"""The import contracts hold, and they would notice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FORBIDDEN = [
    ("kctl/errors.py", "import localplane.apiserver.storage.errors"),
    ("kctl/commands/version.py", "import localplane.apiserver.storage.etcd.program.binary"),
    ("kctl/commands/version.py", "import kctl.commands.etcd"),
    ("kctl/errors.py", "import kctl.cli"),
    ("localplane/apiserver/storage/errors.py", "import kctl.errors"),
    ("localplane/apiserver/storage/backend.py", "import localplane.apiserver.storage.etcd.program.binary"),
    ("localplane/apiserver/storage/drawer.py", ""),
]


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


@pytest.mark.parametrize(("path", "line"), FORBIDDEN, ids=[f"{path}: {line}" for path, line in FORBIDDEN])
def test_a_wrong_import_is_noticed(path: str, line: str, tmp_path: Path) -> None:
    for package in ("kctl", "localplane"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / path).open("a") as module:
        module.write(f"\n{line}\n")
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stdout
    assert "BROKEN" in done.stdout or "exhaustive" in done.stdout or "not listed" in done.stdout
