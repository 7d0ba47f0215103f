"""Are the defaults in a schema values that it allows? Kubernetes: pkg/apiserver/schema/defaulting, ValidateDefaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, aggregate, invalid
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.schema.declarations.structural import node_of_openapi
from localplane.apimachinery.schema.nodes import Node
from localplane.apimachinery.schema.pruning import read_embedded
from localplane.apimachinery.schema.validation.embedded import embedded_errors, errors_of_embedded
from localplane.apimachinery.schema.validation.violations import ValuePath, explain

from .unpruned import is_pruned

Schema = Mapping[str, Any]
Surround = Callable[[Any], dict[str, Any]]
"""From a default within metadata to a whole object around it."""

_META: Final = frozenset({"metadata", "apiVersion", "kind"})
_PLAIN_TYPES: Final = {"string": str, "integer": int, "boolean": bool}
_PLAIN_WORDS: Final = frozenset({"type", "default", "description", "title", "enum", "minimum", "maximum", "nullable"})


def default_errors(schema: Schema, path: Path, *, pruned: bool) -> list[FieldError]:
    """`pruned`: a default must not have fields that the schema does not know."""
    found: list[FieldError] = []
    holding: set[int] = set()
    if _collect(schema, holding):
        _walk(schema, path, found, _Where(pruned=pruned, holding=holding), is_resource=True)
    return found


def _collect(schema: Schema, holding: set[int]) -> bool:
    """Whether there is a default in a schema; all that have one in them are noted, so that nobody looks elsewhere."""
    found = "default" in schema
    if isinstance(schema.get("items"), dict):
        found |= _collect(schema["items"], holding)
    for each in (schema.get("properties") or {}).values():
        found |= _collect(each, holding)
    if found:
        holding.add(id(schema))
    return found


def _named(name: str) -> Surround:
    return lambda value: {name: value}


class _Where:
    """`surround` is None outside of metadata. `holding` are the schemas with defaults in them."""

    __slots__ = ("holding", "pruned", "surround")

    def __init__(self, *, pruned: bool, holding: set[int], surround: Surround | None = None) -> None:
        self.pruned = pruned
        self.holding = holding
        self.surround = surround

    def surrounded(self, surround: Surround | None) -> _Where:
        return _Where(pruned=self.pruned, holding=self.holding, surround=surround)

    def within(self, wrap: Callable[[Any], Any]) -> _Where:
        outer = self.surround
        return self if outer is None else self.surrounded(lambda value: outer(wrap(value)))


def _walk(schema: Schema, path: Path, found: list[FieldError], where: _Where, *, is_resource: bool) -> None:
    is_resource = is_resource or bool(schema.get("x-kubernetes-embedded-resource"))
    if is_resource:
        where = where.surrounded(None)
    if "default" in schema and not (where.surround is None and _is_plainly_good(schema)):
        node, value = node_of_openapi(schema), schema["default"]
        if where.surround is not None:
            found += _meta_default_errors(node, value, where.surround, path / "default")
        else:
            found += _default_errors(node, value, path / "default", pruned=where.pruned)
    if id(schema.get("items")) in where.holding:
        _walk(schema["items"], path / "items", found, where.within(lambda value: [value]), is_resource=False)
    for name, each in (schema.get("properties") or {}).items():
        if id(each) not in where.holding:
            continue
        is_meta = is_resource and name in _META
        inner = where.surrounded(_named(name)) if is_meta else where.within(_named(name))
        _walk(each, (path / "properties")[name], found, inner, is_resource=False)


def _is_plainly_good(schema: Schema) -> bool:
    """Most defaults are a word or a number of which little is asked: nothing needs to be compiled for them."""
    value = schema["default"]
    if type(value) is not _PLAIN_TYPES.get(schema.get("type", "")) or not schema.keys() <= _PLAIN_WORDS:
        return False
    return ("enum" not in schema or value in schema["enum"]) and (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
    )


def _default_errors(node: Node, value: Any, path: Path, *, pruned: bool) -> list[FieldError]:
    if not isinstance(value, (dict, list)):
        return list(explain(node, value, ValuePath(prefix=str(path))).errors.values())
    found: list[FieldError] = []
    if pruned and not is_pruned(node, value):
        found.append(invalid(path, value, "must not have unknown fields"))
    try:
        read_embedded(node, copied(value), path)
    except DecodeError as error:
        found.append(invalid(path, value, str(error)))
        return found
    embedded = list(errors_of_embedded(node, value, path))
    return found + (embedded or list(explain(node, value, ValuePath(prefix=str(path))).errors.values()))


def _meta_default_errors(node: Node, value: Any, surround: Surround, path: Path) -> list[FieldError]:
    """A default within metadata must make a whole object's metadata good."""
    obj = {"apiVersion": "validation/v1", "kind": "Validation"} | surround(copied(value))
    whole = Node(type="object", embedded_resource=True, preserve_unknown_fields=True)
    try:
        read_embedded(whole, obj, Path())
        problems = embedded_errors(obj)
        if problems:
            return [invalid(path, value, f"must result in valid metadata: {aggregate(problems)}")]
    except DecodeError as error:
        return [invalid(path, value, f"must result in valid metadata: {error}")]
    return list(explain(node, value, ValuePath(prefix=str(path))).errors.values())
