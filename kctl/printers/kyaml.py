"""KYAML: YAML in braces, strings always quoted, keys where they have to be. Kubernetes: sigs.k8s.io/yaml/kyaml."""

from __future__ import annotations

import re
from typing import Any

from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import sorted_keys
from localplane.apimachinery.serializers.yaml_scalars import is_timestamp

_SEXAGESIMAL = re.compile(r"^[+-]?[1-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$")
_WORDS = frozenset(("null", "~", "", "true", "y", "yes", "on", "false", "n", "no", "off", "t", "f", "0", "1"))
_INFINITIES = frozenset((".inf", "-.inf", "+.inf", ".nan"))
_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\r": "\\r",
    "\v": "\\v",
    "\0": "\\0",
    "\x1b": "\\e",
    "\x85": "\\N",
    "\xa0": "\\_",
    "\u2028": "\\L",
    "\u2029": "\\P",
}


def to_kyaml(value: Any, *, sort: bool = True) -> str:
    """Maps are sorted; without `sort` the order stays: a struct's."""
    return f"---\n{_node(sorted_keys(value) if sort else value, 0)}\n"


def _node(value: Any, indent: int) -> str:
    if isinstance(value, dict):
        return _mapping(value, indent)
    if isinstance(value, list):
        return _sequence(value, indent)
    return _string(value, indent + 1) if isinstance(value, str) else go_json(value)


def _mapping(value: dict[str, Any], indent: int) -> str:
    if not value:
        return "{}"
    margin = "  " * (indent + 1)
    lines = (f"{margin}{_key(key, indent + 1)}: {_node(value[key], indent + 1)},\n" for key in value)
    return "{\n" + "".join(lines) + "  " * indent + "}"


def _sequence(value: list[Any], indent: int) -> str:
    if not value:
        return "[]"
    if all(isinstance(item, (dict, list)) for item in value):
        return "[" + ", ".join(_node(item, indent) for item in value) + "]"
    margin = "  " * (indent + 1)
    return "[\n" + "".join(f"{margin}{_node(item, indent + 1)},\n" for item in value) + "  " * indent + "]"


def _key(text: str, indent: int) -> str:
    return _string(text, indent) if "\n" in text or _needs_quotes(text) else text


def _string(text: str, indent: int) -> str:
    if "\n" not in text:
        return '"' + "".join(map(_escaped, text)) + '"'
    margin = "  " * indent
    pieces = ['"\\\n']
    fresh = True
    for character in text:
        if fresh:
            pieces.append(margin + ("\\" if character.isspace() and character != "\n" else " "))
        fresh = character == "\n"
        pieces.append("\\n\\\n" if fresh else _escaped(character))
    if not fresh:
        pieces.append("\\\n")
    return "".join(pieces) + margin + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character == "\t" or character.isprintable():
        return character
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _needs_quotes(text: str) -> bool:
    if not text or _looks_like_something_else(text):
        return True
    inside = text[1:-1]
    allowed = all(c.isalnum() or c == "_" or c in "-./" for c in inside)
    return not (allowed and all(c.isalnum() or c == "_" for c in text[:1] + text[-1:]))


def _looks_like_something_else(text: str) -> bool:
    if text.lower() in _WORDS or text.lower() in _INFINITIES or _SEXAGESIMAL.match(text):
        return True
    digits = text.replace("_", "")
    for kind in (lambda one: int(one, 0), float, lambda one: int(one, 8)):
        try:
            kind(digits)
        except ValueError:
            continue
        return True
    return is_timestamp(text)
