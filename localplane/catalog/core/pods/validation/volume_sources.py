"""Volumes that are disks of a cloud, come through a driver, or stand on the network.

Persistent volumes have most of them too.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required, too_long
from localplane.apimachinery.golang.regexps import compiled
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    All,
    Always,
    Between,
    Fields,
    Needs,
    OneOf,
    Optional,
    Required,
)

from .names import invalid_each

_MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
_DRIVER_MAX = 63
_RESERVED = (".kubernetes.io", ".k8s.io")


_PARTITION = Between(0, 255, detail="must be between 1 and 255, inclusive")
_SECRET_NAME = Needs("name")

GCE = Fields(pdName=Required(), partition=_PARTITION)
AWS = Fields(volumeID=Required(), partition=_PARTITION)
CINDER = Fields(volumeID=Required(), secretRef=_SECRET_NAME)
GLUSTERFS = Needs("endpoints", "path")
RBD = Needs("monitors", "image")
CEPHFS = Needs("monitors")
AZURE_FILE = Needs("secretName", "shareName")
VSPHERE = Needs("volumePath")
PHOTON = Needs("pdID")
PORTWORX = Needs("volumeID")
SCALE_IO = Needs("gateway", "system", "volumeName")
STORAGEOS = Fields(volumeName=Required(DNS_LABEL), volumeNamespace=Optional(DNS_LABEL), secretRef=_SECRET_NAME)


def _option_errors(options: JSONObject, path: Path) -> Iterator[FieldError]:
    for key in sorted(options):
        domain = key.partition("/")[0] if "/" in key else key
        if f".{domain.lower()}".endswith(_RESERVED):
            yield invalid(path[key], key, "kubernetes.io and k8s.io namespaces are reserved")


FLEX = Fields(driver=Required(), options=_option_errors)


def _uri_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    kind, uri = source.get("kind"), source.get("diskURI", "")
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        yield not_supported(path / "diskURI", uri, (_MANAGED_URI,))
    if kind not in (None, "Managed") and not uri.startswith("https://"):
        yield not_supported(path / "diskURI", uri, (_BLOB_URI,))


AZURE_DISK = All(
    Fields(
        diskName=Required(),
        diskURI=Required(),
        cachingMode=OneOf("None", "ReadOnly", "ReadWrite"),
        kind=OneOf("Dedicated", "Managed", "Shared"),
    ),
    _uri_errors,
)


def csi_driver_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes: ValidateCSIDriverName."""
    if not name:
        yield required(path)
        return
    if size(name) > _DRIVER_MAX:
        yield too_long(path, _DRIVER_MAX)
    yield from invalid_each(path, name, dns1123_subdomain(name.lower()))


def _publish_secret_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    """A bad name is told beside the reference."""
    if (secret := source.get("nodePublishSecretRef")) is not None:
        if name := secret.get("name"):
            yield from DNS_SUBDOMAIN(name, path / "name")
        else:
            yield required(path / "nodePublishSecretRef" / "name")


CSI = All(Fields(driver=Always(csi_driver_errors)), _publish_secret_errors)

_FORMATS = {
    "iqn": r"iqn\.\d{4}-\d{2}\.([[:alnum:].-]+)(:[^,;*&$|\s]+)$",
    "eui": r"^eui.[[:alnum:]]{16}$",
    "naa": r"^naa.[[:alnum:]]{32}$",
}
_PAIRS = "must be a host:port pair or multiple pairs separated by commas"
_TENANT_MAX = 64
_VOLUME = Needs("volume")


def _qualified_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    pattern = _FORMATS.get(name[:3])
    if pattern is None:
        yield invalid(path, name, "must be valid format starting with iqn, eui, or naa")
    elif not compiled(pattern).is_in(name):
        yield invalid(path, name, "must be valid format")


def _absolute_errors(target: str, path: Path) -> Iterator[FieldError]:
    if not target.startswith("/"):
        yield invalid(path, target, "must be an absolute path")


NFS = All(Needs("server", "path"), Fields(path=Always(_absolute_errors)))


def _chap_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and source.get("secretRef") is None:
        yield required(path / "secretRef")
    if (name := source.get("initiatorName")) is not None:
        yield from _qualified_name_errors(name, path / "initiatorname")


_LUN = Between(0, 255)
ISCSI = All(
    Needs("targetPortal", "iqn"),
    Fields(iqn=Optional(_qualified_name_errors), lun=_LUN),
    _chap_errors,
)


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
    yield from _VOLUME(source, path)


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
        yield from _LUN(lun, path / "lun")
