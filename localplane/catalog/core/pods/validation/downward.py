"""References from a pod into itself: to its fields, and to its containers' resources.

Variables and volumes both take them, with different lists. Kubernetes: validateObjectFieldSelector,
validateContainerResourceFieldSelector; pkg/apis/core/pods, ConvertDownwardAPIFieldLabel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.names import qualified_name
from localplane.apimachinery.quantity import ZERO, parse

from .names import invalid_each

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
