"""A file that is written aside and renamed is written by `write_atomically`, which syncs it and its name.

Each of the others has its reason here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.sources import trees

OTHERS = {
    "localplane/apiserver/storage/sqlite/schema.py:_create": "SQLite writes the file; it and its name are synced",
    "localplane/apiserver/storage/etcd/program/process.py:_append": "a log that is full gets another name",
    "localplane/temporary.py:_locked_before_it_is_seen": "it is empty, and a lock that no power cut outlasts",
}
CREATES = {"mkstemp", "NamedTemporaryFile", "O_CREAT"}
RENAMES = {"rename", "replace"}


def _functions(package: str) -> Iterator[tuple[str, ast.AST]]:
    for path, tree in trees([package], CREATES):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path}:{node.name}", node


def _creates(node: ast.AST) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and part.attr in CREATES)
        or (isinstance(part, ast.Name) and part.id in CREATES)
        for part in ast.walk(node)
    )


def _renames(node: ast.AST) -> bool:
    """By a method with one argument, or os's function with two: text is replaced with two, and so is a dataclass."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in RENAMES:
            of_os = isinstance(part.func.value, ast.Name) and part.func.value.id == "os"
            if len(part.args) == (2 if of_os else 1):
                return True
    return False


def test_what_the_server_keeps_is_written_so_that_a_power_cut_leaves_the_old_or_the_new() -> None:
    found = {name for name, node in _functions("localplane") if _creates(node) and _renames(node)}
    assert found == set(OTHERS)
