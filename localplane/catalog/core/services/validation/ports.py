"""Ports of a Service. Kubernetes: validateServicePort and the checks for duplicates in validateService."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, required
from localplane.apimachinery.names import dns1123_label, qualified_name
from localplane.catalog.core.services.shape import CLUSTER_IP
from localplane.catalog.validation.ports import port_or_name_errors, protocol_errors
from localplane.catalog.validation.values import port_number

Port = Mapping[str, Any]

_PORTS = Path("spec") / "ports"


def port_errors(ports: Sequence[Port]) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        yield from _name_errors(port.get("name") or "", names, _PORTS[index] / "name", needed=len(ports) > 1)
        yield from port_number(port.get("port", 0), _PORTS[index] / "port")
        yield from protocol_errors(port.get("protocol"), _PORTS[index] / "protocol")
        yield from port_or_name_errors(port.get("targetPort", 0), _PORTS[index] / "targetPort")
        if (application := port.get("appProtocol")) is not None:
            for problem in qualified_name(application):
                yield invalid(_PORTS[index] / "appProtocol", application, problem)


def _name_errors(name: str, names: set[str], path: Path, *, needed: bool) -> Iterator[FieldError]:
    if not name:
        if needed:
            yield required(path)
        return
    for problem in dns1123_label(name):
        yield invalid(path, name, problem)
    if name in names:
        yield duplicate(path, name)
    names.add(name)


def port_use_errors(ports: Sequence[Port], service_type: str) -> Iterator[FieldError]:
    """What may not be there, or not twice."""
    if service_type == CLUSTER_IP:
        for index, port in enumerate(ports):
            if port.get("nodePort"):
                yield forbidden(_PORTS[index] / "nodePort", "may not be used when `type` is 'ClusterIP'")
    seen: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        number = port.get("nodePort")
        if number:
            if (port.get("protocol", ""), number) in seen:
                yield duplicate(_PORTS[index] / "nodePort", number)
            seen.add((port.get("protocol", ""), number))
    seen.clear()
    for index, port in enumerate(ports):
        key = port.get("protocol", ""), port.get("port", 0)
        if key in seen:
            yield duplicate(_PORTS[index], _as_go_prints(*key))
        seen.add(key)


def _as_go_prints(protocol: str, port: int) -> dict[str, Any]:
    """The internal ServicePort has no names for JSON, and its fields go by their own."""
    return {"Name": "", "Protocol": protocol, "AppProtocol": None, "Port": port, "TargetPort": 0, "NodePort": 0}
