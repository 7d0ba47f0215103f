"""Resources within resources have a kind, an apiVersion and metadata in order.

Kubernetes: apiextensions-apiserver pkg/apiserver/schema/objectmeta (Validate).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.names import dns1035_label, path_segment_name
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.schema.nodes import Node
from localplane.apimachinery.schema.values import in_order


def errors_of_embedded(node: Node | None, value: Any, path: Path) -> Iterator[FieldError]:
    """What is wrong with the embedded resources in this value."""
    if node is None:
        return
    if isinstance(value, dict):
        if node.load().embedded_resource:
            yield from embedded_errors(value, path)
        for key, item in value.items():
            yield from errors_of_embedded(node.child(key), item, path / key if key in node.properties else path[key])
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from errors_of_embedded(node.load().items, item, path[number])


def embedded_errors(value: dict[str, Any], path: Path = Path()) -> list[FieldError]:  # noqa: B008 - immutable
    """What is wrong with one embedded resource."""
    errors = [required(path / key) for key in ("apiVersion", "kind") if key not in value]
    for key in ("apiVersion", "kind"):
        text = value.get(key, "?")
        if not isinstance(text, str):
            errors.append(invalid(path / key, in_order(text), "must be a string"))
        elif not text:
            errors.append(invalid(path / key, text, "must not be empty"))
        elif key == "kind" and key in value:
            errors += _kind_errors(text, path / key)
        elif key in value:
            errors += _version_errors(text, path / key)
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        named = metadata if metadata.get("name") else {**metadata, "name": "fakename"}
        is_namespaced = bool(metadata.get("namespace"))
        errors += validate_object_meta(
            named, namespaced=is_namespaced, validate_name=path_segment_name, path=path / "metadata"
        )
    return errors


def _kind_errors(kind: str, path: Path) -> Iterator[FieldError]:
    problems = dns1035_label(kind.lower())
    if problems:
        yield invalid(path, kind, f"may have mixed case, but should otherwise match: {','.join(problems)}")


def _version_errors(version: str, path: Path) -> Iterator[FieldError]:
    try:
        GroupVersion.parse(version)
    except ValueError as error:
        yield invalid(path, version, str(error))
