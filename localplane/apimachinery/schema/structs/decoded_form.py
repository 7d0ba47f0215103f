"""Is an object already what decoding would make of it? Nearly all are, and this is how that is found out fast.

`fits(node)` compiles a check, node by node, when it is first used. True means that decoding would change nothing and
find nothing. False means no more than: decode it.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable
from typing import Any, Final

from localplane.apimachinery.schema.nodes import Node

from .codecs import INT32_MAX, INT32_MIN, INT_OR_STRING

Check = Callable[[Any], bool]

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_TEXTS: Final = frozenset({str})


def fits(node: Node) -> Check:
    check = node.compiled.get("fits")
    if check is None:
        node.load()
        node.compiled["fits"] = check = _compile(node)
    result: Check = check
    return result


def _compile(node: Node) -> Check:
    match node.shape:
        case "codec" if node.codec:
            return node.codec.fits
        case "struct":
            return _struct(node)
        case "map":
            return _map(node)
        case "list":
            return _list(node)
        case "integer":
            return _is_int32 if node.format == "int32" else _is_int64
        case shape:
            return _SCALARS[shape]


def _is_int32(value: Any) -> bool:
    return type(value) is int and INT32_MIN <= value <= INT32_MAX


def _is_int64(value: Any) -> bool:
    return type(value) is int and INT64_MIN <= value <= INT64_MAX


def _is_number(value: Any) -> bool:
    return type(value) is float or type(value) is int


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_boolean(value: Any) -> bool:
    return type(value) is bool


def _is_something(value: Any) -> bool:
    return value is not None


def _is_base64(value: Any) -> bool:
    """In the form that encoding would produce again."""
    if type(value) is not str:
        return False
    try:
        decoded = binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        return False
    return binascii.b2a_base64(decoded, newline=False).decode("ascii") == value


_SCALARS: Final[dict[str, Check]] = {
    "any": _is_something,
    "string": _is_text,
    "bytes": _is_base64,
    "boolean": _is_boolean,
    "number": _is_number,
    "int-or-string": INT_OR_STRING.fits,
}


def _struct(node: Node) -> Check:
    """Fields that are plain text or booleans are checked by looking at their type alone; the rest has a table."""
    if not node.properties and node.preserve_unknown_fields:
        return _is_object
    plain: dict[str, type] = {}
    others: dict[str, Check] = {}
    for name, each in node.properties.items():
        shape = each.node.shape if each.node.loader is None else "struct"  # only structs are loaded late
        if shape in ("string", "boolean"):
            plain[name] = str if shape == "string" else bool
        else:
            later(fits, each.node, others, name)
    keep = frozenset(name for name, each in node.properties.items() if each.node.loader or each.keeps_zero)
    type_of, check_of, unknown = plain.get, others.get, _unknown(node)

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for key, item in value.items():
            if type_of(key) is type(item):
                if item or key in keep:
                    continue
                return False
            known = check_of(key)
            if known is not None:
                if not (item or key in keep) or not known(item):
                    return False
            elif unknown is None or key in plain or not unknown(item):
                return False
        return True

    return check


def _unknown(node: Node) -> Check | None:
    """What a field without a property of its own must be; None: there must not be any."""
    if node.values is not None:
        table: dict[str, Check] = {}
        later(fits, node.values, table)
        return lambda item: table[""](item)  # noqa: PLW0108 - the table changes
    return _is_something if node.preserve_unknown_fields or node.values_allowed else None


def later(compiler: Callable[[Node], Check], node: Node, table: dict[str, Check], key: str = "") -> Check:
    """A check that compiles its node at the first call, and puts the result in its own place in the table.

    A type may contain itself, and most types are never met.
    """

    def compile_first(value: Any) -> bool:
        table[key] = check = compiler(node)
        return check(value)

    table[key] = compile_first
    return compile_first


def _is_object(value: Any) -> bool:
    return type(value) is dict


def _is_list(value: Any) -> bool:
    return type(value) is list


def _map(node: Node) -> Check:
    values = node.values
    if values is None:
        return _is_object
    if values.shape == "string":
        return lambda value: type(value) is dict and _TEXTS.issuperset(map(type, value.values()))
    table: dict[str, Check] = {}
    later(fits, values, table)

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return False
        known = table[""]
        for item in value.values():  # noqa: SIM110 - all() with a generator takes twice as long
            if not known(item):
                return False
        return True

    return check


def _list(node: Node) -> Check:
    items = node.items
    if items is None:
        return _is_list
    if items.shape == "string":
        return lambda value: type(value) is list and _TEXTS.issuperset(map(type, value))
    table: dict[str, Check] = {}
    later(fits, items, table)

    def check(value: Any) -> bool:
        if type(value) is not list:
            return False
        known = table[""]
        for item in value:  # noqa: SIM110 - all() with a generator takes twice as long
            if not known(item):
                return False
        return True

    return check
