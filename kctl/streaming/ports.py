"""`8080`, `8888:http`, `:5000`: which local port leads to which port of a pod.

Kubernetes: kubectl/pkg/cmd/portforward (translateServicePortToTargetPort, convertPodNamedPortToNumber, checkUDPPorts),
client-go/tools/portforward, parsePorts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from collections.abc import Iterable


_is_number = re.compile(r"[+-]?[0-9]+", re.ASCII).fullmatch
_LARGEST = 65535


class Pair(NamedTuple):
    """`local` 0 is any port that is free."""

    local: int
    remote: int


def in_pod(words: list[str], obj: JSONObject, pod: JSONObject) -> list[str]:
    """The words with the pod's own numbers. `obj` is what was named: of a service, ports are the service's.

    Raises KctlError.
    """
    if obj.get("kind") == "Service":
        _refuse_udp(words, [(port.get("port"), port) for port in _of_service(obj)], lambda name: _by_name(obj, name))
        return [_through_service(word, obj, pod) for word in words]
    ports = [(port.get("containerPort"), port) for port in _of_containers(pod)]
    _refuse_udp(words, ports, lambda name: _container_port(pod, name))
    return [_into_pod(word, pod) for word in words]


def _split(word: str) -> tuple[str, str]:
    parts = word.split(":")
    return (parts[0], parts[1]) if len(parts) == 2 else (parts[0], parts[0])


def _joined(local: str, remote: str) -> str:
    return remote if local == remote else f"{local}:{remote}"


def _into_pod(word: str, pod: JSONObject) -> str:
    local, remote = _split(word)
    if not remote:
        raise KctlError("remote port cannot be empty")
    number = remote if _is_number(remote) else str(_container_port(pod, remote))
    return f"{local}:{number}" if local != remote else number


def _through_service(word: str, service: JSONObject, pod: JSONObject) -> str:
    local, remote = _split(word)
    if not _is_number(remote):
        number = _by_name(service, remote)
        local = str(number) if local == remote else local
    else:
        number = int(remote)
    return _joined(local, str(_target(service, number, pod)))


def _refuse_udp(words: list[str], ports: Iterable[tuple[Any, JSONObject]], lookup: Any) -> None:
    protocols: dict[Any, set[str]] = {}
    for number, port in ports:
        protocols.setdefault(number, set()).add(port.get("protocol", "TCP"))
    for word in words:
        remote = _split(word)[1]
        number = int(remote) if _is_number(remote) else lookup(remote)
        if "UDP" in protocols.get(number, ()) and "TCP" not in protocols[number]:
            raise KctlError(f"UDP protocol is not supported for {remote}")


def pair_of(word: str) -> Pair:
    """Raises KctlError."""
    parts = word.split(":")
    if len(parts) > 2:
        raise KctlError(f"invalid port format '{word}'")
    local, remote = (parts[0] or "0", parts[1]) if len(parts) == 2 else (parts[0], parts[0])
    pair = Pair(_number("local", local), _number("remote", remote))
    if pair.remote == 0:
        raise KctlError("remote port must be > 0")
    return pair


def _number(which: str, text: str) -> int:
    """As strconv.ParseUint, of 16 bits."""
    problem = ""
    if not re.fullmatch(r"[0-9]+", text, re.ASCII):
        problem = "invalid syntax"
    elif len(text.lstrip("0")) > 5 or int(text) > _LARGEST:
        problem = "value out of range"
    if problem:
        raise KctlError(f"error parsing {which} port '{text}': strconv.ParseUint: parsing {go_quote(text)}: {problem}")
    return int(text)


def _of_service(service: JSONObject) -> list[JSONObject]:
    return (service.get("spec") or {}).get("ports") or []


def _of_containers(pod: JSONObject, part: str = "containers") -> list[JSONObject]:
    spec = pod.get("spec") or {}
    return [port for container in spec.get(part) or () for port in container.get("ports") or ()]


def _by_name(service: JSONObject, name: str) -> int:
    for port in _of_service(service):
        if port.get("name", "") == name:
            return int(port["port"])
    raise KctlError(f"Service '{_name(service)}' does not have a named port '{name}'")


def _target(service: JSONObject, number: int, pod: JSONObject) -> int:
    """Kubernetes: kubectl/pkg/util, LookupContainerPortNumberByServicePort."""
    for port in _of_service(service):
        if port.get("port") != number:
            continue
        if (service.get("spec") or {}).get("clusterIP") == "None":
            return number
        target = port.get("targetPort") or 0
        if isinstance(target, int):
            return target or number
        return _container_port(pod, target)
    raise KctlError(f"Service {_name(service)} does not have a service port {number}")


def _container_port(pod: JSONObject, name: str) -> int:
    for port in (*_of_containers(pod), *_of_containers(pod, "initContainers")):
        if port.get("name", "") == name:
            return int(port["containerPort"])
    raise KctlError(f"Pod '{_name(pod)}' does not have a named port '{name}'")


def _name(obj: JSONObject) -> str:
    return str((obj.get("metadata") or {}).get("name", ""))
