"""Environment variables, one by one and from whole ConfigMaps and Secrets; and a pod's references into itself.

Variables and volumes both take references to a pod's fields and its containers' resources, with different lists.
Kubernetes: validateEnv, validateObjectFieldSelector, validateContainerResourceFieldSelector; pkg/apis/core/pods,
ConvertDownwardAPIFieldLabel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_found, not_supported, required
from localplane.apimachinery.names import config_map_key, dns1123_subdomain, qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO, parse
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    Always,
    Each,
    Fields,
    Named,
    Optional,
    Required,
    Rule,
)

from .names import backstep_errors, invalid_each, variable_name

VARIABLE_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
VOLUME_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_KNOWN_FIELDS = {*VARIABLE_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
_RENAMED = {"spec.host": "spec.nodeName"}
_MAPS = ("metadata.annotations", "metadata.labels")

_RESOURCES = tuple(
    f"{part}.{name}" for part in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_UNITS = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")


def field_errors(reference: Mapping[str, Any], allowed: Collection[str], path: Path) -> Iterator[FieldError]:
    version, field = reference.get("apiVersion", ""), reference.get("fieldPath", "")
    if not version or not field:
        yield required(path / ("fieldPath" if version else "apiVersion"))
        return
    subscripted, subscript = _split(field)
    if problem := _conversion_problem(version, field, subscripted):
        yield invalid(path / "fieldPath", field, f"error converting fieldPath: {problem}")
        return
    if subscripted is not None:
        subscript = subscript.lower() if subscripted == "metadata.annotations" else subscript
        yield from invalid_each(path, subscript, qualified_name(subscript))
        return
    found = _RENAMED.get(field, field)
    if found not in allowed:
        yield not_supported(path / "fieldPath", found, sorted(allowed))


def _split(field: str) -> tuple[str | None, str]:
    """What is before a subscript, and the subscript. Kubernetes: fieldpath.SplitMaybeSubscriptedPath."""
    if not field.endswith("']"):
        return None, ""
    before, opening, subscript = field[:-2].partition("['")
    return (before, subscript) if before and opening else (None, "")


def _conversion_problem(version: str, field: str, subscripted: str | None) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if subscripted is not None:
        return "" if subscripted in _MAPS else f"field label does not support subscript: {field}"
    return "" if field in _KNOWN_FIELDS or field in _RENAMED else f"field label not supported: {field}"


def resource_errors(reference: Mapping[str, Any], path: Path, *, in_volume: bool) -> Iterator[FieldError]:
    """A volume must say whose resources it means; a variable belongs to a container."""
    name = reference.get("resource", "")
    if in_volume and not reference.get("containerName"):
        yield required(path / "containerName")
    elif not name:
        yield required(path / "resource")
    elif name not in _RESOURCES and not name.startswith(_HUGE_PAGES):
        yield not_supported(path / "resource", name, sorted(_RESOURCES))
    yield from _divisor_errors(name, str(reference.get("divisor", "0")), path / "divisor")


def _divisor_errors(name: str, divisor: str, path: Path) -> Iterator[FieldError]:
    if parse(divisor) == ZERO:
        return
    called = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "local ephemeral storage"}
    kind = name.partition(".")[2] if name in _RESOURCES else ""
    if kind == "cpu":
        if divisor not in ("1m", "1"):
            yield invalid(path, name, "only divisor's values 1m and 1 are supported with the cpu resource")
    elif (kind or name.startswith(_HUGE_PAGES)) and divisor not in _UNITS:
        of = called.get(kind, "hugepages")
        yield invalid(path, name, f"only divisor's values {', '.join(_UNITS)} are supported with the {of} resource")


_NO_SOURCE = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_TWO_SOURCES = "may not have more than one field specified at a time"


def _source_errors(variable: JSONObject, path: Path) -> Iterator[FieldError]:
    if (source := variable.get("valueFrom")) is None:
        return
    path /= "valueFrom"
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


_VARIABLE_NAME = Named(variable_name)
_KEY = Fields(name=Always(DNS_SUBDOMAIN), key=Required(Named(config_map_key)))
_FILE = Fields(key=Required(_VARIABLE_NAME), volumeName=Required(DNS_LABEL), path=Required(backstep_errors))
_SOURCES: dict[str, Rule] = {
    "fieldRef": _field_errors,
    "resourceFieldRef": _resource_errors,
    "configMapKeyRef": _KEY,
    "secretKeyRef": _KEY,
    "fileKeyRef": _FILE,
}


_PREFIX = Fields(prefix=Optional(_VARIABLE_NAME))
ENVIRONMENT = Each(Fields(name=Required(_VARIABLE_NAME)), _source_errors)


def env_from_errors(sources: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    for index, source in enumerate(sources):
        yield from _PREFIX(source, path[index])
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
