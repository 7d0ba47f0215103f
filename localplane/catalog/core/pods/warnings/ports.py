"""Ports that are said twice, in one container or in two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.gotext import go_quote

JSONObject = Mapping[str, Any]
Placed = Sequence[tuple[Path, JSONObject]]


def port_warnings(containers: Placed) -> Iterator[str]:
    ports = [
        ((path / "ports")[index], port)
        for path, container in containers
        for index, port in enumerate(container.get("ports") or ())
    ]
    seen: dict[tuple[int, str], list[tuple[Path, JSONObject]]] = {}
    for path, port in ports:
        if port.get("hostIP") and not port.get("hostPort"):
            yield f"{path}: hostIP set without hostPort: {_struct(port)}"
        others = seen.setdefault((port.get("containerPort", 0), port.get("protocol", "")), [])
        for other_path, other in others:
            if relation := _relation(port, other):
                yield f"{path}: {relation} port definition with {other_path}"
        others.append((path, port))
    yield from _name_warnings(ports)


def _struct(port: JSONObject) -> str:
    """As Go prints the structure."""
    numbers = f"HostPort:{port.get('hostPort', 0)} ContainerPort:{port.get('containerPort', 0)}"
    texts = f"Protocol:{port.get('protocol', '')} HostIP:{port.get('hostIP', '')}"
    return f"{{Name:{port.get('name', '')} {numbers} {texts}}}"


def _relation(port: JSONObject, other: JSONObject) -> str:
    """How two definitions of the same port stand to one another; empty if they go together."""
    address, other_address = port.get("hostIP", ""), other.get("hostIP", "")
    number, other_number = port.get("hostPort", 0), other.get("hostPort", 0)
    if address == other_address and number == other_number:
        return "duplicate"
    if not number or not other_number:
        return "overlapping"
    one_is_open = bool(address) != bool(other_address)
    return "dangerously ambiguous" if number == other_number and one_is_open else ""


def _name_warnings(ports: Placed) -> Iterator[str]:
    first: dict[str, Path] = {}
    for path, port in ports:
        name = port.get("name", "")
        if name in first:
            used = f"services and probes that select ports by name will use {first[name]}"
            yield f"{path}: duplicate port name {go_quote(name)} with {first[name]}, {used}"
        elif name:
            first[name] = path
