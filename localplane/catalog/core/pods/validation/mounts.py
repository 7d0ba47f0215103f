"""Where a container mounts its volumes, as directories and as devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_found, required
from localplane.catalog.validation.values import one_of

from .paths import descending_errors, has_backsteps

JSONObject = Mapping[str, Any]
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
