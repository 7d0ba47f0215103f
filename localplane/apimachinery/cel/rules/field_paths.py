"""The `fieldPath` of a rule: which field, seen from where the rule stands, an error is about.

Upstream: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go, ValidFieldPath.
"""

from __future__ import annotations

import re
from typing import Final

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.schema import Node

_TOKEN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]']+[^.\[\]]*|'.*", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\.", re.DOTALL)
_ESCAPES: Final = {
    "\\a": "\a",
    "\\b": "\b",
    "\\f": "\f",
    "\\n": "\n",
    "\\r": "\r",
    "\\t": "\t",
    "\\v": "\v",
    "\\'": "'",
    "\\\\": "\\",
}


class InvalidFieldPath(ValueError):
    pass


def resolved_field_path(text: str, node: Node) -> str:
    """The path as an error shows it. Raises InvalidFieldPath for one that leads nowhere."""
    tokens = _TOKEN.findall(text)
    path = Path()
    current: Node = node.load()
    position = 0
    while position < len(tokens):
        opening = tokens[position]
        if opening not in (".", "["):
            raise InvalidFieldPath(f"expected [ or . but got: {opening}")
        if position + 1 >= len(tokens):
            raise InvalidFieldPath("unexpected end of JSON path")
        name = tokens[position + 1]
        position += 2
        if opening == "[":
            name = _unquoted(name)
            if position >= len(tokens):
                raise InvalidFieldPath("unexpected end of JSON path")
            if tokens[position] != "]":
                raise InvalidFieldPath(f"expected ] but got {tokens[position]}")
            position += 1
        path, current = _stepped(path, current, name)
    return str(path) if text else ""


def _stepped(path: Path, node: Node, name: str) -> tuple[Path, Node]:
    if node.properties:
        found = node.properties.get(name)
        if found is not None:
            return path / name, found.node.load()
    elif node.values is not None:
        return path[name], node.values.load()
    raise InvalidFieldPath("does not refer to a valid field")


def _unquoted(token: str) -> str:
    if len(token) < 2 or token[0] != "'" or token[-1] != "'":
        raise InvalidFieldPath(f"expected single quoted string but got {token}")
    pieces: list[str] = []
    position = 0
    for match in _ESCAPE.finditer(token[1:-1]):
        if match.group() not in _ESCAPES:
            raise InvalidFieldPath(f"invalid string literal: invalid escape char {match.group()}")
        pieces += (token[1:-1][position : match.start()], _ESCAPES[match.group()])
        position = match.end()
    return "".join([*pieces, token[1:-1][position:]])
