"""Volumes: a good name, and exactly one source; and where containers mount them, as directories and as devices."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, not_found, required
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.validation.rules import DNS_LABEL, Fields, Needs, OneOf, Present, Required, Rule
from localplane.catalog.validation.values import one_of

from . import volume_sources
from .claims import CLAIM_TEMPLATE
from .names import backstep_errors, descending_errors, has_backsteps
from .projected import CONFIG_MAP, SECRET, downward_errors, projected_errors

_HOST_PATH_TYPE = Fields(
    type=OneOf(
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    )
)
_NAME = Fields(name=Required(DNS_LABEL))
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_INITIATOR_MAX = 64
_CREATED_CLAIM = "must not reference a PVC that gets created for an ephemeral volume"


@dataclass(frozen=True, slots=True)
class CheckedVolumes:
    """What is wrong, and the volumes that containers can mount: one that is wrong in itself is never mounted well."""

    good: Mapping[str, JSONObject]
    errors: Sequence[FieldError]


def check_volumes(volumes: Sequence[JSONObject], pod_name: str, path: Path) -> CheckedVolumes:
    """`pod_name` is empty in templates: only a pod's ephemeral volumes have claims with a name."""
    good: dict[str, JSONObject] = {}
    errors: list[FieldError] = []
    created = {f"{pod_name}-{each.get('name', '')}" for each in volumes if each.get("ephemeral") is not None}
    for index, volume in enumerate(volumes):
        found = _errors_of(volume, good, pod_name, path[index])
        if not found:
            good[volume["name"]] = volume
        errors += found
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
        if pod_name and claim in created:
            errors.append(invalid(path[index] / "persistentVolumeClaim" / "claimName", claim, _CREATED_CLAIM))
    return CheckedVolumes(good, errors)


def _errors_of(volume: JSONObject, names: Container[str], pod_name: str, path: Path) -> list[FieldError]:
    name = volume.get("name", "")
    errors = list(_source_errors(volume, name, pod_name, path))
    errors += _NAME(volume, path)
    if name in names:
        errors.append(duplicate(path / "name", name))
    return errors


def _source_errors(volume: JSONObject, name: str, pod_name: str, path: Path) -> Iterator[FieldError]:
    found = False
    for kind, rule in _SOURCES.items():
        source = volume.get(kind)
        if source is None:
            continue
        if found:
            yield forbidden(path / _MISSPELT.get(kind, kind), "may not specify more than 1 volume type")
        else:
            found = True
            yield from rule(source, path / _ELSEWHERE.get(kind, kind))
            if kind == "ephemeral" and pod_name and name:
                yield from _claim_name_errors(pod_name, name, path / "name")
        if kind == "iscsi":
            yield from _initiator_errors(source, name, path / "name")
    if not found:
        yield required(path, "must specify a volume type")


def _claim_name_errors(pod_name: str, name: str, path: Path) -> Iterator[FieldError]:
    claim = f"{pod_name}-{name}"
    for problem in dns1123_subdomain(claim):
        yield invalid(path, name, f"PVC name {go_quote(claim)}: {problem}")


def _initiator_errors(source: JSONObject, name: str, path: Path) -> Iterator[FieldError]:
    together = f"{name}:{source.get('targetPortal', '')}"
    if source.get("initiatorName") is not None and size(together) > _INITIATOR_MAX:
        yield invalid(
            path,
            name,
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
            "iscsi.initiatorName is specified.",
        )


def _size_limit_errors(limit: str, path: Path) -> Iterator[FieldError]:
    if parse(limit).sign < 0:
        yield forbidden(path, "SizeLimit field must be a valid resource quantity")


def host_path_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    target = source.get("path", "")
    if not target:
        yield required(path / "path")
        return
    yield from backstep_errors(target, path / "path")
    yield from _HOST_PATH_TYPE(source, path)


_SOURCES: dict[str, Rule] = {
    "emptyDir": Fields(sizeLimit=_size_limit_errors),
    "hostPath": host_path_errors,
    "gitRepo": Fields(repository=Required(), directory=descending_errors),
    "gcePersistentDisk": volume_sources.GCE,
    "awsElasticBlockStore": volume_sources.AWS,
    "secret": SECRET,
    "nfs": volume_sources.NFS,
    "iscsi": volume_sources.ISCSI,
    "glusterfs": volume_sources.GLUSTERFS,
    "flocker": volume_sources.flocker_errors,
    "persistentVolumeClaim": Needs("claimName"),
    "rbd": volume_sources.RBD,
    "cinder": volume_sources.CINDER,
    "cephfs": volume_sources.CEPHFS,
    "quobyte": volume_sources.quobyte_errors,
    "downwardAPI": downward_errors,
    "fc": volume_sources.fc_errors,
    "flexVolume": volume_sources.FLEX,
    "configMap": CONFIG_MAP,
    "azureFile": volume_sources.AZURE_FILE,
    "vsphereVolume": volume_sources.VSPHERE,
    "photonPersistentDisk": volume_sources.PHOTON,
    "portworxVolume": volume_sources.PORTWORX,
    "azureDisk": volume_sources.AZURE_DISK,
    "storageos": volume_sources.STORAGEOS,
    "projected": projected_errors,
    "scaleIO": volume_sources.SCALE_IO,
    "csi": volume_sources.CSI,
    "ephemeral": Fields(volumeClaimTemplate=Present(CLAIM_TEMPLATE)),
    "image": Fields(reference=Required(), pullPolicy=Required(OneOf(*PULL_POLICIES))),
}
# Kubernetes' own slips of the pen.
_MISSPELT = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_ELSEWHERE = {"gcePersistentDisk": "persistentDisk"}


