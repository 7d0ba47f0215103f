"""Volumes: a good name, and exactly one source."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, required
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.quantity import parse
from localplane.catalog.validation.values import one_of

from . import disks, file_volumes, network_volumes
from .claims import claim_template_errors
from .containers import PULL_POLICIES
from .names import missing_errors, required_label_errors
from .paths import backstep_errors, descending_errors
from .projected import projected_errors

JSONObject = Mapping[str, Any]
Rule = Callable[[JSONObject, Path], Iterator[FieldError]]

_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
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
    errors += required_label_errors(name, path / "name")
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


def _empty_dir_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    if (limit := source.get("sizeLimit")) is not None and parse(limit).sign < 0:
        yield forbidden(path / "sizeLimit", "SizeLimit field must be a valid resource quantity")


def host_path_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    target = source.get("path", "")
    if not target:
        yield required(path / "path")
        return
    yield from backstep_errors(target, path / "path")
    if (kind := source.get("type")) is not None:
        yield from one_of(kind, _HOST_PATH_TYPES, path / "type")


def _git_repo_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "repository")
    yield from descending_errors(source.get("directory", ""), path / "directory")


def _ephemeral_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    if (template := source.get("volumeClaimTemplate")) is None:
        yield required(path / "volumeClaimTemplate")
    else:
        yield from claim_template_errors(template, path / "volumeClaimTemplate")


def _image_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(source, path, "reference")
    yield from one_of(source.get("pullPolicy", ""), PULL_POLICIES, path / "pullPolicy", missing="")


def _needs(*fields: str) -> Rule:
    return lambda source, path: missing_errors(source, path, *fields)


_SOURCES: dict[str, Rule] = {
    "emptyDir": _empty_dir_errors,
    "hostPath": host_path_errors,
    "gitRepo": _git_repo_errors,
    "gcePersistentDisk": disks.gce_errors,
    "awsElasticBlockStore": disks.aws_errors,
    "secret": file_volumes.secret_errors,
    "nfs": network_volumes.nfs_errors,
    "iscsi": network_volumes.iscsi_errors,
    "glusterfs": _needs("endpoints", "path"),
    "flocker": network_volumes.flocker_errors,
    "persistentVolumeClaim": _needs("claimName"),
    "rbd": _needs("monitors", "image"),
    "cinder": disks.cinder_errors,
    "cephfs": _needs("monitors"),
    "quobyte": network_volumes.quobyte_errors,
    "downwardAPI": file_volumes.downward_errors,
    "fc": network_volumes.fc_errors,
    "flexVolume": disks.flex_errors,
    "configMap": file_volumes.config_map_errors,
    "azureFile": _needs("secretName", "shareName"),
    "vsphereVolume": _needs("volumePath"),
    "photonPersistentDisk": _needs("pdID"),
    "portworxVolume": _needs("volumeID"),
    "azureDisk": disks.azure_errors,
    "storageos": network_volumes.storageos_errors,
    "projected": projected_errors,
    "scaleIO": _needs("gateway", "system", "volumeName"),
    "csi": disks.csi_errors,
    "ephemeral": _ephemeral_errors,
    "image": _image_errors,
}
# Kubernetes' own slips of the pen.
_MISSPELT = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_ELSEWHERE = {"gcePersistentDisk": "persistentDisk"}
