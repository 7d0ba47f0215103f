"""Volumes on the network: NFS, iSCSI, Fibre Channel, and the storage systems of their time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.regexps import compiled
from localplane.catalog.validation.values import in_range

from .names import label_errors, missing_errors, required_label_errors

JSONObject = Mapping[str, Any]

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