Volumes = Mapping[str, JSONObject]

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_READ_ONLY = ("Disabled", "Enabled", "IfPossible")


def mount_errors(container: JSONObject, volumes: Volumes, path: Path) -> Iterator[FieldError]:
    """`volumes` are the pod's good ones, by name."""
    devices = {each.get("name", ""): each.get("devicePath", "") for each in container.get("volumeDevices") or ()}
    taken, device_paths = set[str](), frozenset(devices.values())
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        yield from _place_errors(mount, volumes, devices, taken, path[index])
        if mount.get("mountPath", "") in device_paths:
            detail = "must not already exist as a path in volumeDevices"
            yield invalid(path[index] / "mountPath", mount.get("mountPath", ""), detail)
        yield from _option_errors(mount, container, path, path[index])


def _place_errors(
    mount: JSONObject, volumes: Volumes, devices: Mapping[str, str], taken: set[str], path: Path
) -> Iterator[FieldError]:
    name, target = mount.get("name", ""), mount.get("mountPath", "")
    if not name:
        yield required(path / "name")
    if name not in volumes:
        yield not_found(path / "name", name)
    if not target:
        yield required(path / "mountPath")
    if target in taken:
        yield invalid(path / "mountPath", target, "must be unique")
    taken.add(target)
    if name in devices:
        yield invalid(path / "name", name, "must not already exist in volumeDevices")


def _option_errors(mount: JSONObject, container: JSONObject, mounts: Path, path: Path) -> Iterator[FieldError]:
    """Some of these Kubernetes reports at the list, and not at the mount."""
    part, expression = mount.get("subPath", ""), mount.get("subPathExpr", "")
    if part:
        yield from descending_errors(part, mounts / "subPath")
    if expression:
        if part:
            yield invalid(path / "subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
        yield from descending_errors(expression, mounts / "subPathExpr")
    if (propagation := mount.get("mountPropagation")) is not None:
        place = mounts / "mountPropagation"
        yield from one_of(propagation, _PROPAGATIONS, place)
        if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
            yield forbidden(place, "Bidirectional mount propagation is available only to privileged containers")
    yield from _recursive_errors(mount, mounts / "recursiveReadOnly")


def _recursive_errors(mount: JSONObject, path: Path) -> Iterator[FieldError]:
    wish = mount.get("recursiveReadOnly")
    if wish in (None, "Disabled"):
        return
    yield from one_of(wish, _READ_ONLY, path)
    if wish not in _READ_ONLY:
        return
    if not mount.get("readOnly"):
        yield forbidden(path, "may only be specified when readOnly is true")
    if mount.get("mountPropagation") not in (None, "None"):
        yield forbidden(path, "may only be specified when mountPropagation is None or not specified")


def device_errors(container: JSONObject, volumes: Volumes, path: Path) -> Iterator[FieldError]:
    mounts = {each.get("name", ""): each.get("mountPath", "") for each in container.get("volumeMounts") or ()}
    devices: Sequence[JSONObject] = container.get("volumeDevices") or ()
    names: set[str] = set()
    targets: set[str] = set()
    for index, device in enumerate(devices):
        yield from _device_errors(device, volumes, names, targets, path[index])
        name, target = device.get("name", ""), device.get("devicePath", "")
        if name in mounts:
            yield invalid(path[index] / "name", name, "must not already exist in volumeMounts")
        if target in mounts.values():
            place = path[index] / "devicePath"
            yield invalid(place, target, "must not already exist as a path in volumeMounts")
        if name:
            names.add(name)


_NOT_A_CLAIM = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"


def _device_errors(
    device: JSONObject, volumes: Volumes, names: set[str], targets: set[str], path: Path
) -> Iterator[FieldError]:
    name, target = device.get("name", ""), device.get("devicePath", "")
    if not name:
        yield required(path / "name")
    if name in names:
        yield invalid(path / "name", name, "must be unique")
    if name not in volumes:
        yield not_found(path / "name", name)
    elif not {"persistentVolumeClaim", "ephemeral"} & volumes[name].keys():
        yield invalid(path / "name", name, _NOT_A_CLAIM)
    if not target:
        yield required(path / "devicePath")
    if target in targets:
        yield invalid(path / "devicePath", target, "must be unique")
    if has_backsteps(target):
        yield invalid(path / "devicePath", target, "can not contain backsteps ('..')")
    else:
        targets.add(target)
