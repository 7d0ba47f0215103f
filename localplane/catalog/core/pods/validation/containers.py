"""Containers of the three sorts: what all are asked, and what each sort may and may not do; probes and restarts."""

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
    required,
)
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.ports import PROTOCOLS, port_name, port_or_name_errors
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    NOT_NEGATIVE,
    PORT_NUMBER,
    All,
    Always,
    AtLeast,
    AtMost,
    Each,
    Fields,
    Forbidden,
    OneOf,
    Optional,
    Present,
    Required,
    Rule,
)
from localplane.catalog.validation.values import one_of

from .environment import ENVIRONMENT, env_from_errors
from .names import http_header, invalid_each
from .resources import container_resource_errors
from .security import security_context_errors
from .volumes import PULL_POLICIES, device_errors, mount_errors


def probe_errors(container: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    """The three probes of a container. `grace` is how long the pod has to end."""
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        place = path / name
        yield from _handler_errors(probe, place, grace)
        yield from _PROBE(probe, place)
        if name == "readinessProbe":
            if (seconds := probe.get("terminationGracePeriodSeconds")) is not None:
                field = place / "terminationGracePeriodSeconds"
                yield invalid(field, seconds, "must not be set for readinessProbes")
        elif probe.get("successThreshold", 0) != 1:
            yield invalid(place / "successThreshold", probe.get("successThreshold", 0), "must be 1")


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
            continue
        found = True
        yield from rule(action, path / name)
        if name == "sleep":
            yield from _sleep_errors(action, path / name, grace)
    if not found:
        yield required(path, "must specify a handler type")


def _header_errors(headers: Sequence[Mapping[str, Any]], path: Path) -> Iterator[FieldError]:
    """Told at the list."""
    for header in headers:
        name = header.get("name", "")
        yield from invalid_each(path, name, http_header(name))


def _sleep_errors(action: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    seconds = action.get("seconds", 0)
    if grace is not None and not 0 <= seconds <= grace:
        bound = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield invalid(path, seconds, bound)


_PORT = Fields(port=Always(port_or_name_errors, absent=0))
_ACTIONS: dict[str, Rule] = {
    "exec": Fields(command=Required()),
    "httpGet": Fields(
        path=Required(),
        port=Always(port_or_name_errors, absent=0),
        scheme=Always(OneOf("HTTP", "HTTPS")),
        httpHeaders=_header_errors,
    ),
    "tcpSocket": _PORT,
    "grpc": _PORT,
    "sleep": Fields(),
}
_PROBE = Fields(
    initialDelaySeconds=NOT_NEGATIVE,
    timeoutSeconds=NOT_NEGATIVE,
    periodSeconds=NOT_NEGATIVE,
    successThreshold=NOT_NEGATIVE,
    failureThreshold=NOT_NEGATIVE,
    terminationGracePeriodSeconds=AtLeast(1, "must be greater than 0"),
)


_RESTART_POLICY = Fields(restartPolicy=OneOf("Always", "Never", "OnFailure"))
_RESTART_RULES = Fields(
    restartPolicyRules=All(
        AtMost(20),
        Each(
            Fields(
                action=Always(OneOf("Restart", "RestartAllContainers")),
                exitCodes=Present(
                    Fields(operator=Always(OneOf("In", "NotIn")), values=AtMost(255)), detail="must be specified"
                ),
            )
        ),
    )
)


def container_restart_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _RESTART_POLICY(container, path)
    if container.get("restartPolicyRules") and container.get("restartPolicy") is None:
        yield required(path / "restartPolicy", "must specify restartPolicy when restart rules are used")
    yield from _RESTART_RULES(container, path)


def init_restart_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    """An init container without a policy is told only that its rules need one."""
    if container.get("restartPolicy") is not None:
        yield from container_restart_errors(container, path)
    elif container.get("restartPolicyRules"):
        yield required(path / "restartPolicy", "must specify restartPolicy when restart rules are used")


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


_NOT_EPHEMERAL = Forbidden("cannot be set for an Ephemeral Container")
_OF_EPHEMERAL = All(
    Fields(
        ports=_NOT_EPHEMERAL,
        resources=_NOT_EPHEMERAL,
        resizePolicy=_NOT_EPHEMERAL,
        restartPolicy=_NOT_EPHEMERAL,
        restartPolicyRules=_NOT_EPHEMERAL,
        livenessProbe=_NOT_EPHEMERAL,
        readinessProbe=_NOT_EPHEMERAL,
        startupProbe=_NOT_EPHEMERAL,
        lifecycle=_NOT_EPHEMERAL,
    ),
    Fields(volumeMounts=Each(Fields(subPath=_NOT_EPHEMERAL, subPathExpr=_NOT_EPHEMERAL))),
)
_ENDLESS_ONLY = Forbidden("may not be set for init containers without restartPolicy=Always", if_empty=True)
_OF_ENDING = Fields(
    lifecycle=_ENDLESS_ONLY, livenessProbe=_ENDLESS_ONLY, readinessProbe=_ENDLESS_ONLY, startupProbe=_ENDLESS_ONLY
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
        yield from _OF_ENDING(container, place)
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
        yield from _OF_EPHEMERAL(container, place)


def _repeated(name: str, names: set[str], path: Path) -> Iterator[FieldError]:
    if name in names:
        yield duplicate(path / "name", name)
    names.add(name)


def _shared_errors(container: JSONObject, pod: Surroundings, path: Path) -> Iterator[FieldError]:
    """Kubernetes: validateContainerCommon."""
    yield from _SHARED(container, path)
    yield from mount_errors(container, pod.volumes, path / "volumeMounts")
    yield from device_errors(container, pod.volumes, path / "volumeDevices")
    yield from _PULL_POLICY(container, path)
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
        yield from _CONTAINER_PORT(port, place)


_CONTAINER_PORT = Fields(
    containerPort=Required(PORT_NUMBER), hostPort=Optional(PORT_NUMBER), protocol=Required(OneOf(*PROTOCOLS))
)
_SHARED = Fields(
    name=Required(DNS_LABEL),
    image=Required(),
    terminationMessagePolicy=Required(OneOf("File", "FallbackToLogsOnError")),
    ports=_container_port_errors,
    env=ENVIRONMENT,
    envFrom=env_from_errors,
)
_PULL_POLICY = Fields(imagePullPolicy=Required(OneOf(*PULL_POLICIES)))


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
