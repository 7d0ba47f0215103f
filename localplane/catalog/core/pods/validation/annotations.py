"""Annotations that pods are known by: static pods' mirrors, deletion costs, and old ways to say a profile; and those
that stay what they were from a pod's first day on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

from .containers import placed_containers
from .names import descending_errors
from .scheduling import toleration_errors

Placed = Sequence[tuple[Path, JSONObject]]

MIRROR = "kubernetes.io/config.mirror"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
APPARMOR_CONTAINER = "container.apparmor.security.beta.kubernetes.io/"
_LOCALHOST = "localhost/"
_RUNTIME_DEFAULT = "runtime/default"
_UNCONFINED = "unconfined"
_is_integer = re.compile("-[0-9]{1,20}|0|[1-9][0-9]{0,20}").fullmatch


def annotation_errors(
    annotations: Mapping[str, str], spec: JSONObject, containers: Placed, path: Path
) -> Iterator[FieldError]:
    """Kubernetes: ValidatePodSpecificAnnotations."""
    if MIRROR in annotations and not spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        yield invalid(path[MIRROR], annotations[MIRROR], detail)
    if text := annotations.get(_TOLERATIONS):
        yield from _toleration_errors(text, path)
    if (cost := annotations.get(_DELETION_COST)) is not None and not _is_deletion_cost(cost):
        yield invalid(path[_DELETION_COST], cost, "must be a 32bit integer")
    if SECCOMP_POD in annotations:
        yield from _seccomp_errors(annotations[SECCOMP_POD], path / SECCOMP_POD)
    for key, profile in sorted(annotations.items()):
        if key.startswith(SECCOMP_CONTAINER):
            yield from _seccomp_errors(profile, path / key)
    for key, profile in sorted(annotations.items()):
        if key.startswith(APPARMOR_CONTAINER):
            yield from _apparmor_errors(key, profile, containers, path)


def _toleration_errors(text: str, path: Path) -> Iterator[FieldError]:
    try:
        tolerations = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        yield invalid(path, _TOLERATIONS, str(error))
        return
    if isinstance(tolerations, list) and all(isinstance(each, dict) for each in tolerations):
        yield from toleration_errors(tolerations, path / _TOLERATIONS)


def _is_deletion_cost(text: str) -> bool:
    return _is_integer(text) is not None and -(2**31) <= int(text) < 2**31


def _seccomp_errors(profile: str, path: Path) -> Iterator[FieldError]:
    if profile in (_RUNTIME_DEFAULT, "docker/default", _UNCONFINED):
        return
    if profile.startswith(_LOCALHOST):
        yield from descending_errors(profile.removeprefix(_LOCALHOST), path)
    else:
        yield invalid(path, profile, "must be a valid seccomp profile")


def _apparmor_errors(key: str, profile: str, containers: Placed, path: Path) -> Iterator[FieldError]:
    name = key.removeprefix(APPARMOR_CONTAINER)
    if not any(container.get("name") == name for _, container in containers):
        yield invalid(path[key], name, "container not found")
    if profile not in ("", _RUNTIME_DEFAULT, _UNCONFINED) and not profile.startswith(_LOCALHOST):
        yield invalid(path[key], profile, f"invalid AppArmor profile name: {go_quote(profile)}")


def profile_match_errors(
    annotations: Mapping[str, str], spec: JSONObject, containers: Placed, path: Path
) -> Iterator[FieldError]:
    """Who says a profile twice must say the same. On create, and in templates."""
    yield from _seccomp_match_errors(annotations, spec, containers, path)
    if (spec.get("os") or {}).get("name") != "windows":
        yield from _apparmor_match_errors(annotations, spec, containers)


def _seccomp_match_errors(
    annotations: Mapping[str, str], spec: JSONObject, containers: Placed, path: Path
) -> Iterator[FieldError]:
    holders = [(SECCOMP_POD, path, spec)]
    holders += [(f"{SECCOMP_CONTAINER}{each.get('name', '')}", place, each) for place, each in containers]
    for key, place, holder in holders:
        profile = (holder.get("securityContext") or {}).get("seccompProfile")
        if profile is not None and key in annotations:
            field = place / "securityContext" / "seccompProfile"
            default = (_RUNTIME_DEFAULT, "docker/default")
            yield from _match_errors("seccomp", annotations[key], profile, default, field)


def _apparmor_match_errors(
    annotations: Mapping[str, str], spec: JSONObject, containers: Placed
) -> Iterator[FieldError]:
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for place, container in containers:
        profile = (container.get("securityContext") or {}).get("appArmorProfile", of_pod)
        key = f"{APPARMOR_CONTAINER}{container.get('name', '')}"
        if profile is not None and key in annotations:
            field = place / "securityContext" / "appArmorProfile"
            yield from _match_errors("apparmor", annotations[key], profile, (_RUNTIME_DEFAULT,), field)


def _match_errors(
    what: str, annotation: str, profile: JSONObject, default: tuple[str, ...], path: Path
) -> Iterator[FieldError]:
    kind = profile.get("type", "")
    said = {"Unconfined": annotation == _UNCONFINED, "RuntimeDefault": annotation in default}
    said["Localhost"] = annotation.startswith(_LOCALHOST)
    if not said.get(kind, True):
        yield forbidden(path / "type", f"{what} type in annotation and field must match")
    elif kind == "Localhost" and annotation.removeprefix(_LOCALHOST) != profile.get("localhostProfile"):
        yield forbidden(path / "localhostProfile", f"{what} profile in annotation and field must match")


_ANNOTATIONS = Path("metadata") / "annotations"


def annotation_update_errors(pod: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[FieldError]:
    new, before = (each["metadata"].get("annotations") or {} for each in (pod, old))
    for key, value in before.items():
        if new.get(key) != value and (what := _name(key)):
            yield forbidden(_ANNOTATIONS[key], f"may not remove or update {what}")
    for key in new:
        if key not in before and (what := _name(key)):
            yield forbidden(_ANNOTATIONS[key], f"may not add {what}")
    spec = pod.get("spec") or {}
    yield from annotation_errors(new, spec, placed_containers(spec, Path("spec")), _ANNOTATIONS)


def _name(key: str) -> str:
    """What a message calls an annotation that may not change; nothing for one that may."""
    if key.startswith(APPARMOR_CONTAINER):
        return "AppArmor annotations"
    return "mirror pod annotation" if key == MIRROR else ""
