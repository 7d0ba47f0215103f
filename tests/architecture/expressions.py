"""The regular expressions in our source: where they stand, what they are, and how they are used.

A call of `re` is found in the syntax tree, and what it is given is evaluated among the names of its module.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from tests.architecture.sources import trees

METHODS = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})
"""Those that look into a text. What may be done at any place of it is done at all of them by an attack."""


class Unknown(Exception):
    """It is made of what is known only when it runs."""


@dataclass(frozen=True)
class Use:
    """`call` is the call of `re`, `written` what it is given; `methods` are those by which what it makes is applied."""

    path: str
    call: ast.Call
    written: ast.expr
    methods: frozenset[str]

    @property
    def place(self) -> str:
        return f"{self.path}: {ast.unparse(self.written)}"

    @cached_property
    def pattern(self) -> re.Pattern[Any]:
        """Raises Unknown."""
        module = importlib.import_module(self.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
        names = vars(module) if hasattr(module, "re") else {}  # to ask is to load what waits for its first use
        flags = [each.value for each in self.call.keywords if each.arg == "flags"]
        if _method(self.call) not in ("sub", "subn", "split"):
            flags += self.call.args[1 if _method(self.call) == "compile" else 2 :][:1]
        try:
            text = _evaluated(self.written, names)
            return re.compile(text, _evaluated(flags[0], names) if flags else 0)
        except NameError:
            raise Unknown(self.place) from None


def _evaluated(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<expression>", "eval"), names)


@cache
def uses(package: str) -> tuple[Use, ...]:
    return tuple(use for path, tree in trees([package], ["re"]) for use in _uses_in(path, tree))


def _uses_in(path: str, tree: ast.Module) -> Iterator[Use]:
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    for node in ast.walk(tree):
        method = _method(node)
        if not isinstance(node, ast.Call) or method is None:
            continue
        methods = _applied(node, parents, tree) if method == "compile" else frozenset({method})
        for pattern in _patterns(node, parents, tree):
            yield Use(path, node, pattern, methods)


def _patterns(call: ast.Call, parents: dict[ast.AST, ast.AST], tree: ast.Module) -> list[ast.expr]:
    """What it may be given: each side of a choice, and what a function is called with that hands its parameter on."""
    pattern = call.args[0]
    if isinstance(pattern, ast.IfExp):
        return [pattern.body, pattern.orelse]
    function: ast.AST | None = call
    while function is not None and not isinstance(function, ast.FunctionDef):
        function = parents.get(function)
    if function is None or not isinstance(pattern, ast.Name):
        return [pattern]
    parameters = [each.arg for each in function.args.args]
    if pattern.id not in parameters or function not in tree.body:
        return [pattern]
    place = parameters.index(pattern.id)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_name(node.func, function.name)]
    return [each.args[place] for each in calls if len(each.args) > place] or [pattern]


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _method(node: ast.AST) -> str | None:
    """Of `re`, if this is a call of it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner, name = node.func.value, node.func.attr
        if isinstance(owner, ast.Name) and owner.id == "re" and name in METHODS | {"compile"}:
            return name
    return None


def _applied(call: ast.Call, parents: dict[ast.AST, ast.AST], tree: ast.Module) -> frozenset[str]:
    """Where nobody can tell from the file, it is taken to be searched for."""
    parent = parents[call]
    if isinstance(parent, ast.Attribute):
        return frozenset({parent.attr})
    target = parent.targets[0] if isinstance(parent, ast.Assign) else getattr(parent, "target", None)
    name = target.id if isinstance(target, ast.Name) else ""
    found = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    return frozenset(found & METHODS) or frozenset({"search"})
