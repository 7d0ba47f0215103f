"""A package's docstring is its map: it names every module and package that lives in it."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import kctl

TABLES = ("kctl.commands",)
"""Whose modules a table lists: `kctl.command_line.verbs`."""
PACKAGES = [
    "kctl",
    *(
        found.name
        for found in pkgutil.walk_packages(kctl.__path__, "kctl.")
        if found.ispkg and found.name not in TABLES
    ),
]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_module_is_named_by_its_package(name: str) -> None:
    package = importlib.import_module(name)
    modules = [module.name for module in pkgutil.iter_modules(package.__path__) if module.name != "__main__"]
    docstring = package.__doc__ or ""
    assert [module for module in modules if not re.search(rf"\b{module}\b", docstring)] == []
