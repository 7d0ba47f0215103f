"""Volumes whose files are written from objects: Secrets, ConfigMaps, and the pod itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required

from .downward import VOLUME_FIELDS, field_errors, resource_errors
from .names import missing_errors
from .paths import mode_errors, unreserved_errors

JSONObject = Mapping[str, Any]


def secret_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "secretName")
    yield from _keyed_errors(source, path)


def config_map_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "name")
    yield from _keyed_errors(source, path)


def _keyed_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from mode_errors(source.get("defaultMode"), path / "defaultMode")
    for index, item in enumerate(source.get("items") or ()):
        yield from key_errors(item, (path / "items")[index])


def key_errors(item: JSONObject, path: Path) -> Iterator[FieldError]:
    """One key of the object, and the file it becomes."""
    yield from missing_errors(item, path, "key", "path")
    yield from unreserved_errors(item.get("path", ""), path / "path")
    yield from mode_errors(item.get("mode"), path / "mode")


def downward_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from mode_errors(source.get("defaultMode"), path / "defaultMode")
    for item in source.get("items") or ():
        yield from downward_file_errors(item, path)


def downward_file_errors(item: JSONObject, path: Path) -> Iterator[FieldError]:
    """Kubernetes reports all files at the volume, without their index."""
    yield from missing_errors(item, path, "path")
    yield from unreserved_errors(item.get("path", ""), path / "path")
    field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
    if field is not None:
        yield from field_errors(field, VOLUME_FIELDS, path / "fieldRef")
        if resource is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield invalid(path, "resource", detail)
    elif resource is not None:
        yield from resource_errors(resource, path / "resourceFieldRef", in_volume=True)
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from mode_errors(item.get("mode"), path / "mode")
