"""`8080`, `8888:http`, `:5000`: which local port leads to which port of a pod.

Kubernetes: kubectl/pkg/cmd/portforward (translateServicePortToTargetPort, convertPodNamedPortToNumber, checkUDPPorts).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kctl.errors import KctlError

Object = dict[str, Any]


class Pair(NamedTuple):
    """`local` 0 is any port that is free."""

    local: int
    remote: int


def pairs_of(words: list[str], obj: Object, pod: Object) -> list[Pair]:
    """`obj` is what was named: of a service, ports are the service's. Raises KctlError."""
    return [_pair(word, obj, pod) for word in words]


def _pair(word: str, obj: Object, pod: Object) -> Pair:
    parts = word.split(":")
    local, remote = (parts[0], parts[1]) if len(parts) == 2 else (parts[0], parts[0])
    if obj.get("kind") == "Service":
        port = _service_port(obj, remote)
        number = _target(port, pod)
        if local == remote:
            local = str(port["port"])
        protocol = port.get("protocol", "TCP")
    else:
        if not remote:
            raise KctlError("remote port cannot be empty")
        number = int(remote) if remote.isdecimal() else _container_port(pod, remote)
        if local == remote:
            local = str(number)
        protocol = _protocol(pod, number)
    if protocol == "UDP":
        raise KctlError(f"UDP protocol is not supported for {remote}")
    return Pair(_number("local", local or "0"), _number("remote", str(number)))


def _number(which: str, text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise KctlError(f"error parsing {which} port '{text}': strconv.ParseUint: parsing \"{text}\": invalid syntax")
    if which == "remote" and int(text) == 0:
        raise KctlError("remote port must be > 0")
    return int(text)


def _service_port(service: Object, wanted: str) -> Object:
    name = (service.get("metadata") or {}).get("name", "")
    for port in (service.get("spec") or {}).get("ports") or ():
        found: Object = port
        if wanted.isdecimal() and port.get("port") == int(wanted):
            return found
        if port.get("name") == wanted:
            return found
    if wanted.isdecimal():
        raise KctlError(f"Service {name} does not have a service port {wanted}")
    raise KctlError(f"Service '{name}' does not have a named port '{wanted}'")


def _target(port: Object, pod: Object) -> int:
    target = port.get("targetPort") or port["port"]
    return target if isinstance(target, int) else _container_port(pod, target)


def _ports(pod: Object) -> list[Object]:
    spec = pod.get("spec") or {}
    return [port for container in spec.get("containers") or () for port in container.get("ports") or ()]


def _container_port(pod: Object, name: str) -> int:
    for port in _ports(pod):
        if port.get("name") == name:
            return int(port["containerPort"])
    pod_name = (pod.get("metadata") or {}).get("name", "")
    raise KctlError(f"Pod '{pod_name}' does not have a named port '{name}'")


def _protocol(pod: Object, number: int) -> str:
    protocols = {port.get("protocol", "TCP") for port in _ports(pod) if port.get("containerPort") == number}
    return "UDP" if protocols == {"UDP"} else "TCP"
