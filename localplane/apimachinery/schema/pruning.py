"""Taking out of a custom resource what its schema does not know, and reading the metadata in it as Go would.

Wrong types are none of this module's business, validation tells them; except in metadata, at the root and in embedded
resources, which is read into Go's ObjectMeta before anything else happens. Kubernetes: apiextensions-apiserver
pkg/apiserver/schema/{pruning,objectmeta} and defaulting's PruneNonNullableNullsWithoutDefaults.
"""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.fieldpath import Path, invalid

from .meta import object_meta
from .nodes import NOTHING, Node, walk
from .structs.decoded_form import Check, fits, later
from .structs.decoder import DecodeError, decode
from .values import in_order

META_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata"})
_SCALARS: Final = frozenset({str, int, float, bool})


def prune(root: Node, obj: dict[str, Any], *, keeps_nulls: bool = False) -> list[str]:
    """Prune in place and return the paths of what was taken out; see Schema.prune."""
    if _is_clean(root)(obj):
        return []
    metadata = _read_metadata(obj)
    pruned: list[str] = []
    _prune(root.changed(embedded_resource=True), obj, "", pruned)
    if not keeps_nulls:
        _drop_nulls(root, obj)
    embedded: list[str] = []
    if has_embedded(root):
        _read_embedded(root, obj, Path(), embedded, is_root=True)
    return metadata + sorted(pruned) + sorted(embedded)


def prune_value(node: Node, value: Any) -> None:
    """Take out of a part of an object, in place, what its node does not know: no metadata is read."""
    _prune_part(node, value, [])


def read_embedded(node: Node, value: Any, path: Path) -> list[str]:
    """Read the metadata of the resources within a part of an object, in place, and return what is unknown in it.
    Raises DecodeError."""
    unknown: list[str] = []
    _read_embedded(node, value, path, unknown)
    return unknown


def has_embedded(root: Node) -> bool:
    found = root.compiled.get("has_embedded")
    if found is None:
        found = root.compiled["has_embedded"] = any(node.embedded_resource for node in walk(root) if node is not root)
    return bool(found)


def _read_metadata(obj: dict[str, Any], *, parent: Path | None = None) -> list[str]:
    """Decode the metadata of an object in place. Go reads it from a map, so its keys come sorted."""
    metadata = obj.get("metadata", NOTHING)
    if metadata is NOTHING:
        return []
    if metadata is None:
        obj["metadata"] = {}
        return []
    prefix = str((parent or Path()) / "metadata")
    if not isinstance(metadata, dict):
        decode(object_meta(), metadata, kind="ObjectMeta")
    try:
        unknown = decode(object_meta(), metadata, kind="ObjectMeta")
    except DecodeError:
        decode(object_meta(), in_order(metadata), kind="ObjectMeta")
        raise
    return sorted(f"{prefix}.{path}" for path in unknown)


def _prune(node: Node | None, value: Any, path: str, pruned: list[str]) -> None:
    if node is not None and path and _clean(node)(value):
        return
    _prune_part(node, value, pruned, path)


def _prune_part(node: Node | None, value: Any, pruned: list[str], path: str = "") -> None:
    if node is not None and node.load().preserve_unknown_fields:
        _prune_known(node, value, path, pruned)
    elif isinstance(value, dict):
        for key in list(value):
            if node is not None and (known := _child_of(node, key)) is not NOTHING:
                if not (node.embedded_resource and key in META_FIELDS):
                    _prune(known, value[key], f"{path}.{key}" if path else key, pruned)
            elif node is None or not (node.embedded_resource and key in META_FIELDS):
                pruned.append(f"{path}.{key}" if path else key)
                del value[key]
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _prune(node.items if node is not None else None, item, f"{path}[{number}]", pruned)


def _prune_known(node: Node | None, value: Any, path: str, pruned: list[str]) -> None:
    """Below x-kubernetes-preserve-unknown-fields: what is specified is pruned, what is not stays."""
    if node is None:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if node.embedded_resource and key in META_FIELDS:
                continue
            known = _child_of(node, key)
            if known is not NOTHING:
                _prune(known, item, f"{path}.{key}" if path else key, pruned)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _prune_known(node.items, item, f"{path}[{number}]", pruned)


