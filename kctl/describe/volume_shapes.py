"""Which fields of which kind of volume are shown, and how: a table for `volumes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from localplane.apimachinery.gotext import go_plain

from .metadata import NONE


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


def _truth(value: Any) -> str:
    return "true" if value else "false"


def _number(value: Any) -> str:
    return str(value or 0)


def _or_none(value: Any) -> str:
    return NONE if value is None else str(value)


def _or_unset(value: Any) -> str:
    return "<unset>" if value is None else str(value)


def _listed(value: Any) -> str:
    return go_plain(value or [])


def _joined(value: Any) -> str:
    return ", ".join(value or ())


def _options(value: Any) -> str:
    return go_plain(value or {})


def _reference(value: Any) -> str:
    """A Go struct that is printed as it is, which differs between a pod's volumes and persistent ones."""
    return "nil" if value is None else f"&LocalObjectReference{{Name:{value.get('name', '')},}}"


def _namespaced_reference(value: Any) -> str:
    if value is None:
        return "nil"
    return f"&SecretReference{{Name:{value.get('name', '')},Namespace:{value.get('namespace', '')},}}"


class Field(NamedTuple):
    title: str
    path: str
    show: Callable[[Any], str] = _plain
    colon: str = ":"


class Shape(NamedTuple):
    about: str
    fields: tuple[Field, ...]


_READ_ONLY = Field("ReadOnly", "readOnly", _truth)
_FS_TYPE = Field("FSType", "fsType")
_SECRET = Field("SecretRef", "secretRef", _reference)

