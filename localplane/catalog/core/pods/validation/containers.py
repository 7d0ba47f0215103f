"""Containers of the three sorts: what all are asked, and what each sort may and may not do; probes and restarts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    too_many,
)
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.ports import port_name, port_or_name_errors, protocol_errors
from localplane.catalog.validation.values import not_negative, one_of, port_number

from .environment import env_errors, env_from_errors
from .names import http_header, invalid_each, required_label_errors
from .resources import container_resource_errors
from .security import security_context_errors
from .volumes import PULL_POLICIES, device_errors, mount_errors

_SECONDS_AND_COUNTS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def probe_errors(container: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    """The three probes of a container. `grace` is how long the pod has to end."""
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        place = path / name
        yield from _probe_errors(probe, place, grace)
        if name == "readinessProbe":
            if (seconds := probe.get("terminationGracePeriodSeconds")) is not None:
                field = place / "terminationGracePeriodSeconds"
                yield invalid(field, seconds, "must not be set for readinessProbes")
        elif probe.get("successThreshold", 0) != 1:
            yield invalid(place / "successThreshold", probe.get("successThreshold", 0), "must be 1")


def _probe_errors(probe: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    yield from _handler_errors(probe, path, grace)
    for field in _SECONDS_AND_COUNTS:
        yield from not_negative(probe.get(field), path / field)
    seconds = probe.get("terminationGracePeriodSeconds")
    if seconds is not None and seconds <= 0:
        yield invalid(path / "terminationGracePeriodSeconds", seconds, "must be greater than 0")


def lifecycle_errors(lifecycle: Mapping[str, Any] | None, path: Path, grace: int | None) -> Iterator[FieldError]:
    for name in ("postStart", "preStop"):
        if lifecycle and (handler := lifecycle.get(name)) is not None:
            yield from _handler_errors(handler, path / name, grace)


def _handler_errors(handler: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    found = False
    for name, rule in _ACTIONS.items():
        action = handler.get(name)
        if action is None:
            continue
        if found:
            yield forbidden(path / name, "may not specify more than 1 handler type")
        else:
            found = True
            yield from rule(action, path / name, grace)
    if not found:
        yield required(path, "must specify a handler type")


def _exec_errors(action: Mapping[str, Any], path: Path, _: int | None) -> Iterator[FieldError]:
    if not action.get("command"):
        yield required(path / "command")


def _http_errors(action: Mapping[str, Any], path: Path, _: int | None) -> Iterator[FieldError]:
    if not action.get("path"):
        yield required(path / "path")
    yield from port_or_name_errors(action.get("port", 0), path / "port")
    yield from one_of(action.get("scheme", ""), ("HTTP", "HTTPS"), path / "scheme")
    for header in action.get("httpHeaders") or ():
        name = header.get("name", "")
        yield from invalid_each(path / "httpHeaders", name, http_header(name))


def _port_errors(action: Mapping[str, Any], path: Path, _: int | None) -> Iterator[FieldError]:
    yield from port_or_name_errors(action.get("port", 0), path / "port")


def _sleep_errors(action: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    seconds = action.get("seconds", 0)
    if grace is not None and not 0 <= seconds <= grace:
        bound = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield invalid(path, seconds, bound)


_ACTIONS: dict[str, Callable[[Mapping[str, Any], Path, int | None], Iterator[FieldError]]] = {
    "exec": _exec_errors,
    "httpGet": _http_errors,
    "tcpSocket": _port_errors,
    "grpc": _port_errors,
    "sleep": _sleep_errors,
}


_POLICIES = ("Always", "Never", "OnFailure")
_RESTART_ACTIONS = ("Restart", "RestartAllContainers")
_RULES_MAX, _CODES_MAX = 20, 255


def container_restart_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is not None:
        yield from one_of(policy, _POLICIES, path / "restartPolicy")
    elif rules:
        yield required(path / "restartPolicy", "must specify restartPolicy when restart rules are used")
    if len(rules) > _RULES_MAX:
        yield too_many(path / "restartPolicyRules", len(rules), _RULES_MAX)
    for index, rule in enumerate(rules):
        yield from _rule_errors(rule, (path / "restartPolicyRules")[index])


def init_restart_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    """An init container without a policy is told only that its rules need one."""
    if container.get("restartPolicy") is not None:
        yield from container_restart_errors(container, path)
    elif container.get("restartPolicyRules"):
        yield required(path / "restartPolicy", "must specify restartPolicy when restart rules are used")


def _rule_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from one_of(rule.get("action", ""), _RESTART_ACTIONS, path / "action")
    codes = rule.get("exitCodes")
    if codes is None:
        yield required(path / "exitCodes", "must be specified")
        return
    yield from one_of(codes.get("operator", ""), ("In", "NotIn"), path / "exitCodes" / "operator")
    if len(values := codes.get("values") or ()) > _CODES_MAX:
        yield too_many(path / "exitCodes" / "values", len(values), _CODES_MAX)


def resize_policy_errors(container: JSONObject, pod_policy: str, path: Path) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        resource, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if resource in seen:
            yield duplicate(path[index], resource)
        seen.add(resource)
        yield from one_of(resource, ("cpu", "memory"), path, missing="")
        yield from one_of(restart, ("NotRequired", "RestartContainer"), path, missing="")
        if pod_policy == "Never" and restart != "NotRequired":
            yield invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


def init_resize_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    """An init container that has ended can't be started again for a resize."""
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield invalid(path[index] / "restartPolicy", "RestartContainer", detail)


def restart_policy_errors(policy: str, path: Path) -> list[FieldError]:
    """The pod's own."""
    if not policy:
        return [required(path)]
    supported = ("Always", "OnFailure", "Never")
    return [] if policy in supported else [not_supported(path, policy, supported)]


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
    yield from _container_port_errors(container.get("ports") or (), path / "ports")
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


def _container_port_errors(ports: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
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


def placed_containers(spec: JSONObject, path: Path) -> list[tuple[Path, JSONObject]]:
    """All containers and where they stand. Kubernetes: VisitContainersWithPath."""
    return [
        ((path / kind)[index], container)
        for kind in ("initContainers", "containers", "ephemeralContainers")
        for index, container in enumerate(spec.get(kind) or ())
    ]
