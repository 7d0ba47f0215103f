"""Containers of the three sorts: what all are asked, and what each sort may and may not do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from localplane.catalog.validation.ports import port_name, protocol_errors
from localplane.catalog.validation.values import one_of, port_number

from .environment import env_errors, env_from_errors
from .mounts import device_errors, mount_errors
from .names import invalid_each, required_label_errors
from .probes import lifecycle_errors, probe_errors
from .resources import container_resource_errors
from .restarting import container_restart_errors, init_resize_errors, init_restart_errors, resize_policy_errors
from .security import security_context_errors

JSONObject = Mapping[str, Any]

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_ENDLESS_ONLY = "may not be set for init containers without restartPolicy=Always"
_NOT_EPHEMERAL = "cannot be set for an Ephemeral Container"
_REFUSED_OF_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What containers refer to in their pod."""

    volumes: Mapping[str, JSONObject]
    claims: frozenset[str]
    grace: int | None
    restart_policy: str
    host_users: bool


def container_errors(containers: Sequence[JSONObject], pod: Surroundings, path: Path) -> Iterator[FieldError]:
    if not containers:
        yield required(path)
        return
    names: set[str] = set()
    for index, container in enumerate(containers):
        place = path[index]
        yield from _shared_errors(container, pod, place)
        yield from _repeated(container.get("name", ""), names, place)
        yield from lifecycle_errors(container.get("lifecycle"), place / "lifecycle", pod.grace)
        yield from probe_errors(container, place, pod.grace)
        yield from container_restart_errors(container, place)
    yield from _host_port_errors(containers, path)


def init_container_errors(
    containers: Sequence[JSONObject], regular: Sequence[JSONObject], pod: Surroundings, path: Path
) -> Iterator[FieldError]:
    names = {each.get("name", "") for each in regular}
    for index, container in enumerate(containers):
        place = path[index]
        yield from _shared_errors(container, pod, place)
        yield from init_restart_errors(container, place)
        name = container.get("name", "")
        if name in names:
            yield duplicate(place / "name", name)
        elif name:
            names.add(name)
        yield from _host_port_errors([container], path)
        if container.get("restartPolicy") == "Always":
            yield from lifecycle_errors(container.get("lifecycle"), place / "lifecycle", pod.grace)
            yield from probe_errors(container, place, pod.grace)
            continue
        for field in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
            if container.get(field) is not None:
                yield forbidden(place / field, _ENDLESS_ONLY)
        yield from init_resize_errors(container, place / "resizePolicy")


def ephemeral_container_errors(spec: JSONObject, pod: Surroundings, path: Path) -> Iterator[FieldError]:
    others = {each.get("name", "") for kind in ("containers", "initContainers") for each in spec.get(kind) or ()}
    names = set(others)
    for index, container in enumerate(spec.get("ephemeralContainers") or ()):
        place = path[index]
        yield from _shared_errors(container, pod, place)
        yield from image_space_errors(container, place)
        yield from _repeated(container.get("name", ""), names, place)
        target = container.get("targetContainerName", "")
        if target and target not in others:
            yield not_found(place / "targetContainerName", target)
        for refused in _REFUSED_OF_EPHEMERAL:
            if container.get(refused):
                yield forbidden(place / refused, _NOT_EPHEMERAL)
        for number, mount in enumerate(container.get("volumeMounts") or ()):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    yield forbidden((place / "volumeMounts")[number] / field, _NOT_EPHEMERAL)


def _repeated(name: str, names: set[str], path: Path) -> Iterator[FieldError]:
    if name in names:
        yield duplicate(path / "name", name)
    names.add(name)


def _shared_errors(container: JSONObject, pod: Surroundings, path: Path) -> Iterator[FieldError]:
    """Kubernetes: validateContainerCommon."""
    yield from required_label_errors(container.get("name", ""), path / "name")
    if not container.get("image"):
        yield required(path / "image")
    policy = container.get("terminationMessagePolicy", "")
    if not policy:
        yield required(path / "terminationMessagePolicy")
    elif policy not in _MESSAGE_POLICIES:
        yield not_supported(path / "terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    yield from _port_errors(container.get("ports") or (), path / "ports")
    yield from env_errors(container.get("env") or (), path / "env")
    yield from env_from_errors(container.get("envFrom") or (), path / "envFrom")
    yield from mount_errors(container, pod.volumes, path / "volumeMounts")
    yield from device_errors(container, pod.volumes, path / "volumeDevices")
    yield from one_of(container.get("imagePullPolicy", ""), PULL_POLICIES, path / "imagePullPolicy", missing="")
    yield from container_resource_errors(container.get("resources") or {}, pod.claims, path / "resources")
    yield from resize_policy_errors(container, pod.restart_policy, path / "resizePolicy")
    yield from security_context_errors(
        container.get("securityContext"), path / "securityContext", host_users=pod.host_users
    )


def _port_errors(ports: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        place = path[index]
        if name := port.get("name"):
            if problems := port_name(name):
                yield from invalid_each(place / "name", name, problems)
            else:
                yield from _repeated(name, names, place)
        if number := port.get("containerPort"):
            yield from port_number(number, place / "containerPort")
        else:
            yield required(place / "containerPort")
        if number := port.get("hostPort"):
            yield from port_number(number, place / "hostPort")
        yield from protocol_errors(port.get("protocol"), place / "protocol")


def _host_port_errors(containers: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """No two of them want the same port of the host."""
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            wanted = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{port['hostPort']}"
            if wanted in taken:
                yield duplicate((path[index] / "ports")[number] / "hostPort", wanted)
            taken.add(wanted)


def image_space_errors(container: JSONObject, path: Path) -> list[FieldError]:
    """What a pod's image is asked, and a template's is not."""
    image = container.get("image", "")
    if image == image.strip():
        return []
    return [invalid(path / "image", image, "must not have leading or trailing whitespace")]
