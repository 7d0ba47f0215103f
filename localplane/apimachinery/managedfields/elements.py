"""One step of a field's path, in the spelling of FieldsV1.

    f:name               a field of an object, or a key of a map
    k:{"name":"x"}       the item of a list that has these keys
    v:"x"                the item of a set with this value
    i:0                  the item at this place; nothing writes these, but they may be read

A step has one spelling only, so that equal steps are equal texts. Kubernetes: structured-merge-diff fieldpath.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NoReturn

from localplane.apimachinery.gotext import go_float, go_json, go_quote
from localplane.apimachinery.remembering import LONGEST_KEY, remembered

SELF: Final = "."
"""In a set: the field itself is a member, beside what is below it."""

_INDEX: Final = re.compile(r"[+-]?[0-9]{1,19}")
_MOST_KEYS: Final = 8  # that are remembered; lists have one or two


class InvalidElement(ValueError):
    """A step that is no step."""


def key_element(pairs: Iterable[tuple[str, Any]]) -> str:
    """The item with these keys. Their names are sorted."""
    names, values = zip(*sorted(pairs), strict=True)
    if len(names) <= _MOST_KEYS and all(map(_is_short, names)) and all(map(_is_short, values)):
        return _key_element(names, *values)
    return _key_element.__wrapped__(names, *values)


def _is_short(value: Any) -> bool:
    """Whether it can be remembered: a list or an object can't be, and a long text shall not."""
    return len(value) <= LONGEST_KEY if type(value) is str else type(value) is not list and type(value) is not dict


@lru_cache(maxsize=4096, typed=True)  # 1 and true are equal, and are different keys
def _key_element(names: Sequence[str], *values: Any) -> str:
    return f"k:{go_json(dict(zip(names, values, strict=True)))}"


def value_element(value: Any) -> str:
    return f"v:{go_json(value)}"


@remembered  # the same few names of containers, ports and conditions come again and again
def canonical(text: str) -> str | None:
    """The one spelling of a step; None for a kind of step that nobody knows yet."""
    if len(text) < 2:
        raise InvalidElement("key must be 2 characters long:")
    if text[1] != ":":
        raise InvalidElement(f"missing colon: {text}")
    match text[0]:
        case "f":
            return text
        case "k":
            keys = _json(text[2:])
            if not isinstance(keys, dict):
                raise InvalidElement(f"expect keys: {text}")
            return key_element(keys.items())
        case "v":
            return value_element(_json(text[2:]))
        case "i":
            if not _INDEX.fullmatch(text, 2):
                raise InvalidElement(f"invalid index: {text}")
            return f"i:{int(text[2:])}"
    return None


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise InvalidElement(str(error)) from None
    except RecursionError:
        raise InvalidElement("exceeded max depth") from None


def _no_constant(text: str) -> NoReturn:
    raise InvalidElement(f"{text} is no JSON")


@remembered
def order(text: str) -> tuple[Any, ...]:
    """A sort key: fields by name, then items by key, by value and by place; numbers as numbers."""
    match text[:2]:
        case "f:":
            return (1, text)
        case "k:":
            keys = json.loads(text[2:])
            return (2, tuple((name, _value_order(keys[name])) for name in sorted(keys)))
        case "v:":
            return (3, _value_order(json.loads(text[2:])))
        case "i:":
            return (4, int(text[2:]))
    return (0,)  # the field itself


def _value_order(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (2, value)
    if isinstance(value, (int, float)):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    if isinstance(value, list):
        return (3, tuple(map(_value_order, value)))
    if isinstance(value, dict):
        return (4, tuple((name, _value_order(value[name])) for name in sorted(value)))
    return (5,)


@remembered
def shown(text: str) -> str:
    """A step as messages show it: `.data`, `[name="x"]`, `[="x"]`, `[0]`."""
    kind, rest = text[:2], text[2:]
    if kind == "f:":
        return f".{rest}"
    if kind == "k:":
        keys = json.loads(rest)
        return f"[{','.join(f'{name}={value_text(value)}' for name, value in keys.items())}]"
    return f"[={value_text(json.loads(rest))}]" if kind == "v:" else f"[{rest}]"


def value_text(value: Any) -> str:
    """As value.ToString of structured-merge-diff."""
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, list):
        return f"[{','.join(map(value_text, value))}]"
    if isinstance(value, dict):
        return "".join(f"{name}={value_text(item)}" for name, item in value.items())
    return go_json(value)
