"""Environment variables, one by one and from whole ConfigMaps and Secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_found, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.catalog.core.data_keys import key_problems

from .downward import VARIABLE_FIELDS, field_errors, resource_errors
from .names import invalid_each, required_label_errors, variable_name
from .paths import backstep_errors

JSONObject = Mapping[str, Any]

_NO_SOURCE = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_TWO_SOURCES = "may not have more than one field specified at a time"


def env_errors(variables: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    for index, variable in enumerate(variables):
        name = variable.get("name", "")
        if not name:
            yield required(path[index] / "name")
        else:
            yield from invalid_each(path[index] / "name", name, variable_name(name))
        if (source := variable.get("valueFrom")) is not None:
            yield from _source_errors(variable, source, path[index] / "valueFrom")


def _source_errors(variable: JSONObject, source: JSONObject, path: Path) -> Iterator[FieldError]:
    found = [name for name in _SOURCES if source.get(name) is not None]
    for name in found:
        yield from _SOURCES[name](source[name], path / name)
    if not found:
        yield invalid(path, "", _NO_SOURCE)
    elif variable.get("value"):
        yield invalid(path, "", "may not be specified when `value` is not empty")
    elif len(found) > 1:
        yield invalid(path, "", _TWO_SOURCES)


def _field_errors(reference: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from field_errors(reference, VARIABLE_FIELDS, path)


def _resource_errors(reference: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from resource_errors(reference, path, in_volume=False)


def _key_errors(reference: JSONObject, path: Path) -> Iterator[FieldError]:
    name, key = reference.get("name", ""), reference.get("key", "")
    yield from invalid_each(path / "name", name, dns1123_subdomain(name))
    if key:
        yield from invalid_each(path / "key", key, key_problems(key))
    else:
        yield required(path / "key")


def _file_errors(reference: JSONObject, path: Path) -> Iterator[FieldError]:
    if key := reference.get("key"):
        yield from invalid_each(path / "key", key, variable_name(key))
    else:
        yield required(path / "key")
    yield from required_label_errors(reference.get("volumeName", ""), path / "volumeName")
    if file := reference.get("path"):
        yield from backstep_errors(file, path / "path")
    else:
        yield required(path / "path")


_SOURCES: dict[str, Callable[[JSONObject, Path], Iterator[FieldError]]] = {
    "fieldRef": _field_errors,
    "resourceFieldRef": _resource_errors,
    "configMapKeyRef": _key_errors,
    "secretKeyRef": _key_errors,
    "fileKeyRef": _file_errors,
}


def env_from_errors(sources: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    for index, source in enumerate(sources):
        if prefix := source.get("prefix"):
            yield from invalid_each(path[index] / "prefix", prefix, variable_name(prefix))
        found = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        for kind in found:
            name = source[kind].get("name", "")
            place = path[index] / kind / "name"
            yield from invalid_each(place, name, dns1123_subdomain(name, prefix=True)) if name else [required(place)]
        if not found:
            yield invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(found) > 1:
            yield invalid(path, "", _TWO_SOURCES)


def file_volume_errors(
    containers: Sequence[tuple[Path, JSONObject]], volumes: Sequence[JSONObject]
) -> Iterator[FieldError]:
    """Files of variables are read from empty directories that the containers before have filled."""
    by_name = {volume.get("name", ""): volume for volume in volumes}
    for path, container in containers:
        for index, variable in enumerate(container.get("env") or ()):
            reference = (variable.get("valueFrom") or {}).get("fileKeyRef")
            if reference is None:
                continue
            name = reference.get("volumeName", "")
            place = (path / "env")[index] / "valueFrom" / "fileKeyRef" / "volumeName"
            if name not in by_name:
                yield not_found(place, name)
            elif by_name[name].get("emptyDir") is None:
                yield invalid(place, name, "referenced volume must be of type emptyDir")
