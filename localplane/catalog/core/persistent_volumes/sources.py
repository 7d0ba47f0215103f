"""Where a volume's data are. Most sources are those of pods, with references to secrets of any namespace.

Kubernetes: pkg/apis/core/validation, validateISCSIPersistentVolumeSource and its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.validation import volume_sources
from localplane.catalog.core.pods.validation.names import (
    backstep_errors,
    invalid_each,
    label_errors,
    missing_errors,
    required_label_errors,
)
from localplane.catalog.core.pods.validation.volumes import host_path_errors

Rule = Callable[[JSONObject, Path], Iterator[FieldError]]

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


def _needs(*fields: str) -> Rule:
    return lambda source, path: missing_errors(source, path, *fields)


def _glusterfs_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "endpoints", "path")
    namespace = source.get("endpointsNamespace")
    if namespace == "":
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        yield invalid(path / "endpointsNamespace", namespace, detail)
    elif namespace is not None:
        yield from invalid_each(path / "endpointsNamespace", namespace, dns1123_label(namespace))


def _iscsi_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    for error in volume_sources.iscsi_errors(source, path):
        yield replace(error, detail=error.detail.removesuffix(" starting with iqn, eui, or naa"))
    if (secret := source.get("secretRef")) is not None:
        yield from missing_errors(secret, path / "secretRef", "name")


def _initiator_errors(source: JSONObject, name: str, path: Path) -> Iterator[FieldError]:
    portal = source.get("targetPortal", "")
    if source.get("initiatorName") is not None and size(f"{name}:{portal}") > _INITIATOR_MAX:
        yield invalid(path, portal, _TOO_LONG)


def _cinder_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "volumeID")
    yield from _reference_errors(source, path)


def _reference_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    if (secret := source.get("secretRef")) is not None:
        yield from missing_errors(secret, path / "secretRef", "name", "namespace")


def _azure_file_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "secretName", "shareName")
    if source.get("secretNamespace") == "":
        yield required(path / "secretNamespace")


def _local_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    if not (target := source.get("path", "")):
        yield required(path / "path")
        return
    yield from backstep_errors(target, path / "path")


def _storageos_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from required_label_errors(source.get("volumeName", ""), path / "volumeName")
    if namespace := source.get("volumeNamespace"):
        yield from label_errors(namespace, path / "volumeNamespace")
    yield from _reference_errors(source, path)


def _csi_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from volume_sources.csi_driver_errors(source.get("driver", ""), path / "driver")
    yield from missing_errors(source, path, "volumeHandle")
    for action in ("controllerPublish", "controllerExpand", "nodePublish", "nodeExpand"):
        place = path / f"{action}SecretRef"
        if (secret := source.get(f"{action}SecretRef")) is None:
            continue
        yield from missing_errors(secret, place, "name", "namespace")
        if name := secret.get("name"):
            yield from invalid_each(place / "name", name, dns1123_subdomain(name))
        if namespace := secret.get("namespace"):
            yield from label_errors(namespace, place / "namespace")


_SOURCES: dict[str, Rule] = {
    "hostPath": host_path_errors,
    "gcePersistentDisk": volume_sources.gce_errors,
    "awsElasticBlockStore": volume_sources.aws_errors,
    "glusterfs": _glusterfs_errors,
    "flocker": volume_sources.flocker_errors,
    "nfs": volume_sources.nfs_errors,
    "rbd": _needs("monitors", "image"),
    "quobyte": volume_sources.quobyte_errors,
    "cephfs": _needs("monitors"),
    "iscsi": _iscsi_errors,
    "cinder": _cinder_errors,
    "fc": volume_sources.fc_errors,
    "flexVolume": volume_sources.flex_errors,
    "azureFile": _azure_file_errors,
    "vsphereVolume": _needs("volumePath"),
    "photonPersistentDisk": _needs("pdID"),
    "portworxVolume": _needs("volumeID"),
    "azureDisk": volume_sources.azure_errors,
    "scaleIO": _needs("gateway", "system", "volumeName"),
    "local": _local_errors,
    "storageos": _storageos_errors,
    "csi": _csi_errors,
}
# Kubernetes' own slips of the pen.
_MISSPELT = {"cephfs": "cephFS"}
_ELSEWHERE = {"gcePersistentDisk": "persistentDisk"}

SOURCES = tuple(_SOURCES)
