"""What the server uses of aiohttp without aiohttp having promised it: few names, all of them still there."""

from __future__ import annotations

import ast
import inspect
import tomllib
from pathlib import Path

from aiohttp.web_protocol import RequestHandler

from localplane.apiserver.server.http import connection
from localplane.apiserver.server.http.connection import ClientConnection

UNPROMISED = {"_close", "_current_request", "_loop", "_messages", "_request_count"}


def _own_names(cls: type) -> set[str]:
    return {*vars(cls), *getattr(cls, "__slots__", ())}


def _names_of_self() -> set[str]:
    (tree,) = (
        node
        for node in ast.parse(inspect.getsource(connection)).body
        if isinstance(node, ast.ClassDef) and node.name == ClientConnection.__name__
    )
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    }


def test_a_connection_uses_these_and_no_others() -> None:
    inherited = _names_of_self() - _own_names(ClientConnection)
    assert {name for name in inherited if name.startswith("_")} == UNPROMISED


def test_all_of_them_are_there() -> None:
    there = {name for cls in RequestHandler.__mro__ for name in _own_names(cls)}
    assert UNPROMISED - there == set()


def test_another_minor_version_is_not_installed_by_itself() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (bound,) = (dependency for dependency in project["dependencies"] if dependency.startswith("aiohttp"))
    assert "<3.15" in bound
