"""Is a value valid? Compiled to answer yes fast; the errors are for `violations`.

True means that there is no error. False means no more than: ask for the errors, there may be none after all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid
from localplane.apimachinery.golang.regexps import InvalidRegexp, Regexp, TooCostly, compiled
from localplane.apimachinery.schema.nodes import NO_LIMITS, Limits, Node
from localplane.apimachinery.schema.structs.codecs import INT32_MAX, INT32_MIN
from localplane.apimachinery.schema.structs.decoded_form import INT64_MAX, INT64_MIN, Check, later
from localplane.apimachinery.schema.values import identity, in_order

from .embedded import embedded_errors
from .formats import effective_format, has_format
from .violations import is_valid

# Lists that are sets or maps hold nothing twice.
#
# Kubernetes: apiextensions-apiserver pkg/apiserver/schema/listtype.


def may_repeat(node: Node, value: list[Any]) -> bool:
    """A quick look: False means that this list, as a set, as a map or as a list of unique items, is in order."""
    try:
        if node.list_type != "map":
            return len(set(value)) < len(value)
        if len(node.list_map_keys) == 1:
            key = node.list_map_keys[0]
            return len({item.get(key) for item in value}) < len(value)
        return len({tuple([item.get(key) for key in node.list_map_keys]) for item in value}) < len(value)
    except (TypeError, AttributeError):  # something in it is no scalar, or an item no object
        return True


def list_errors(node: Node | None, value: Any, path: Path) -> Iterator[FieldError]:
    """What is twice in this value and below it."""
    if node is None:
        return
    if isinstance(value, dict):
        if node.load().values is not None:
            for key, item in value.items():
                yield from list_errors(node.values, item, path[key])
        for key, item in value.items():
            if key in node.properties:
                yield from list_errors(node.properties[key].node, item, path / key)
    elif isinstance(value, list):
        yield from _errors(node.load(), value, path)
        for number, item in enumerate(value):
            yield from list_errors(node.items, item, path[number])


def _errors(node: Node, value: list[Any], path: Path) -> Iterator[FieldError]:
    if node.list_type == "set":
        for number in _repeated(value):
            yield duplicate(path[number], in_order(value[number]))
    elif node.list_type == "map":
        for number, item in enumerate(value):
            if item is not None and not isinstance(item, dict):
                yield invalid(path[number], in_order(item), "must be an object for an array of list-type map")
                return
        keys = [_key(node, item) for item in value]
        for number in _repeated(keys):
            yield duplicate(path[number], in_order(keys[number]))


def _key(node: Node, item: dict[str, Any] | None) -> dict[str, Any]:
    return {name: item[name] for name in node.list_map_keys if name in item} if item else {}


def _repeated(values: list[Any]) -> Iterator[int]:
    """The first repetition of each value; a third one is not told."""
    times: dict[Any, int] = {}
    for number, value in enumerate(values):
        known = identity(value)
        times[known] = times.get(known, 0) + 1
        if times[known] == 2:
            yield number


def valid(node: Node) -> Check:
    check = node.compiled.get("valid")
    if check is None:
        node.compiled["valid"] = check = _compile(node.load())
    result: Check = check
    return result


def _compile(node: Node) -> Check:
    parts = [part for part in (_of_type(node), _of_enum(node), *_of_alternatives(node)) if part is not None]
    if len(parts) == 1:
        return parts[0]

    def check(value: Any) -> bool:
        for part in parts:  # noqa: SIM110 - all() with a generator takes twice as long
            if not part(value):
                return False
        return True

    return check


def _of_type(node: Node) -> Check | None:
    if node.codec is not None:
        return _untyped(node)
    if node.int_or_string:
        untyped = _untyped(node)
        return _or_null(node, lambda value: (type(value) is str or type(value) is int) and untyped(value))
    if node.type == "boolean":
        return _or_null(node, _is_boolean)
    inner = _BY_TYPE.get(node.type)
    return _or_null(node, inner(node)) if inner is not None else _untyped(node)


def _or_null(node: Node, check: Check) -> Check:
    return check if not node.nullable else lambda value: value is None or check(value)


def _exactly(node: Node) -> Check:
    """For what is rare: ask for the errors of this node alone, that the rest of the object need not be explained."""
    return lambda value: is_valid(node, value)


def _is_boolean(value: Any) -> bool:
    return type(value) is bool


def _untyped(node: Node) -> Check:
    """A node without a type constrains whatever its limits speak of, as each type would."""
    string, number, array, obj = _string(node), _number(node), _array(node), _object(node)
    # A format alone has a say on what is no text at all.
    has_format_only = node.codec is None and not node.int_or_string and effective_format("", node.format) != ""

    def check(value: Any) -> bool:
        if type(value) is str:
            return string(value)
        if has_format_only and not is_valid(node, value):
            return False
        if type(value) is list:
            return array(value)
        if type(value) is dict:
            return obj(value)
        return value is None or type(value) is bool or number(value)

    return check


def _integer(node: Node) -> Check:
    limits = node.limits
    low, high = (INT32_MIN, INT32_MAX) if node.format == "int32" else (INT64_MIN, INT64_MAX)
    if _is_odd(limits):
        return _exactly(node)
    if limits.minimum is not None:
        low = max(low, int(limits.minimum) + limits.exclusive_minimum)
    if limits.maximum is not None:
        high = min(high, int(limits.maximum) - limits.exclusive_maximum)
    return lambda value: type(value) is int and low <= value <= high


def _is_odd(limits: Limits) -> bool:
    """Whole numbers and fractions meet, which has rules of its own."""
    bounds = (limits.minimum, limits.maximum)
    return limits.multiple_of is not None or any(not float(bound or 0).is_integer() for bound in bounds)


def _number(node: Node) -> Check:
    limits = node.limits
    if node.format == "float" or _is_odd(limits):
        return _exactly(node)
    low = limits.minimum if limits.minimum is not None else float("-inf")
    high = limits.maximum if limits.maximum is not None else float("inf")
    above, below = limits.exclusive_minimum, limits.exclusive_maximum

    def check(value: Any) -> bool:
        if type(value) is not float and type(value) is not int:
            return False
        return (low < value if above else low <= value) and (value < high if below else value <= high)

    return check


def _string(node: Node) -> Check:
    limits = node.limits
    shortest = limits.min_length or 0
    longest = limits.max_length if limits.max_length is not None else 2**62
    format_ = effective_format(node.type, node.format, int_or_string=node.int_or_string)
    if not limits.pattern and not format_ and not shortest and limits.max_length is None:
        return _is_text
    try:
        pattern = compiled(limits.pattern) if limits.pattern else None
    except InvalidRegexp:
        return _exactly(node)

    def check(value: Any) -> bool:
        if type(value) is not str or not shortest <= len(value) <= longest:
            return False
        return (pattern is None or _fits(pattern, value)) and (not format_ or has_format(value, format_))

    return check


def _fits(pattern: Regexp, text: str) -> bool:
    """What would take too long does not: the explanation says so."""
    try:
        return pattern.is_in(text)
    except TooCostly:
        return False


def _is_text(value: Any) -> bool:
    return type(value) is str


def _array(node: Node) -> Check:
    limits = node.limits
    fewest = limits.min_items or 0
    most = limits.max_items if limits.max_items is not None else 2**62
    table: dict[str, Check] = {"": lambda _: True}
    if node.items is not None:
        later(valid, node.items, table)
    is_special = limits.unique_items or node.list_type in ("set", "map")

    def check(value: Any) -> bool:
        if type(value) is not list or not fewest <= len(value) <= most:
            return False
        known = table[""]
        for item in value:
            if not known(item):
                return False
        return not is_special or not may_repeat(node, value)

    return check


def _object(node: Node) -> Check:
    """Fields that are any text or boolean are checked by looking at their type alone."""
    plain: dict[str, type] = {}
    fields: dict[str, Check] = {}
    for name, each in node.properties.items():
        later(valid, each.node, fields, name)
        if _is_plain(each.node):
            plain[name] = str if each.node.type == "string" else bool
    others: dict[str, Check] = {}
    if node.values is not None:
        later(valid, node.values, others)
    elif node.values_allowed is False:
        others[""] = _nothing
    required, limits = node.required, node.limits
    counted = limits.min_properties is not None or limits.max_properties is not None
    type_of, field_of, is_embedded = plain.get, fields.get, node.embedded_resource

    def check(value: Any) -> bool:
        if type(value) is not dict or (counted and not _has_count(limits, len(value))):
            return False
        for name in required:
            if name not in value:
                return False
        for key, item in value.items():
            if type_of(key) is type(item):
                continue
            known = field_of(key) or others.get("")
            if known is not None and not known(item):
                return False
        return not is_embedded or not embedded_errors(value)

    return check


def _is_plain(node: Node) -> bool:
    if node.loader is not None or node.type not in ("string", "boolean") or node.limits != NO_LIMITS or node.codec:
        return False
    has_alternatives = node.all_of or node.any_of or node.one_of or node.not_
    return not has_alternatives and not effective_format(node.type, node.format)


def _has_count(limits: Limits, count: int) -> bool:
    if limits.min_properties is not None and count < limits.min_properties:
        return False
    return limits.max_properties is None or count <= limits.max_properties


def _nothing(_: Any) -> bool:
    return False


def _of_enum(node: Node) -> Check | None:
    if not node.limits.enum:
        return None
    texts = frozenset(each for each in node.limits.enum if isinstance(each, str))
    if len(texts) < len(node.limits.enum):
        return _exactly(node.changed(properties={}, items=None, values=None))
    return lambda value: type(value) is str and value in texts


def _of_alternatives(node: Node) -> list[Check]:
    found: list[Check] = []
    if node.codec is not None:
        return found
    found.extend(valid(each) for each in node.all_of)
    if node.any_of:
        any_of = [valid(each) for each in node.any_of]
        found.append(lambda value: any(check(value) for check in any_of))
    if node.one_of or node.not_ is not None:
        found.append(_exactly(Node(one_of=node.one_of, not_=node.not_)))
    return found


_BY_TYPE: dict[str, Callable[[Node], Check]] = {
    "integer": _integer,
    "number": _number,
    "string": _string,
    "array": _array,
    "object": _object,
}
