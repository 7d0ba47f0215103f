"""A volume's spec. Kubernetes: pkg/apis/core/validation, ValidatePersistentVolumeSpec."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.core.pods.validation.claims import ACCESS_MODES
from localplane.catalog.core.pods.validation.names import subdomain_errors
from localplane.catalog.core.pods.validation.scheduling import NODE_SELECTOR
from localplane.catalog.validation.rules import DNS_SUBDOMAIN, Always, Fields, OneOf, Optional, Present, Struct
from localplane.catalog.validation.values import one_of

from .sources import source_errors

SPEC = Path("spec")
MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options"

_ALONE = "ReadWriteOncePod"
_INLINE = "in the context of inline volumes"
# Kinds of storage that were mounted with options when those were still an annotation.
_MOUNTED_WITH_OPTIONS = (
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
)


def persistent_volume_errors(volume: JSONObject) -> Iterator[FieldError]:
    """All but metadata."""
    metadata, spec = volume.get("metadata") or {}, volume.get("spec") or {}
    yield from _BEFORE_SOURCE(spec, SPEC)
    yield from source_errors(spec, metadata.get("name", ""), SPEC)
    yield from _root_errors(spec, SPEC / "persistentVolumeReclaimPolicy")
    yield from _AFTER_SOURCE(spec, SPEC)
    yield from _attributes_errors(spec, SPEC)
    yield from _mount_option_errors(metadata, spec)


def inline_volume_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Of a volume that has no object of its own but stands in an attachment: it comes from a CSI driver, and all that
    concerns claims is left out."""
    for field in ("claimRef", "capacity"):
        if spec.get(field):
            yield forbidden(path / field, f"may not be specified {_INLINE}")
    if spec.get("csi") is None:
        yield required(path / "csi", f"has to be specified {_INLINE}")
    yield from _access_errors(spec.get("accessModes") or (), path / "accessModes")
    if spec.get("persistentVolumeReclaimPolicy", "") not in ("", "Retain"):
        yield forbidden(path / "persistentVolumeReclaimPolicy", f"may only be Retain {_INLINE}")
    if spec.get("nodeAffinity") is not None:
        yield forbidden(path / "nodeAffinity", f"may not be specified {_INLINE}")
    yield from source_errors(spec, "", path)
    yield from _root_errors(spec, path / "persistentVolumeReclaimPolicy")
    if spec.get("storageClassName"):
        yield forbidden(path / "storageClassName", f"may not be specified {_INLINE}")
    if spec.get("volumeMode", "Filesystem") != "Filesystem":
        yield forbidden(path / "volumeMode", f"may not specify volumeMode other than Filesystem {_INLINE}")


def _access_errors(modes: Sequence[str], path: Path) -> Iterator[FieldError]:
    if not modes:
        yield required(path)
    for mode in modes:
        yield from one_of(mode, ACCESS_MODES, path)
    if _ALONE in modes and any(mode != _ALONE and mode in ACCESS_MODES for mode in modes):
        yield forbidden(path, "may not use ReadWriteOncePod with other access modes")


def _capacity_errors(capacity: Mapping[str, str], path: Path) -> Iterator[FieldError]:
    """How much it holds, and nothing else."""
    if not capacity:
        yield required(path)
    if list(capacity) != ["storage"]:
        yield not_supported(path, dict(sorted(capacity.items())) or None, ("storage",))
    for name, amount in sorted(capacity.items()):
        if (whole := parse(amount).value()) < 0:
            yield invalid(path[name], whole, "must be a valid resource quantity")
        if parse(amount).sign <= 0:
            yield invalid(path[name], amount, "must be greater than zero")


_BEFORE_SOURCE = Fields(
    accessModes=Always(_access_errors, absent=()),
    capacity=Struct(_capacity_errors),
    persistentVolumeReclaimPolicy=Optional(OneOf("Delete", "Recycle", "Retain")),
    nodeAffinity=Fields(required=Present(NODE_SELECTOR, detail="must specify required node constraints")),
)
_AFTER_SOURCE = Fields(storageClassName=Optional(DNS_SUBDOMAIN), volumeMode=OneOf("Block", "Filesystem"))


def _root_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Whoever recycles a volume deletes all that is in it."""
    source = spec.get("hostPath")
    if source is None or spec.get("persistentVolumeReclaimPolicy") != "Recycle":
        return
    if posixpath.normpath(source.get("path") or ".") in ("/", "//"):
        yield forbidden(path, "may not be 'recycle' for a hostPath mount of '/'")


def _attributes_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    name = spec.get("volumeAttributesClassName")
    if name is None:
        return
    if not name:
        yield required(path / "volumeAttributesClassName", "an empty string is disallowed")
    else:
        yield from subdomain_errors(name, path / "volumeAttributesClassName")
    if spec.get("csi") is None:
        yield required(path / "csi", "has to be specified when using volumeAttributesClassName")


def _mount_option_errors(metadata: JSONObject, spec: JSONObject) -> Iterator[FieldError]:
    """Kubernetes: pkg/volume/validation, checkMountOption."""
    if any(spec.get(kind) is not None for kind in _MOUNTED_WITH_OPTIONS):
        return
    if MOUNT_OPTIONS in (metadata.get("annotations") or {}):
        place = Path("metadata") / "annotations" / MOUNT_OPTIONS
        yield forbidden(place, "may not specify mount options for this volume type")
