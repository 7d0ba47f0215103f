"""Which fields of which kind of volume are shown, and how: a table for `volumes`.

Volumes, of pods and of persistent volumes. Kubernetes: describeVolumes and the functions below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from kctl.views.describe.page import NONE, Page, annotation_lines, labels, of, since
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.objects import JSONObject


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


_LONGEST_ATTRIBUTE = 140


def volumes(page: Page, every: Sequence[JSONObject], *, space: str = "") -> None:
    if not every:
        page.line(f"{space}Volumes:\t{NONE}")
        return
    page.line(f"{space}Volumes:")
    for volume in every:
        page.line(f"{' ' if space else ''}{volume.get('name', '')}:", level=1)
        volume_source(page, volume)


def volume_source(page: Page, source: JSONObject, *, persistent: bool = False) -> None:
    """Whichever of the many it is."""
    for name, write in _SPECIAL.items():
        if (found := source.get(name)) is not None:
            write(page, found)
            return
    for name, shape in (PERSISTENT if persistent else SHAPES).items():
        if (found := source.get(name)) is not None:
            _fields(page, found, shape)
            return
    page.line("<unknown>", level=1)


def _fields(page: Page, source: JSONObject, shape: Shape) -> None:
    page.line(f"Type:\t{shape.about}", level=2)
    for title, path, show, colon in shape.fields:
        *outer, field = path.split(".")
        page.line(f"{title}{colon}\t{show(of(source, *outer).get(field))}", level=2)


def _empty_dir(page: Page, source: JSONObject) -> None:
    limit = source.get("sizeLimit")
    page.line("Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)", level=2)
    page.field("Medium", source.get("medium", ""), level=2)
    page.field("SizeLimit", "<unset>" if limit in (None, "0") else limit, level=2)


def _projected(page: Page, source: JSONObject) -> None:
    page.line("Type:\tProjected (a volume that contains injected data from multiple sources)", level=2)
    for one in source.get("sources") or ():
        if (secret := one.get("secret")) is not None:
            _named_source(page, "SecretName", secret)
        elif one.get("downwardAPI") is not None:
            page.field("DownwardAPI", "true", level=2)
        elif (config_map := one.get("configMap")) is not None:
            _named_source(page, "ConfigMapName", config_map)
        elif (token := one.get("serviceAccountToken")) is not None:
            page.field("TokenExpirationSeconds", token.get("expirationSeconds", 0), level=2)


def _named_source(page: Page, title: str, found: JSONObject) -> None:
    page.field(title, found.get("name", ""), level=2)
    page.field("Optional", "true" if found.get("optional") else "false", level=2)


def _downward(page: Page, source: JSONObject) -> None:
    page.line("Type:\tDownwardAPI (a volume populated by information about the pod)\n    Items:", level=2)
    for item in source.get("items") or ():
        for field, key in (("fieldRef", "fieldPath"), ("resourceFieldRef", "resource")):
            if (found := item.get(field)) is not None:
                page.line(f"{found.get(key, '')} -> {item.get('path', '')}", level=3)


def _ephemeral(page: Page, source: JSONObject) -> None:
    page.line(
        "Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
        level=2,
    )
    if (template := source.get("volumeClaimTemplate")) is not None:
        claim(page.nested(2), template, whole=False)


def _csi(page: Page, source: JSONObject) -> None:
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


_SPECIAL: dict[str, Callable[[Page, JSONObject], None]] = {
    "emptyDir": _empty_dir,
    "projected": _projected,
    "downwardAPI": _downward,
    "ephemeral": _ephemeral,
    "csi": _csi,
}


_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_CLASS = "volume.beta.kubernetes.io/storage-class"


def access_modes(modes: list[str] | None) -> str:
    """Kubernetes: storageutil.GetAccessModesAsString."""
    return ",".join(short for mode, short in _MODES.items() if mode in (modes or ()))


def storage_class_name(obj: JSONObject) -> str:
    told = of(obj, "metadata", "annotations").get(_CLASS)
    return str(told if told is not None else of(obj, "spec").get("storageClassName") or "")


def claim(page: Page, obj: JSONObject, *, whole: bool) -> None:
    """Without `whole` it is a template, which has no name and no status."""
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    if whole:
        page.field("Name", metadata.get("name", ""))
        page.field("Namespace", metadata.get("namespace", ""))
    page.field("StorageClass", storage_class_name(obj))
    if whole:
        gone = metadata.get("deletionTimestamp")
        page.field("Status", f"Terminating (lasts {since(gone)})" if gone else status.get("phase", ""))
    page.field("Volume", spec.get("volumeName", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    if whole:
        page.field("Finalizers", go_plain(metadata.get("finalizers") or []))
    bound = bool(spec.get("volumeName"))
    page.field("Capacity", of(status, "capacity").get("storage", "0") if bound else "")
    page.field("Access Modes", access_modes(status.get("accessModes")) if bound else "")
    if spec.get("volumeMode"):
        page.field("VolumeMode", spec["volumeMode"])
    if (source := spec.get("dataSource")) is not None:
        page.line("DataSource:")
        if source.get("apiGroup") is not None:
            page.field("APIGroup", source["apiGroup"], level=1)
        page.field("Kind", source.get("kind", ""), level=1)
        page.field("Name", source.get("name", ""), level=1)
