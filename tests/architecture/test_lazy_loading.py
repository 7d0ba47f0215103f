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
IN_THREADS = """
import sys, threading
from kctl import lazy
sys.path.insert(0, sys.argv[1])
sys.begun = threading.Event()
lazy._PACKAGES = ("idle.",)
lazy.install()
from idle import one
eager = threading.Thread(target=__import__, args=("eager",), daemon=True)
using = threading.Thread(target=lambda: one.value, daemon=True)
eager.start()
using.start()
eager.join(50)
using.join(50)
assert not eager.is_alive() and not using.is_alive()
"""
MODULES = {
    "eager.py": "import sys; sys.begun.wait(); import idle.other.two",
    "idle/__init__.py": "",
    "idle/one.py": "import sys; sys.begun.set(); import eager; value = 1",
    "idle/other/__init__.py": "",
    "idle/other/two.py": "",
}


def test_nothing_is_imported_in_a_circle() -> None:
    TopologicalSorter({name: _imported(name) for name in FILES if name.startswith("kctl")}).prepare()


def test_every_module_can_be_imported_without_it() -> None:
    names = [
        name for name in FILES if name.startswith("kctl.") and name not in ("kctl.__main__", "kctl.cli", "kctl.lazy")
    ]
    subprocess.run([sys.executable, "-c", EAGERLY, *names], cwd=ROOT, check=True)


def test_a_module_is_loaded_by_its_first_use() -> None:
    subprocess.run([sys.executable, "-c", LAZILY], cwd=ROOT, check=True)


def test_threads_do_not_wait_for_one_another(tmp_path: Path) -> None:
    """One loads a module by using it, which imports what the other is importing, which imports one more to be loaded
    some day."""
    for name, code in MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code)
    subprocess.run([sys.executable, "-c", IN_THREADS, str(tmp_path)], cwd=ROOT, check=True)


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
