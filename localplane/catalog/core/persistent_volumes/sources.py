"""Where a volume's data are. Most sources are those of pods, with references to secrets of any namespace.

Kubernetes: pkg/apis/core/validation, validateISCSIPersistentVolumeSource and its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.names import size
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.validation import volume_sources
from localplane.catalog.core.pods.validation.names import (
    backstep_errors,
)
from localplane.catalog.core.pods.validation.volumes import host_path_errors
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    All,
    Always,
    Fields,
    Needs,
    NotEmpty,
    Optional,
    Required,
    Rule,
)

_INITIATOR_MAX = 64
_TOO_LONG = (
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is "
    "specified."
)


def source_errors(spec: JSONObject, name: str, path: Path) -> Iterator[FieldError]:
    """Exactly one source, and a good one. `name` is the volume's."""
    found = False
    for kind, rule in _SOURCES.items():
        source = spec.get(kind)
        if source is None:
            continue
        if found and kind != "flexVolume":  # Kubernetes forgot to look at this one
            yield forbidden(path / _MISSPELT.get(kind, kind), "may not specify more than 1 volume type")
            continue
        found = True
        yield from rule(source, path / _ELSEWHERE.get(kind, kind))
        if kind == "iscsi":
            yield from _initiator_errors(source, name, path / "iscsi" / "targetportal")
        if kind == "local" and spec.get("nodeAffinity") is None:
            yield required(path / "nodeAffinity", "Local volume requires node affinity")
    if not found:
        yield required(path, "must specify a volume type")


_REFERENCE = Needs("name", "namespace")
_GLUSTERFS_NAMESPACE = "if the endpointnamespace is set, it must be a valid namespace name"


def _glusterfs_namespace_errors(namespace: str, path: Path) -> Iterator[FieldError]:
    if not namespace:
        yield invalid(path, namespace, _GLUSTERFS_NAMESPACE)
    else:
        yield from DNS_LABEL(namespace, path)


def _iscsi_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    for error in volume_sources.ISCSI(source, path):
        yield replace(error, detail=error.detail.removesuffix(" starting with iqn, eui, or naa"))
    yield from _SECRET(source, path)


_SECRET = Fields(secretRef=Needs("name"))


def _initiator_errors(source: JSONObject, name: str, path: Path) -> Iterator[FieldError]:
    portal = source.get("targetPortal", "")
    if source.get("initiatorName") is not None and size(f"{name}:{portal}") > _INITIATOR_MAX:
        yield invalid(path, portal, _TOO_LONG)


_CSI_SECRET = All(_REFERENCE, Fields(name=Optional(DNS_SUBDOMAIN), namespace=Optional(DNS_LABEL)))


_SOURCES: dict[str, Rule] = {
    "hostPath": host_path_errors,
    "gcePersistentDisk": volume_sources.GCE,
    "awsElasticBlockStore": volume_sources.AWS,
    "glusterfs": All(volume_sources.GLUSTERFS, Fields(endpointsNamespace=_glusterfs_namespace_errors)),
    "flocker": volume_sources.flocker_errors,
    "nfs": volume_sources.NFS,
    "rbd": volume_sources.RBD,
    "quobyte": volume_sources.quobyte_errors,
    "cephfs": volume_sources.CEPHFS,
    "iscsi": _iscsi_errors,
    "cinder": Fields(volumeID=Required(), secretRef=_REFERENCE),
    "fc": volume_sources.fc_errors,
    "flexVolume": volume_sources.FLEX,
    "azureFile": All(volume_sources.AZURE_FILE, Fields(secretNamespace=NotEmpty())),
    "vsphereVolume": volume_sources.VSPHERE,
    "photonPersistentDisk": volume_sources.PHOTON,
    "portworxVolume": volume_sources.PORTWORX,
    "azureDisk": volume_sources.AZURE_DISK,
    "scaleIO": volume_sources.SCALE_IO,
    "local": Fields(path=Required(backstep_errors)),
    "storageos": Fields(volumeName=Required(DNS_LABEL), volumeNamespace=Optional(DNS_LABEL), secretRef=_REFERENCE),
    "csi": Fields(
        driver=Always(volume_sources.csi_driver_errors),
        volumeHandle=Required(),
        controllerPublishSecretRef=_CSI_SECRET,
        controllerExpandSecretRef=_CSI_SECRET,
        nodePublishSecretRef=_CSI_SECRET,
        nodeExpandSecretRef=_CSI_SECRET,
    ),
}
# Kubernetes' own slips of the pen.
_MISSPELT = {"cephfs": "cephFS"}
_ELSEWHERE = {"gcePersistentDisk": "persistentDisk"}

SOURCES = tuple(_SOURCES)