def _child_of(node: Node, key: str) -> Any:
    """The schema of a field; None if it is allowed and nothing is said of it; NOTHING if it is not allowed."""
    found = node.properties.get(key)
    if found is not None:
        return found.node
    return node.values if node.values is not None or node.values_allowed is not None else NOTHING


def _drop_nulls(node: Node | None, value: Any) -> None:
    """Null where the schema has neither nullable nor a default is the same as nothing. In lists it stays."""
    if node is None or _clean(node)(value):
        return
    if isinstance(value, dict):
        for key in list(value):
            known, item = node.child(key), value[key]
            if item is None and known is not None and not known.load().nullable and known.default is NOTHING:
                del value[key]
            else:
                _drop_nulls(known, item)
    elif isinstance(value, list):
        for item in value:
            _drop_nulls(node.load().items, item)


def _read_embedded(node: Node | None, value: Any, path: Path, unknown: list[str], *, is_root: bool = False) -> None:
    if node is None:
        return
    if isinstance(value, dict):
        if node.load().embedded_resource and not is_root:
            _read_embedded_meta(value, path, unknown)
        for key, item in value.items():
            _read_embedded(node.child(key), item, path / key if key in node.properties else path[key], unknown)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _read_embedded(node.load().items, item, path[number], unknown)


def _read_embedded_meta(value: dict[str, Any], path: Path, unknown: list[str]) -> None:
    for key in ("apiVersion", "kind"):
        if key in value and not isinstance(value[key], str):
            raise DecodeError(str(invalid(path / key, in_order(value[key]), "must be a string")))
    shown = in_order(value.get("metadata"))
    try:
        unknown += _read_metadata(value, parent=path)
    except DecodeError as error:
        raise DecodeError(str(invalid(path / "metadata", shown, str(error)))) from None


def _is_clean(root: Node) -> Check:
    """The fast way: True means that pruning would change nothing."""
    check = root.compiled.get("clean_root")
    if check is None:
        root.compiled["clean_root"] = check = _clean(root.changed(embedded_resource=True))
    result: Check = check
    return result


def _clean(node: Node) -> Check:
    check = node.compiled.get("clean")
    if check is None:
        node.compiled["clean"] = check = _compile(node.load())
    result: Check = check
    return result


def _compile(node: Node) -> Check:
    """Scalars are always clean; a null is, if it may stay."""
    null_stays = node.nullable or node.default is not NOTHING
    fields, others = _tables(node)
    field_of, has_meta = fields.get, _has_meta if node.embedded_resource else _anything

    def check(value: Any) -> bool:
        if type(value) is dict:
            for key, item in value.items():
                known = field_of(key) or others.get("values")
                if known is None or (type(item) not in _SCALARS and not known(item)):
                    return False
            return has_meta(value)
        if type(value) is list:
            for item in value:
                if type(item) not in _SCALARS and item is not None and not others["items"](item):
                    return False
            return True
        return value is not None or null_stays

    return check


def _tables(node: Node) -> tuple[dict[str, Check], dict[str, Check]]:
    """The checks of known fields, and those of `values` (unless nothing else may be there) and `items`."""
    fields: dict[str, Check] = {}
    for name, each in node.properties.items():
        later(_clean, each.node, fields, name)
    if node.embedded_resource:
        fields |= dict.fromkeys(META_FIELDS, _anything)
    others: dict[str, Check] = {"items": _anything if node.preserve_unknown_fields else _nothing}
    if node.items is not None:
        later(_clean, node.items, others, "items")
    if node.values is not None:
        later(_clean, node.values, others, "values")
    elif node.preserve_unknown_fields and node.values_allowed is None:
        others["values"] = _anything
    return fields, others


def _has_meta(value: dict[str, Any]) -> bool:
    """The metadata of a resource, embedded or not, is as Go would write it."""
    is_named = type(value.get("kind", "")) is str and type(value.get("apiVersion", "")) is str
    return is_named and fits(object_meta())(value.get("metadata", {}))


def _anything(_: Any) -> bool:
    return True


def _nothing(_: Any) -> bool:
    return False
