"""What expressions of mutating policies can make: `Object{...}` and `JSONPatch{...}`.

Both are written as messages and are maps of JSON, so a tree is rewritten before it is checked. That an initializer has
the name of the field that it is for is not checked. Kubernetes: apiserver/pkg/cel/mutation.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import Any

from localplane.apimachinery.cel.declarations import Environment, Function, merged, overload
from localplane.apimachinery.cel.environment import Expression
from localplane.apimachinery.cel.library.value_text import shown
from localplane.apimachinery.cel.parser.tree import (
    Call,
    Comprehension,
    CreateList,
    CreateMap,
    CreateStruct,
    Entry,
    Expr,
    Literal,
    Select,
)
from localplane.apimachinery.cel.schema.objects import SchemaMap, SchemaObject
from localplane.apimachinery.cel.types import STRING
from localplane.apimachinery.cel.values import MISSING, Map, Optional

__all__ = ["Expression", "json_of", "with_patch_functions", "without_messages"]

_OBJECT, _JSON_PATCH = "Object", "JSONPatch"


def without_messages(node: Expr) -> Expr:
    """The same tree with maps where messages were; those that nobody knows stay, for the checker to refuse."""
    match node:
        case CreateStruct():
            node.fields = [(name, without_messages(value)) for name, value in node.fields]
            name = node.name.removeprefix(".")
            if name in (_JSON_PATCH, _OBJECT) or name.startswith(f"{_OBJECT}."):
                made = [Entry(node.offset, Literal(node.offset, key), value) for key, value in node.fields]
                return CreateMap(node.offset, made)
        case Call():
            node.target = None if node.target is None else without_messages(node.target)
            node.args = [without_messages(each) for each in node.args]
        case Select():
            node.operand = without_messages(node.operand)
        case CreateList():
            node.elements = [without_messages(each) for each in node.elements]
        case CreateMap():
            for entry in node.entries:
                entry.key, entry.value = without_messages(entry.key), without_messages(entry.value)
        case Comprehension():
            for part in ("range", "init", "condition", "step", "result", "body"):
                setattr(node, part, without_messages(getattr(node, part)))
            node.filter = None if node.filter is None else without_messages(node.filter)
    return node


@lru_cache(maxsize=1)
def _functions() -> tuple[Function, ...]:
    def escaped(key: str) -> str:
        return key.replace("~", "~0").replace("/", "~1")

    return (Function("jsonpatch.escapeKey", (overload("jsonpatch_escapeKey_string", (STRING,), STRING, escaped),)),)


def with_patch_functions(environment: Environment) -> Environment:
    functions = merged(environment.functions.values(), _functions())
    return Environment(functions, environment.types, environment.variables)


def json_of(value: Any) -> Any:
    """A value of an expression as JSON. An optional without a value is not there."""
    if isinstance(value, Map):
        found = {key: json_of(each) for key, each in value.entries.values()}
        return {key: each for key, each in found.items() if each is not MISSING}
    if isinstance(value, (SchemaMap, SchemaObject)):
        return value.raw
    if isinstance(value, list):
        return [each for each in map(json_of, value) if each is not MISSING]
    if isinstance(value, Optional):
        return MISSING if value.value is MISSING else json_of(value.value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value if value is None or isinstance(value, (bool, int, float, str)) else shown(value)
