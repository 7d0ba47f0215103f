"""ComponentStatuses: is the rest of the control plane well? Asked when somebody wants to know, and never stored.

The scheduler and the controller manager are looked for where they listen unless told otherwise, on this machine; the
store is the one that this server works with. Kubernetes: pkg/registry/core/componentstatus.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Getter, Lister, ListOptions, ResultList
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import StorageError
from localplane.catalog.declarations import builtin
from localplane.client.errors import InvalidAnswer
from localplane.client.transport.http1 import Incoming, IncompleteAnswer
from localplane.tls.contexts import trusting_anybody

_PORTS = {"controller-manager": 10257, "scheduler": 10259}
_PATIENCE = 5.0
_LARGEST_ANSWER = 16384


@dataclass(frozen=True, slots=True)
class _Health:
    """`message` is what a component says of itself, or why it can't be asked; `error` is a failure of asking."""

    is_good: bool
    message: str = ""
    error: str = ""


class ComponentStatusStore(Getter, Lister):
    """get and list."""

    def __init__(self, definition: Definition) -> None:
        self._storage = definition.storage
        self._probes: dict[str, Callable[[], Awaitable[_Health]]] = {
            "controller-manager": lambda: _served_health(_PORTS["controller-manager"]),
            "scheduler": lambda: _served_health(_PORTS["scheduler"]),
            "etcd-0": self._storage_health,
        }

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> JSONObject:
        if name not in self._probes:
            raise NotFound.of(GroupResource("", "componentstatus"), name)
        return _status(name, await self._probes[name]())

    async def list(self, request: Request, options: ListOptions) -> ResultList:
        found = await asyncio.gather(*(probe() for probe in self._probes.values()))
        statuses = [_status(name, health) for name, health in zip(self._probes, found, strict=True)]
        return ResultList([status for status in statuses if _is_selected(status, options)])

    async def _storage_health(self) -> _Health:
        try:
            await self._storage.current_revision()
        except StorageError as error:
            return _Health(is_good=False, error=str(error))
        return _Health(is_good=True, message="ok")


def _is_selected(status: JSONObject, options: ListOptions) -> bool:
    """They have no labels, so that hardly a selector selects one."""
    fields = {"metadata.name": status["metadata"]["name"], "metadata.namespace": ""}
    if options.label_selector is not None and not options.label_selector.matches({}):
        return False
    return options.field_selector is None or options.field_selector.matches(fields)


def _status(name: str, health: _Health) -> JSONObject:
    condition = {"type": "Healthy", "status": "True" if health.is_good else "False"}
    condition |= {"message": health.message} if health.message else {}
    condition |= {"error": health.error} if health.error else {}
    return {
        "kind": "ComponentStatus",
        "apiVersion": "v1",
        "metadata": {"name": name},
        "conditions": [condition],
    }


async def _served_health(port: int) -> _Health:
    """What a component answers at /healthz."""
    asked = f'Get "https://127.0.0.1:{port}/healthz"'
    try:
        async with asyncio.timeout(_PATIENCE):
            code, body = await _get_healthz(port)
    except TimeoutError:
        deadline = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        return _Health(is_good=False, message=f"{asked}: {deadline}")
    except OSError as error:
        reason = _reason(error)
        return _Health(is_good=False, message=f"{asked}: dial tcp 127.0.0.1:{port}: connect: {reason}")
    if 200 <= code < 300:
        return _Health(is_good=True, message=body)
    return _Health(is_good=False, message=f"HTTP probe failed with statuscode: {code}")


def _reason(error: OSError) -> str:
    return os.strerror(error.errno or errno.ECONNREFUSED).lower()


async def _get_healthz(port: int) -> tuple[int, str]:
    """The status code and the body. Whose certificate it is does not matter: it is this machine. Raises OSError."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting_anybody())
    incoming, body = Incoming("GET"), b""
    try:
        writer.write(f"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        await writer.drain()
        while not incoming.complete and len(body) < _LARGEST_ANSWER:
            if piece := await reader.read(_LARGEST_ANSWER):
                incoming.feed(piece)
            else:
                incoming.end()
            body += incoming.body()
    except (IncompleteAnswer, InvalidAnswer) as error:
        raise ConnectionResetError(str(error)) from error
    finally:
        writer.close()
    assert incoming.head is not None, "nothing is complete without it"
    return incoming.head.status, body.decode(errors="replace")


def component_status_cells(obj: JSONObject) -> list[Any]:
    healthy = next((each for each in obj.get("conditions") or () if each.get("type") == "Healthy"), None)
    state = "Unknown" if healthy is None else "Healthy" if healthy.get("status") == "True" else "Unhealthy"
    healthy = healthy or {}
    return [(obj.get("metadata") or {}).get("name", ""), state, healthy.get("message", ""), healthy.get("error", "")]


COMPONENT_STATUSES = builtin("componentstatuses", storage=ComponentStatusStore, cells=component_status_cells)
