"""The references have every public name, as its docstring tells it now, and an example that uses it."""

from __future__ import annotations

import ast
import importlib

import pytest

from tests.e2e.guides import references
from tests.e2e.guides.blocks import blocks


def _text(guide: str) -> str:
    return (references.FOLDER / f"{guide}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("guide", "package"), references.PACKAGES.items())
def test_every_public_name_has_one_entry(guide: str, package: str) -> None:
    assert sorted(references.named(_text(guide))) == sorted(importlib.import_module(package).__all__)


@pytest.mark.parametrize("guide", references.PACKAGES)
def test_entries_are_current(guide: str) -> None:
    """If not: `make guides ARGS=references` writes them again."""
    assert references.written(_text(guide)) == _text(guide)


@pytest.mark.parametrize(("guide", "package"), references.PACKAGES.items())
def test_every_public_name_is_documented_where_it_is_defined(guide: str, package: str) -> None:
    module = importlib.import_module(package)
    silent = [name for name in module.__all__ if not references.documented(package, name, getattr(module, name))]
    assert silent == []


@pytest.mark.parametrize(("guide", "package"), references.PACKAGES.items())
def test_every_public_name_is_used_in_an_example(guide: str, package: str) -> None:
    """Beyond its import. That the examples run is what `test_guides` sees."""
    programs = [ast.parse(block.text) for block in blocks(_text(guide)) if block.language == "python"]
    nodes = [node for program in programs for node in ast.walk(program)]
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    used |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    assert [name for name in importlib.import_module(package).__all__ if name not in used] == []
