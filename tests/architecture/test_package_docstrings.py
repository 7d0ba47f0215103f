"""A package's docstring is its map: it names every module and package that lives in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = ("kctl/commands",)
"""Whose modules a table lists: `kctl.command_line.verbs`."""
PACKAGES = [
    name
    for file in sorted((ROOT / "kctl").rglob("__init__.py"))
    if (name := str(file.parent.relative_to(ROOT))) not in TABLES
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_is_named_by_its_package(package: str) -> None:
    docstring = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))) or ""
    modules = {file.stem for file in (ROOT / package).glob("*.py")} - {"__init__", "__main__"}
    packages = {file.parent.name for file in (ROOT / package).glob("*/__init__.py")}
    assert [name for name in sorted(modules | packages) if not re.search(rf"\b{name}\b", docstring)] == []
