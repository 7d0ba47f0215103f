"""What a package of the server says of itself is true: it names what lives in it, and lists nothing that does not.

A module counts as named if the docstring has its name, or if the package itself imports from it and so lists it in
code, as a group of built-in kinds does. ARCHITECTURE.md's tree is held to the same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(path.parent for path in (ROOT / "localplane").rglob("__init__.py"))
_LISTED = re.compile(r"^ *- ((?:`[a-z_0-9]+/?`(?:, | and )?)+)", re.MULTILINE)


def _children(package: Path) -> set[str]:
    modules = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    return modules | {path.parent.name for path in package.glob("*/__init__.py")}


def _tree(package: Path) -> ast.Module:
    return ast.parse((package / "__init__.py").read_bytes())


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from (node.module.split(".")[:1] if node.module else (name.name for name in node.names))


def _offered(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_names_what_lives_in_it(package: Path) -> None:
    tree = _tree(package)
    named = set(re.findall(r"\w+", ast.get_docstring(tree) or "")) | set(_imported(tree))
    assert _children(package) - named == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_package_lists_is_there(package: Path) -> None:
    tree = _tree(package)
    lists = _LISTED.findall(ast.get_docstring(tree) or "")
    listed = {name for line in lists for name in re.findall(r"\w+", line)} - {"and"}
    assert listed - _children(package) - set(_offered(tree)) == set()


def test_the_tree_in_the_architecture_names_only_what_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8").split("```text\n")[1].split("```")[0]
    missing: list[str] = []
    above: list[tuple[int, Path]] = []
    for line in text.splitlines():
        if not (entry := re.match(r"( *)([a-z_]+(?:/|\.py))", line)):
            continue
        depth = len(entry[1])
        above = [(at, path) for at, path in above if at < depth]
        path = (above[-1][1] if above else ROOT) / entry[2]
        if not path.exists():
            missing.append(str(path.relative_to(ROOT)))
        above.append((depth, path))
    assert missing == []
