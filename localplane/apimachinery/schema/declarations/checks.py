"""Whether what is declared can be kept: constraints fit their types, defaults obey them, dictionaries are schemas.

For what people write; definitions of custom resources have validation of their own, in Kubernetes' words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.golang.regexps import InvalidRegexp, TooCostly, compiled
from localplane.apimachinery.schema.nodes import NO_LIMITS, NOTHING, Limits, Node
from localplane.apimachinery.schema.validation.checks import valid
from localplane.apimachinery.schema.validation.formats import effective_format
from localplane.apimachinery.schema.validation.violations import ValuePath, explain

from .annotations import DeclarationError, named
from .constraints import Words
from .structural import EXTENSIONS, LIMITS, UNDERSTOOD

_NUMBERS: Final = frozenset({"minimum", "maximum", "exclusive_minimum", "exclusive_maximum", "multiple_of"})
_TEXTS: Final = frozenset({"min_length", "max_length", "pattern"})
_LISTS: Final = frozenset({"min_items", "max_items", "unique_items", "list_type", "list_map_keys"})
_MAPS: Final = frozenset({"min_properties", "max_properties", "map_type"})
_OBJECTS: Final = _MAPS | {"embedded_resource", "preserve_unknown_fields"}
_ANY: Final = _NUMBERS | _TEXTS | _LISTS | _OBJECTS
_FITTING: Final[dict[str, frozenset[str]]] = {
    "string": _TEXTS,
    "bytes": _TEXTS,
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "boolean": frozenset(),
    "int-or-string": _NUMBERS | _TEXTS,
    "list": _LISTS,
    "map": _OBJECTS,
    "struct": _OBJECTS,
    "codec": _NUMBERS | _TEXTS,
}
_SIZES: Final = {"string": "length", "bytes": "length", "codec": "length", "list": "items", "map": "properties"}
_SHOWN: Final = {"struct": "an object", "map": "a map", "list": "a list", "integer": "an integer", "any": "anything"}
_LIMITS: Final = frozenset(LIMITS.values())
_WORDS: Final = ("format", "list_type", "map_type", "go_type", "embedded_resource", "preserve_unknown_fields")
_BOUNDS: Final = (
    ("minimum", "maximum"),
    ("min_length", "max_length"),
    ("min_items", "max_items"),
    ("min_properties", "max_properties"),
)
_LIST_TYPES: Final = ("atomic", "set", "map")
_MAP_TYPES: Final = ("atomic", "granular")
_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean")
_DOCUMENTING: Final = frozenset({"description", "title", "example", "externalDocs", "deprecated", "readOnly", "xml"})


def changes_of(words: Words, node: Node) -> dict[str, Any]:
    """What is said about a node beyond its type, as changes of it. Raises DeclarationError for what does not fit."""
    words = _with_sizes(words, node)
    fitting = _FITTING.get(node.shape, _ANY)
    for key in (*_ANY,):
        if words.get(key) and key not in fitting:
            raise DeclarationError(f"{key} does not fit {_SHOWN.get(node.shape, f'a {node.shape}')}")
    changes: dict[str, Any] = {key: words[key] for key in _WORDS if words.get(key)}
    if words.get("list_map_keys"):
        changes["list_map_keys"] = tuple(words["list_map_keys"])
    said = {key: words[key] for key in _LIMITS if key in words}
    enum = tuple(words.get("enum") or ()) or node.limits.enum
    if said or enum != node.limits.enum:
        changes["limits"] = Limits(**said, enum=enum)
        _check_limits(changes["limits"], node)
    _check_words(changes, node)
    if words.get("notes"):
        _check_notes(words["notes"])
        changes["notes"] = {**node.notes, **words["notes"]}
    if "default" in words:
        changes["default"] = words["default"]
    return changes


def check_default(node: Node) -> None:
    value = node.default
    if node.codec is not None and not node.codec.fits(value):
        try:
            node.codec.read(value)
        except ValueError as error:
            raise DeclarationError(f"the default {value!r} can't be read: {error}") from None
        return
    bare = node.changed(default=NOTHING)
    if valid(bare)(value):
        return
    for fault in explain(bare, value, ValuePath("default"), NOTHING).errors.values():
        raise DeclarationError(str(fault))


def _with_sizes(words: Words, node: Node) -> Words:
    """`min_size` and `max_size` by the name that they have for this type."""
    if "min_size" not in words and "max_size" not in words:
        return words
    kind = _SIZES.get(node.shape)
    if kind is None or (node.codec is not None and node.type != "string"):
        raise DeclarationError(f"a length does not fit {_SHOWN.get(node.shape, f'a {node.shape}')}")
    result = {key: value for key, value in words.items() if key not in ("min_size", "max_size")}
    for end in ("min", "max"):
        if f"{end}_size" in words:
            result[f"{end}_{kind}"] = words[f"{end}_size"]
    return result


def _check_limits(limits: Limits, node: Node) -> None:
    for low, high in _BOUNDS:
        least, most = getattr(limits, low), getattr(limits, high)
        for key, value in ((low, least), (high, most)):
            wanted = (int, float) if key in _NUMBERS else (int,)
            if value is not None and (isinstance(value, bool) or not isinstance(value, wanted)):
                raise DeclarationError(f"{key} is {value!r}, which is no number")
            if value is not None and key not in _NUMBERS and value < 0:
                raise DeclarationError(f"{key} is {value}, and nothing is shorter than 0")
        if least is not None and most is not None and least > most:
            raise DeclarationError(f"{low} {least} is more than {high} {most}")
    if limits.multiple_of is not None and limits.multiple_of <= 0:
        raise DeclarationError(f"multiple_of is {limits.multiple_of}: it is more than 0")
    if limits.pattern:
        try:
            compiled(limits.pattern)
        except (InvalidRegexp, TooCostly) as error:
            raise DeclarationError(f"the pattern {limits.pattern!r} can't be used: {error}") from None
    for value in limits.enum if node.codec is None else ():
        if not valid(node.changed(limits=NO_LIMITS))(value):
            raise DeclarationError(f"enum has {value!r}, which the type does not allow")


def _check_words(changes: Mapping[str, Any], node: Node) -> None:
    format_ = changes.get("format", "")
    if format_ and not effective_format(node.type, format_):
        raise DeclarationError(f"the format {format_!r} is not known for this type, and would be ignored")
    for key, known in (("list_type", _LIST_TYPES), ("map_type", _MAP_TYPES)):
        if changes.get(key, known[0]) not in known:
            raise DeclarationError(f"{key} is {changes[key]!r}: it is one of {', '.join(known)}")
    keys = changes.get("list_map_keys", ())
    if (changes.get("list_type") == "map") != bool(keys):
        raise DeclarationError('list_type="map" and list_map_keys go together')
    for key in keys:
        if node.items is None or key not in node.items.load().properties:
            raise DeclarationError(f"list_map_keys has {key!r}, which the items have not")


def _check_notes(notes: Mapping[str, Any]) -> None:
    for key in notes:
        if key in EXTENSIONS or key == "x-kubernetes-validations":
            raise DeclarationError(f"{key} would be ignored here: {_instead(key)}")


def _instead(key: str) -> str:
    if key == "x-kubernetes-validations":
        return "rules are for custom resources; say it in a Strategy's validate"
    return f"say it by Field({EXTENSIONS[key]}=...)"


def check_openapi(schema: Mapping[str, Any], place: str = "schema") -> None:
    """Whether a dictionary is a schema that is understood from end to end."""
    with named(place):
        _check_document(schema)
    for name, each in (schema.get("properties") or {}).items():
        check_openapi(each, f"{place}.{name}" if place != "schema" else name)
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), Mapping):
            check_openapi(schema[key], f"{place}.{key}")
    for key in ("allOf", "anyOf", "oneOf"):
        for number, each in enumerate(schema.get(key) or ()):
            check_openapi(each, f"{place}.{key}[{number}]")


def _check_document(schema: Any) -> None:
    if not isinstance(schema, Mapping):
        raise DeclarationError(f"a schema is a dictionary, not {schema!r}")
    kind = schema.get("type")
    if kind is not None and kind not in _TYPES:
        raise DeclarationError(f"the type {kind!r} is none of {', '.join(_TYPES)}")
    for key in schema:
        if (
            key not in UNDERSTOOD
            and key not in _DOCUMENTING
            and (not key.startswith("x-") or key.startswith("x-kubernetes-"))
        ):
            why = f": {_instead(key)}" if key == "x-kubernetes-validations" else ""
            raise DeclarationError(f"{key} is not understood{why}")
    for key, wanted, shown in (
        ("properties", Mapping, "a dictionary"),
        ("required", Sequence, "a list"),
        ("enum", Sequence, "a list"),
        ("items", Mapping, "a schema"),
        ("not", Mapping, "a schema"),
        ("additionalProperties", (Mapping, bool), "a schema, True or False"),
    ):
        value = schema.get(key)
        if value is not None and (not isinstance(value, wanted) or isinstance(value, str)):
            raise DeclarationError(f"{key} is {value!r}: it is {shown}")
    if kind == "array" and schema.get("items") is None:
        raise DeclarationError("an array says what its items are")
    node = Node(type=kind or "", format=schema.get("format") or "", values_allowed=kind == "object" or None)
    _check_limits(
        Limits(**{LIMITS[key]: value for key, value in schema.items() if key in LIMITS and value is not None}), node
    )
