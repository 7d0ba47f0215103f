"""Volumes that are disks of a cloud, or come through a driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required, too_long
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.catalog.validation.values import one_of

from .names import invalid_each, missing_errors

JSONObject = Mapping[str, Any]

_MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
_DRIVER_MAX = 63
_RESERVED = (".kubernetes.io", ".k8s.io")


def _partition_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    if not 0 <= (number := source.get("partition", 0)) <= 255:
        yield invalid(path / "partition", number, "must be between 1 and 255, inclusive")


def gce_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "pdName")
    yield from _partition_errors(source, path)


def aws_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "volumeID")
    yield from _partition_errors(source, path)


def cinder_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "volumeID")
    if (secret := source.get("secretRef")) is not None:
        yield from missing_errors(secret, path / "secretRef", "name")


def flex_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "driver")
    for key in sorted(source.get("options") or {}):
        domain = key.partition("/")[0] if "/" in key else key
        if f".{domain.lower()}".endswith(_RESERVED):
            yield invalid((path / "options")[key], key, "kubernetes.io and k8s.io namespaces are reserved")


def azure_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "diskName", "diskURI")
    for field, choices in (
        ("cachingMode", ("None", "ReadOnly", "ReadWrite")),
        ("kind", ("Dedicated", "Managed", "Shared")),
    ):
        if (value := source.get(field)) is not None:
            yield from one_of(value, choices, path / field)
    kind, uri = source.get("kind"), source.get("diskURI", "")
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        yield not_supported(path / "diskURI", uri, (_MANAGED_URI,))
    if kind not in (None, "Managed") and not uri.startswith("https://"):
        yield not_supported(path / "diskURI", uri, (_BLOB_URI,))


def csi_driver_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes: ValidateCSIDriverName."""
    if not name:
        yield required(path)
        return
    if size(name) > _DRIVER_MAX:
        yield too_long(path, _DRIVER_MAX)
    yield from invalid_each(path, name, dns1123_subdomain(name.lower()))


def csi_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from csi_driver_errors(source.get("driver", ""), path / "driver")
    if (secret := source.get("nodePublishSecretRef")) is not None:
        if name := secret.get("name"):
            yield from invalid_each(path / "name", name, dns1123_subdomain(name))
        else:
            yield required(path / "nodePublishSecretRef" / "name")
