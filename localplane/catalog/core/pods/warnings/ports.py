"""Ports that are said twice, in one container or in two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

Placed = Sequence[tuple[Path, JSONObject]]


def port_warnings(containers: Placed) -> Iterator[str]:
    ports = [
        ((path / "ports")[index], port)
        for path, container in containers
        for index, port in enumerate(container.get("ports") or ())
    ]
    seen: dict[tuple[int, str], _Definitions] = {}
    for order, (path, port) in enumerate(ports):
        if port.get("hostIP") and not port.get("hostPort"):
            yield f"{path}: hostIP set without hostPort: {_struct(port)}"
        others = seen.setdefault((port.get("containerPort", 0), port.get("protocol", "")), _Definitions())
        for _, other_path, other in others.related(port):
            yield f"{path}: {_relation(port, other)} port definition with {other_path}"
        others.add((order, path, port))
    yield from _name_warnings(ports)


_Definition = tuple[int, Path, JSONObject]


class _Definitions:
    """Of one port of containers, in their order, to be found by the place on the host that they take: those that go
    together with a new one are not even looked at."""

    def __init__(self) -> None:
        self._all: list[_Definition] = []
        self._by_number: dict[int, list[_Definition]] = {}
        self._by_place: dict[tuple[int, str], list[_Definition]] = {}

    def add(self, definition: _Definition) -> None:
        number, address = _host_place(definition[2])
        self._all.append(definition)
        self._by_number.setdefault(number, []).append(definition)
        self._by_place.setdefault((number, address), []).append(definition)

    def related(self, port: JSONObject) -> Iterable[_Definition]:
        """Those to which the port stands in some relation."""
        number, address = _host_place(port)
        if not number:
            return self._all
        unhosted = self._by_number.get(0, [])
        if not address:
            return merge(unhosted, self._by_number.get(number, []), key=_order)
        open_ones, same = (self._by_place.get((number, each), []) for each in ("", address))
        return merge(unhosted, open_ones, same, key=_order)


def _host_place(port: JSONObject) -> tuple[int, str]:
    return port.get("hostPort", 0), port.get("hostIP", "")


def _order(definition: _Definition) -> int:
    return definition[0]


def _struct(port: JSONObject) -> str:
    """As Go prints the structure."""
    numbers = f"HostPort:{port.get('hostPort', 0)} ContainerPort:{port.get('containerPort', 0)}"
    texts = f"Protocol:{port.get('protocol', '')} HostIP:{port.get('hostIP', '')}"
    return f"{{Name:{port.get('name', '')} {numbers} {texts}}}"


def _relation(port: JSONObject, other: JSONObject) -> str:
    """How two related definitions of the same port stand to one another."""
    if _host_place(port) == _host_place(other):
        return "duplicate"
    if not port.get("hostPort") or not other.get("hostPort"):
        return "overlapping"
    return "dangerously ambiguous"


def _name_warnings(ports: Placed) -> Iterator[str]:
    first: dict[str, Path] = {}
    for path, port in ports:
        name = port.get("name", "")
        if name in first:
            used = f"services and probes that select ports by name will use {first[name]}"
            yield f"{path}: duplicate port name {go_quote(name)} with {first[name]}, {used}"
        elif name:
            first[name] = path
