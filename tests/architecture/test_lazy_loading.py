"""Lazy loading changes when a module is loaded, and nothing else: without it, all of kctl are ordinary imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for package in ("kctl", "localplane/apimachinery", "localplane/client", "localplane/tls")
    for file in sorted((ROOT / package).rglob("*.py"))
}
EAGERLY = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
assert "kctl.lazy" not in sys.modules
"""
LAZILY = """
from kctl import lazy
lazy.install()
from kctl.printers import table
import pathlib
assert not lazy.is_loaded(table) and not lazy.is_loaded(pathlib)
assert table.__file__.endswith("kctl/printers/table.py") and not lazy.is_loaded(table)
assert table.TabWriter.__module__ == "kctl.printers.table"
assert lazy.is_loaded(table) and not lazy.is_loaded(pathlib)
assert pathlib.Path.__module__.startswith("pathlib")
try:
    from kctl.printers import missing
except ImportError as error:
    assert error.name == "kctl.printers"
else:
    raise AssertionError
"""


def test_nothing_is_imported_in_a_circle() -> None:
    TopologicalSorter({name: _imported(name) for name in FILES if name.startswith("kctl")}).prepare()


def test_every_module_can_be_imported_without_it() -> None:
    names = [
        name for name in FILES if name.startswith("kctl.") and name not in ("kctl.__main__", "kctl.cli", "kctl.lazy")
    ]
    subprocess.run([sys.executable, "-c", EAGERLY, *names], cwd=ROOT, check=True)


def test_a_module_is_loaded_by_its_first_use() -> None:
    subprocess.run([sys.executable, "-c", LAZILY], cwd=ROOT, check=True)


def _imported(name: str) -> set[str]:
    """By statements that run when the module does."""
    found = set()
    for statement in ast.parse(FILES[name].read_text()).body:
        if isinstance(statement, ast.ImportFrom) and not statement.level:
            for alias in statement.names:
                below = f"{statement.module}.{alias.name}"
                found.add(below if below in FILES else str(statement.module))
        elif isinstance(statement, ast.Import):
            found.update(alias.name for alias in statement.names)
    return found - {name}
