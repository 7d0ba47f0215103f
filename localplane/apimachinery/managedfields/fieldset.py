"""Sets of fields, held as FieldsV1 writes them: a tree of dictionaries whose keys are path elements.

    {"f:data": {".": {}, "f:a": {}}, "f:metadata": {"f:labels": {"f:x": {}}}}

holds .data, .data.a and .metadata.labels.x, but neither .metadata nor .metadata.labels. So: `{}` is a member with
nothing below it, a node with "." is a member with something below, any other node leads to members only. The root is
no member of itself, and `{}` at the root is the empty set.

Sets are never changed: operations return new ones, which share what they can with the old. Kubernetes:
structured-merge-diff fieldpath.Set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NoReturn, TypeAlias

from localplane.apimachinery.golang.text import go_float, go_json, go_quote
from localplane.apimachinery.memoization import LONGEST_KEY, remembered

# One step of a field's path, in the spelling of FieldsV1.
#
# f:name               a field of an object, or a key of a map
# k:{"name":"x"}       the item of a list that has these keys
# v:"x"                the item of a set with this value
# i:0                  the item at this place; nothing writes these, but they may be read
#
# A step has one spelling only, so that equal steps are equal texts. Kubernetes: structured-merge-diff fieldpath.

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


Fields: TypeAlias = "dict[str, Fields]"

MEMBER: Final[Fields] = {}
"""The node of a member that has nothing below it."""


def union(left: Fields, right: Fields) -> Fields:
    """What is in either of them: the very same left one if it has all of the right one already."""
    if not right or left is right:
        return left
    if not left:
        return right
    found = left
    for element, node in right.items():
        other = left.get(element)
        both = node if other is None else _united(other, node)
        if both is not other:
            found = dict(left) if found is left else found
            found[element] = both
    return found


def _united(left: Fields, right: Fields) -> Fields:
    if not left:
        return member_with(right) if right else left
    if not right:
        return left if SELF in left else member_with(left)
    return union(left, right)


def member_with(below: Fields) -> Fields:
    """The node of a member, with what is below it."""
    return {SELF: MEMBER, **below} if below else MEMBER


def is_member(node: Fields) -> bool:
    return not node or SELF in node


def difference(left: Fields, right: Fields) -> Fields:
    """What is in the left one and not in the right one. A field and what is below it have nothing to do with each
    other."""
    if not left or not right:
        return left
    found: Fields = {}
    for element, node in left.items():
        other = right.get(element)
        if other is None:
            found[element] = node
        elif (rest := _rest(node, other)) is not None:
            found[element] = rest
    return found


def _rest(left: Fields, right: Fields) -> Fields | None:
    if not left:
        return None if is_member(right) else left
    if not right:
        return {element: node for element, node in left.items() if element != SELF}
    return _node(difference(left, right))


def _node(found: Fields) -> Fields | None:
    """A node in its one spelling; None when nothing is left of it."""
    if not found:
        return None
    return MEMBER if len(found) == 1 and SELF in found else found


def intersection(left: Fields, right: Fields) -> Fields:
    """What is in both of them."""
    found: Fields = {}
    if len(right) < len(left):
        left, right = right, left
    for element, node in left.items():
        other = right.get(element)
        if other is None:
            continue
        if not node or not other:
            if is_member(node) and is_member(other):
                found[element] = MEMBER
        elif (shared := _node(intersection(node, other))) is not None:
            found[element] = shared
    return found


def recursive_difference(left: Fields, right: Fields) -> Fields:
    """As `difference`, but a member of the right one takes away all that is below it, too."""
    if not left or not right:
        return left
    found: Fields = {}
    for element, node in left.items():
        other = right.get(element)
        if other is None or (not node and not is_member(other)):
            found[element] = node
        elif not is_member(other) and (rest := _node(recursive_difference(node, other))) is not None:
            found[element] = rest
    return found


def leaves(fields: Fields) -> Fields:
    """The members that have no other member below them."""
    return {element: leaves(node) if node else node for element, node in fields.items() if element != SELF}


def has(fields: Fields, path: Sequence[str]) -> bool:
    """Nobody owns the whole object: the empty path is in no set."""
    node: Fields | None = fields
    for element in path:
        node = node.get(element) if node is not None else None
    return bool(path) and node is not None and is_member(node)


def below(fields: Fields, element: str) -> Fields:
    """The set of what is below an element, without the element itself."""
    node = fields.get(element)
    if not node:
        return MEMBER
    return {each: rest for each, rest in node.items() if each != SELF} if SELF in node else node


def of_paths(*paths: Sequence[str]) -> Fields:
    found: Fields = {}
    for path in paths:
        node: Fields = MEMBER
        for element in reversed(path):
            node = {element: node}
        found = union(found, node)
    return found


def paths(fields: Fields, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All members: at each level first the members, then what is below, as Kubernetes lists conflicts."""
    elements = sorted((element for element in fields if element != SELF), key=order)
    for element in elements:
        if is_member(fields[element]):
            yield (*prefix, element)
    for element in elements:
        yield from paths(fields[element], (*prefix, element))


def ordered(fields: Fields, known: Fields = MEMBER) -> Fields:
    """The same set in the order in which Kubernetes writes it. What it shares with one that is `known` stays as it is,
    for that was written before."""
    if fields is known:
        return fields
    if len(fields) == 1:
        elements = list(fields)
    else:
        elements = sorted(fields)
        if elements and elements[-1] >= "g":  # items of lists come after all fields, and have an order of their own
            elements.sort(key=order)
    return {
        element: ordered(node, known.get(element, MEMBER)) if (node := fields[element]) else node
        for element in elements
    }


def parse(raw: Any) -> Fields:
    """A set from JSON; the very same dictionary where its spelling is the one that we write.

    Elements of an unknown kind are left out. Raises InvalidElement.
    """
    found = _parsed(raw)
    return {element: node for element, node in found.items() if element != SELF} if SELF in found else found


def _parsed(raw: Any) -> Fields:
    if raw is None:
        return MEMBER
    if not isinstance(raw, dict):
        raise InvalidElement("expect { or n")
    found: Fields = {}
    is_same = True
    for text, value in raw.items():
        if text == SELF:
            element: str | None = SELF
            node = MEMBER
        else:
            element = text if text[:2] == "f:" else canonical(text)
            node = MEMBER if type(value) is dict and not value else _parsed(value)
        if element is not None:
            found[element] = node
        is_same = is_same and element == text and (node is value or node == value)
    if len(found) == 1 and SELF in found:
        return MEMBER
    return raw if is_same else found
