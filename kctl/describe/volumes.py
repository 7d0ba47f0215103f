"""Volumes, of pods and of persistent volumes. Kubernetes: describeVolumes and the functions below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from localplane.apimachinery.gotext import go_plain

from .metadata import NONE
from .page import Page

Object = dict[str, Any]
_LONGEST_ATTRIBUTE = 140


class _Shape(NamedTuple):
    """`fields` are pairs of a title and where it is; a title that ends in `?` shows a truth, in `=` what is unset."""

    about: str
    fields: tuple[tuple[str, str], ...]


_READ_ONLY = ("ReadOnly?", "readOnly")
_SHAPES = {
    "gitRepo": _Shape(
        "GitRepo (a volume that is pulled from git when the pod is created)",
        (("Repository", "repository"), ("Revision", "revision")),
    ),
    "hostPath": _Shape("HostPath (bare host directory volume)", (("Path", "path"), ("HostPathType=", "type"))),
    "secret": _Shape(
        "Secret (a volume populated by a Secret)", (("SecretName", "secretName"), ("Optional?", "optional"))
    ),
    "configMap": _Shape("ConfigMap (a volume populated by a ConfigMap)", (("Name", "name"), ("Optional?", "optional"))),
    "nfs": _Shape(
        "NFS (an NFS mount that lasts the lifetime of a pod)", (("Server", "server"), ("Path", "path"), _READ_ONLY)
    ),
    "persistentVolumeClaim": _Shape(
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        (("ClaimName", "claimName"), _READ_ONLY),
    ),
    "glusterfs": _Shape(
        "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
        (("EndpointsName", "endpoints"), ("Path", "path"), _READ_ONLY),
    ),
    "gcePersistentDisk": _Shape(
        "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
        (("PDName", "pdName"), ("FSType", "fsType"), ("Partition#", "partition"), _READ_ONLY),
    ),
    "awsElasticBlockStore": _Shape(
        "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
        (("VolumeID", "volumeID"), ("FSType", "fsType"), ("Partition#", "partition"), _READ_ONLY),
    ),
    "vsphereVolume": _Shape(
        "vSphereVolume (a Persistent Disk resource in vSphere)",
        (("VolumePath", "volumePath"), ("FSType", "fsType"), ("StoragePolicyName", "storagePolicyName")),
    ),
    "azureFile": _Shape(
        "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
        (("SecretName", "secretName"), ("ShareName", "shareName"), _READ_ONLY),
    ),
    "portworxVolume": _Shape("PortworxVolume (a Portworx Volume resource)", (("VolumeID", "volumeID"),)),
    "local": _Shape("LocalVolume (a persistent volume backed by local storage on a node)", (("Path", "path"),)),
    "image": _Shape(
        "Image (a container image or OCI artifact)", (("Reference", "reference"), ("PullPolicy", "pullPolicy"))
    ),
    "flexVolume": _Shape(
        "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
        (
            ("Driver", "driver"),
            ("FSType", "fsType"),
            ("SecretRef~", "secretRef"),
            _READ_ONLY,
            ("Options^", "options"),
        ),
    ),
    "rbd": _Shape(
        "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
        (
            ("CephMonitors@", "monitors"),
            ("RBDImage", "image"),
            ("FSType", "fsType"),
            ("RBDPool", "pool"),
            ("RadosUser", "user"),
            ("Keyring", "keyring"),
            ("SecretRef~", "secretRef"),
            _READ_ONLY,
        ),
    ),
    "cephfs": _Shape(
        "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
        (
            ("Monitors@", "monitors"),
            ("Path", "path"),
            ("User", "user"),
            ("SecretFile", "secretFile"),
            ("SecretRef~", "secretRef"),
            _READ_ONLY,
        ),
    ),
    "cinder": _Shape(
        "Cinder (a Persistent Disk resource in OpenStack)",
        (("VolumeID", "volumeID"), ("FSType", "fsType"), _READ_ONLY, ("SecretRef~", "secretRef")),
    ),
}
_UNSET: dict[str, Callable[[Any], str]] = {
    "?": lambda value: "true" if value else "false",
    "#": lambda value: str(value or 0),
    "=": lambda value: NONE if value is None else str(value),
    "~": lambda value: "nil" if value is None else f"&LocalObjectReference{{Name:{value.get('name', '')},}}",
    "^": lambda value: go_plain(value or {}),
    "@": lambda value: go_plain(value or []),
}


def volumes(page: Page, every: Sequence[Object], *, space: str = "") -> None:
    if not every:
        page.line(f"{space}Volumes:\t{NONE}")
        return
    page.line(f"{space}Volumes:")
    for volume in every:
        page.line(f"{' ' if space else ''}{volume.get('name', '')}:", level=1)
        volume_source(page, volume)


def volume_source(page: Page, source: Object) -> None:
    """Whichever of the many it is."""
    for name, write in _SPECIAL.items():
        if (found := source.get(name)) is not None:
            write(page, found)
            return
    for name, shape in _SHAPES.items():
        if (found := source.get(name)) is not None:
            page.line(f"Type:\t{shape.about}", level=2)
            for title, field in shape.fields:
                shown = _UNSET.get(title[-1])
                value = shown(found.get(field)) if shown is not None else found.get(field, "")
                page.field(title.rstrip("?#=~^@"), value, level=2)
            return
    page.line("<unknown>", level=1)


def _empty_dir(page: Page, source: Object) -> None:
    limit = source.get("sizeLimit")
    page.line("Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)", level=2)
    page.field("Medium", source.get("medium", ""), level=2)
    page.field("SizeLimit", "<unset>" if limit in (None, "0") else limit, level=2)


def _projected(page: Page, source: Object) -> None:
    page.line("Type:\tProjected (a volume that contains injected data from multiple sources)", level=2)
    for one in source.get("sources") or ():
        for field, title in (("secret", "SecretName"), ("configMap", "ConfigMapName")):
            if (found := one.get(field)) is not None:
                page.field(title, found.get("name", ""), level=2)
                page.field("Optional", "true" if found.get("optional") else "false", level=2)
        if one.get("downwardAPI") is not None:
            page.field("DownwardAPI", "true", level=2)
        if (token := one.get("serviceAccountToken")) is not None:
            page.field("TokenExpirationSeconds", token.get("expirationSeconds", 0), level=2)


def _downward(page: Page, source: Object) -> None:
    page.line("Type:\tDownwardAPI (a volume populated by information about the pod)\n    Items:", level=2)
    for item in source.get("items") or ():
        for field, key in (("fieldRef", "fieldPath"), ("resourceFieldRef", "resource")):
            if (found := item.get(field)) is not None:
                page.line(f"{found.get(key, '')} -> {item.get('path', '')}", level=3)


def _ephemeral(page: Page, source: Object) -> None:
    from .claims import claim

    page.line(
        "Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
        level=2,
    )
    if (template := source.get("volumeClaimTemplate")) is not None:
        claim(page.nested(2), template, whole=False)


def _csi(page: Page, source: Object) -> None:
    page.line("Type:\tCSI (a Container Storage Interface (CSI) volume source)", level=2)
    page.field("Driver", source.get("driver", ""), level=2)
    page.field("FSType", source.get("fsType", ""), level=2)
    if "volumeHandle" in source:
        page.field("VolumeHandle", source["volumeHandle"], level=2)
    page.field("ReadOnly", "true" if source.get("readOnly") else "false", level=2)
    attributes = source.get("volumeAttributes") or {}
    page.write("VolumeAttributes:\t", level=2)
    if not attributes:
        page.line(NONE)
    for number, key in enumerate(sorted(attributes)):
        if number:
            page.write("", level=2)
            page.write("\t", level=2)
        line = f"{key}={attributes[key]}"
        page.line(f"{line[:_LONGEST_ATTRIBUTE]}..." if len(line) > _LONGEST_ATTRIBUTE else line, level=2)


_SPECIAL: dict[str, Callable[[Page, Object], None]] = {
    "emptyDir": _empty_dir,
    "projected": _projected,
    "downwardAPI": _downward,
    "ephemeral": _ephemeral,
    "csi": _csi,
}
