"""Volumes that are disks of a cloud, come through a driver, or stand on the network.

Persistent volumes have most of them too.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required, too_long
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.regexps import compiled
from localplane.catalog.validation.values import in_range, one_of

from .names import invalid_each, label_errors, missing_errors, required_label_errors

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


_FORMATS = {
    "iqn": r"iqn\.\d{4}-\d{2}\.([[:alnum:].-]+)(:[^,;*&$|\s]+)$",
    "eui": r"^eui.[[:alnum:]]{16}$",
    "naa": r"^naa.[[:alnum:]]{32}$",
}
_PAIRS = "must be a host:port pair or multiple pairs separated by commas"
_TENANT_MAX = 64
_LUN_MAX = 255


def nfs_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "server", "path")
    if not (target := source.get("path", "")).startswith("/"):
        yield invalid(path / "path", target, "must be an absolute path")


def iscsi_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "targetPortal", "iqn")
    if name := source.get("iqn"):
        yield from _qualified_name_errors(name, path / "iqn")
    yield from in_range(source.get("lun", 0), 0, _LUN_MAX, path / "lun")
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and source.get("secretRef") is None:
        yield required(path / "secretRef")
    if (name := source.get("initiatorName")) is not None:
        yield from _qualified_name_errors(name, path / "initiatorname")


def _qualified_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    pattern = _FORMATS.get(name[:3])
    if pattern is None:
        yield invalid(path, name, "must be valid format starting with iqn, eui, or naa")
    elif not compiled(pattern).is_in(name):
        yield invalid(path, name, "must be valid format")


def flocker_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    name, uuid = source.get("datasetName", ""), source.get("datasetUUID", "")
    if not name and not uuid:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield invalid(path / "datasetName", name, "must not contain '/'")


def quobyte_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    registry = source.get("registry", "")
    if not registry:
        yield required(path / "registry", _PAIRS)
    elif len(source.get("tenant", "")) > _TENANT_MAX:
        yield required(path / "tenant", "must be a UUID and may not exceed a length of 64 characters")
    else:
        for pair in registry.split(","):
            if not _is_host_and_port(pair):
                yield invalid(path / "registry", registry, _PAIRS)
    yield from missing_errors(source, path, "volume")


def _is_host_and_port(text: str) -> bool:
    """As Go's net.SplitHostPort: an IPv6 host stands in brackets."""
    host, colon, _ = text.rpartition(":")
    if not colon:
        return False
    if host.startswith("["):
        return host.endswith("]") and "[" not in host[1:] and "]" not in host[:-1]
    return not any(character in host for character in ":[]")


def fc_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    targets, ids = source.get("targetWWNs") or [], source.get("wwids") or []
    if not targets and not ids:
        yield required(path / "targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if targets and ids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        yield invalid(path / "targetWWNs", targets, detail)
    if not targets:
        return
    if (lun := source.get("lun")) is None:
        yield required(path / "lun", "lun is required if targetWWNs is specified")
    else:
        yield from in_range(lun, 0, _LUN_MAX, path / "lun")


def storageos_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from required_label_errors(source.get("volumeName", ""), path / "volumeName")
    if namespace := source.get("volumeNamespace"):
        yield from label_errors(namespace, path / "volumeNamespace")
    if (secret := source.get("secretRef")) is not None:
        yield from missing_errors(secret, path / "secretRef", "name")