SHAPES = {
    "awsElasticBlockStore": Shape(
        "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
        (Field("VolumeID", "volumeID"), _FS_TYPE, Field("Partition", "partition", _number), _READ_ONLY),
    ),
    "azureDisk": Shape(
        "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
        (
            Field("DiskName", "diskName"),
            Field("DiskURI", "diskURI"),
            Field("Kind", "kind", colon=": "),
            _FS_TYPE,
            Field("CachingMode", "cachingMode"),
            _READ_ONLY,
        ),
    ),
    "azureFile": Shape(
        "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
        (Field("SecretName", "secretName"), Field("ShareName", "shareName"), _READ_ONLY),
    ),
    "cephfs": Shape(
        "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
        (
            Field("Monitors", "monitors", _listed),
            Field("Path", "path"),
            Field("User", "user"),
            Field("SecretFile", "secretFile"),
            _SECRET,
            _READ_ONLY,
        ),
    ),
    "cinder": Shape(
        "Cinder (a Persistent Disk resource in OpenStack)",
        (Field("VolumeID", "volumeID"), _FS_TYPE, _READ_ONLY, _SECRET),
    ),
    "configMap": Shape(
        "ConfigMap (a volume populated by a ConfigMap)", (Field("Name", "name"), Field("Optional", "optional", _truth))
    ),
    "fc": Shape(
        "FC (a Fibre Channel disk)",
        (Field("TargetWWNs", "targetWWNs", _joined), Field("LUN", "lun", _or_none), _FS_TYPE, _READ_ONLY),
    ),
    "flexVolume": Shape(
        "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
        (Field("Driver", "driver"), _FS_TYPE, _SECRET, _READ_ONLY, Field("Options", "options", _options)),
    ),
    "flocker": Shape(
        "Flocker (a Flocker volume mounted by the Flocker agent)",
        (Field("DatasetName", "datasetName"), Field("DatasetUUID", "datasetUUID")),
    ),
    "gcePersistentDisk": Shape(
        "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
        (Field("PDName", "pdName"), _FS_TYPE, Field("Partition", "partition", _number), _READ_ONLY),
    ),
    "gitRepo": Shape(
        "GitRepo (a volume that is pulled from git when the pod is created)",
        (Field("Repository", "repository"), Field("Revision", "revision")),
    ),
    "glusterfs": Shape(
        "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
        (Field("EndpointsName", "endpoints"), Field("Path", "path"), _READ_ONLY),
    ),
    "hostPath": Shape(
        "HostPath (bare host directory volume)", (Field("Path", "path"), Field("HostPathType", "type", _or_none))
    ),
    "image": Shape(
        "Image (a container image or OCI artifact)",
        (Field("Reference", "reference"), Field("PullPolicy", "pullPolicy")),
    ),
    "iscsi": Shape(
        "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
        (
            Field("TargetPortal", "targetPortal"),
            Field("IQN", "iqn"),
            Field("Lun", "lun", _number),
            Field("ISCSIInterface", "iscsiInterface", colon=""),
            _FS_TYPE,
            _READ_ONLY,
            Field("Portals", "portals", _listed),
            Field("DiscoveryCHAPAuth", "chapAuthDiscovery", _truth),
            Field("SessionCHAPAuth", "chapAuthSession", _truth),
            _SECRET,
            Field("InitiatorName", "initiatorName", _or_none),
        ),
    ),
    "local": Shape("LocalVolume (a persistent volume backed by local storage on a node)", (Field("Path", "path"),)),
    "nfs": Shape(
        "NFS (an NFS mount that lasts the lifetime of a pod)",
        (Field("Server", "server"), Field("Path", "path"), _READ_ONLY),
    ),
    "persistentVolumeClaim": Shape(
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        (Field("ClaimName", "claimName"), _READ_ONLY),
    ),
    "photonPersistentDisk": Shape(
        "PhotonPersistentDisk (a Persistent Disk resource in photon platform)", (Field("PdID", "pdID"), _FS_TYPE)
    ),
    "portworxVolume": Shape("PortworxVolume (a Portworx Volume resource)", (Field("VolumeID", "volumeID"),)),
    "quobyte": Shape(
        "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
        (Field("Registry", "registry"), Field("Volume", "volume"), _READ_ONLY),
    ),
    "rbd": Shape(
        "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
        (
            Field("CephMonitors", "monitors", _listed),
            Field("RBDImage", "image"),
            _FS_TYPE,
            Field("RBDPool", "pool"),
            Field("RadosUser", "user"),
            Field("Keyring", "keyring"),
            _SECRET,
            _READ_ONLY,
        ),
    ),
    "scaleIO": Shape(
        "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
        (
            Field("Gateway", "gateway"),
            Field("System", "system"),
            Field("Protection Domain", "protectionDomain"),
            Field("Storage Pool", "storagePool"),
            Field("Storage Mode", "storageMode"),
            Field("VolumeName", "volumeName"),
            _FS_TYPE,
            _READ_ONLY,
        ),
    ),
    "secret": Shape(
        "Secret (a volume populated by a Secret)",
        (Field("SecretName", "secretName"), Field("Optional", "optional", _truth)),
    ),
    "storageos": Shape(
        "StorageOS (a StorageOS Persistent Disk resource)",
        (Field("VolumeName", "volumeName"), Field("VolumeNamespace", "volumeNamespace"), _FS_TYPE, _READ_ONLY),
    ),
    "vsphereVolume": Shape(
        "vSphereVolume (a Persistent Disk resource in vSphere)",
        (Field("VolumePath", "volumePath"), _FS_TYPE, Field("StoragePolicyName", "storagePolicyName")),
    ),
}

_MORE = {
    "azureFile": (1, (Field("SecretNamespace", "secretNamespace"),)),
    "glusterfs": (1, (Field("EndpointsNamespace", "endpointsNamespace", _or_unset),)),
    "scaleIO": (6, (Field("SecretName", "secretRef.name"), Field("SecretNamespace", "secretRef.namespace"))),
}


def _persistent(name: str, shape: Shape) -> Shape:
    """Persistent volumes name their secrets with a namespace, and some have more to show."""
    position, more = _MORE.get(name, (0, ()))
    fields = (*shape.fields[:position], *more, *shape.fields[position:])
    named = (one._replace(show=_namespaced_reference) if one is _SECRET else one for one in fields)
    return shape._replace(fields=tuple(named))


PERSISTENT = {name: _persistent(name, shape) for name, shape in SHAPES.items()}
