"""Are the defaults in a schema values that it allows? Kubernetes: pkg/apiserver/schema/defaulting, ValidateDefaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, aggregate, invalid
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.schema.embedded import embedded_errors, errors_of_embedded
from localplane.apimachinery.schema.explaining import explain
from localplane.apimachinery.schema.nodes import Node
from localplane.apimachinery.schema.place import Place
from localplane.apimachinery.schema.pruning import read_embedded
from localplane.apimachinery.schema.structural import node_of_openapi

from .unpruned import is_pruned

Schema = Mapping[str, Any]
Surround = Callable[[Any], dict[str, Any]]
"""From a default within metadata to a whole object around it."""

_META: Final = frozenset({"metadata", "apiVersion", "kind"})


def default_errors(schema: Schema, path: Path, *, pruned: bool) -> list[FieldError]:
    """`pruned`: a default must not have fields that the schema does not know."""
    found: list[FieldError] = []
    _walk(schema, path, found, _Where(pruned=pruned), is_resource=True)
    return found


def _named(name: str) -> Surround:
    return lambda value: {name: value}


class _Where:
    """`surround` is None outside of metadata."""

    __slots__ = ("pruned", "surround")

    def __init__(self, *, pruned: bool, surround: Surround | None = None) -> None:
        self.pruned = pruned
        self.surround = surround

    def within(self, wrap: Callable[[Any], Any]) -> _Where:
        outer = self.surround
        return self if outer is None else _Where(pruned=self.pruned, surround=lambda value: outer(wrap(value)))


def _walk(schema: Schema, path: Path, found: list[FieldError], where: _Where, *, is_resource: bool) -> None:
    is_resource = is_resource or bool(schema.get("x-kubernetes-embedded-resource"))
    if is_resource:
        where = _Where(pruned=where.pruned)
    if "default" in schema:
        node, value = node_of_openapi(schema), schema["default"]
        if where.surround is not None:
            found += _meta_default_errors(node, value, where.surround, path / "default")
        else:
            found += _default_errors(node, value, path / "default", pruned=where.pruned)
    if isinstance(schema.get("items"), dict):
        _walk(schema["items"], path / "items", found, where.within(lambda value: [value]), is_resource=False)
    for name, each in (schema.get("properties") or {}).items():
        is_meta = is_resource and name in _META
        inner = _Where(pruned=where.pruned, surround=_named(name)) if is_meta else where.within(_named(name))
        _walk(each, (path / "properties")[name], found, inner, is_resource=False)


def _default_errors(node: Node, value: Any, path: Path, *, pruned: bool) -> list[FieldError]:
    found: list[FieldError] = []
    if pruned and not is_pruned(node, value):
        found.append(invalid(path, value, "must not have unknown fields"))
    try:
        read_embedded(node, copied(value), path)
    except DecodeError as error:
        found.append(invalid(path, value, str(error)))
        return found
    embedded = list(errors_of_embedded(node, value, path))
    return found + (embedded or list(explain(node, value, Place(prefix=str(path))).errors.values()))


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
    return list(explain(node, value, Place(prefix=str(path))).errors.values())
