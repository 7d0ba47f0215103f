"""An API server that keeps its objects in a dictionary, and misbehaves when it is told to.

One collection for each resource path, one version counter for all. Watches read from a history that can be compacted;
`Fault`s answer with errors, or cut the connection after any number of bytes.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections import deque
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from localplane.apimachinery.objects import JSONObject

Decide = Callable[[web.Request], "Fault | None"]


@dataclass(frozen=True)
class Fault:
    """`status` answers at once; `cut_after` lets so many bytes of the body through; `hold` waits for an event."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut_after: int | None = None
    hold: asyncio.Event | None = None


@dataclass(frozen=True)
class Change:
    version: int
    type: str
    collection: str
    object: JSONObject


class FakeAPI:
    def __init__(self) -> None:
        self.version = 100
        self.objects: dict[str, dict[str, JSONObject]] = {}
        self.history: list[Change] = []
        self.compacted = 0
        self.requests: list[web.Request] = []
        self.faults: deque[Fault] = deque()
        self.decide: Decide = lambda _: None
        self.watch_lists = "supported"  # or "refused", or "ignored", as servers do that don't know the parameter
        self.open_watches = 0
        self._changed = asyncio.Event()
        self._bookmarks = 0
        self._runner: web.AppRunner | None = None
        self.url = ""

    # What tests do to it

    async def start(self, port: int = 0) -> None:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """All that it knows is still there when it is started again, at the same port."""
        assert self._runner is not None
        await self._runner.cleanup()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def put(self, name: str, namespace: str = "default", *, resource: str = "configmaps", **fields: Any) -> JSONObject:
        """Create the object, or replace it."""
        collection = self.objects.setdefault(resource, {})
        key = f"{namespace}/{name}"
        kind = "MODIFIED" if key in collection else "ADDED"
        self.version += 1
        metadata = {**fields.pop("metadata", {}), "name": name, "namespace": namespace}
        uid = collection[key]["metadata"]["uid"] if key in collection else f"uid-{self.version}"
        obj = {**fields, "metadata": {**metadata, "uid": uid, "resourceVersion": str(self.version)}}
        collection[key] = obj
        self._record(kind, resource, obj)
        return obj

    def remove(self, name: str, namespace: str = "default", *, resource: str = "configmaps") -> JSONObject:
        self.version += 1
        obj = deepcopy(self.objects[resource].pop(f"{namespace}/{name}"))
        obj["metadata"]["resourceVersion"] = str(self.version)
        self._record("DELETED", resource, obj)
        return obj

    def compact(self) -> None:
        """Forget the past: whoever has not seen it must list again."""
        self.compacted = self.version

    def bookmark(self) -> None:
        self._bookmarks += 1
        self._wake()

    def count(self, **parameters: str) -> int:
        """How many requests had these query parameters."""
        return sum(parameters.items() <= dict(request.query).items() for request in self.requests)

    def lists(self) -> int:
        return sum("watch" not in request.query and request.method == "GET" for request in self.requests)

    # The server

    def _record(self, kind: str, resource: str, obj: JSONObject) -> None:
        self.history.append(Change(self.version, kind, resource, obj))
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        fault = self.faults.popleft() if self.faults else self.decide(request)
        if fault is not None and fault.hold is not None:
            await fault.hold.wait()
        if fault is not None and fault.status:
            return web.Response(status=fault.status, headers=fault.headers, body=fault.body)
        cut = None if fault is None else fault.cut_after
        if request.query.get("watch") == "true":
            return await self._watch(request, cut)
        return await self._answer(request, *await self._verb(request), cut)

    async def _answer(self, request: web.Request, status: int, body: JSONObject, cut: int | None) -> web.StreamResponse:
        data = json.dumps(body).encode()
        if cut is None:
            return web.Response(status=status, body=data, content_type="application/json")
        response = web.StreamResponse(status=status, headers={"Content-Type": "application/json"})
        response.content_length = len(data)
        return await _Cutting(request, response, cut).send_all(data)

    async def _verb(self, request: web.Request) -> tuple[int, JSONObject]:
        resource, namespace, name = self._parse(request.path)
        if request.method == "GET" and not name:
            return self._list(request, resource, namespace)
        if request.method == "POST":
            obj = json.loads(await request.read())
            return 201, self.put(obj["metadata"]["name"], namespace, resource=resource, **obj)
        key = f"{namespace}/{name}"
        if key not in self.objects.get(resource, {}):
            return status(404, "NotFound", f'{resource} "{name}" not found')
        if request.method == "PUT":
            return 200, self.put(name, namespace, resource=resource, **json.loads(await request.read()))
        if request.method == "DELETE":
            self.remove(name, namespace, resource=resource)
            return 200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
        return 200, self.objects[resource][key]

    @staticmethod
    def _parse(path: str) -> tuple[str, str, str]:
        parts = path.strip("/").split("/")[2:]
        namespace = ""
        if parts[0] == "namespaces" and len(parts) > 2:
            _, namespace, *parts = parts
        return parts[0], namespace, parts[1] if len(parts) > 1 else ""

    def _list(self, request: web.Request, resource: str, namespace: str) -> tuple[int, JSONObject]:
        wanted = request.query.get("resourceVersion", "")
        if wanted and int(wanted) > self.version:
            cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
            return status(504, "Timeout", "Too large resource version", details={"causes": [cause]})
        version, start = self.version, ""
        if token := request.query.get("continue"):
            version, start = json.loads(base64.urlsafe_b64decode(token))
            if version < self.compacted:
                return status(410, "Expired", "The provided continue parameter is too old")
        state = self.state_at(version, resource, namespace)
        keys = sorted(key for key in state if key >= start)
        limit = int(request.query.get("limit") or 0) or len(keys)
        metadata = {"resourceVersion": str(version)}
        if len(keys) > limit:
            metadata["continue"] = base64.urlsafe_b64encode(json.dumps([version, keys[limit]]).encode()).decode()
        return 200, {"kind": "List", "metadata": metadata, "items": [state[key] for key in keys[:limit]]}

    def state_at(self, version: int, resource: str = "configmaps", namespace: str = "") -> dict[str, JSONObject]:
        state: dict[str, JSONObject] = {}
        for change in self.history:
            metadata = change.object["metadata"]
            if change.version > version or change.collection != resource:
                continue
            if namespace in ("", metadata["namespace"]):
                key = f"{metadata['namespace']}/{metadata['name']}"
                state[key] = change.object
                if change.type == "DELETED":
                    del state[key]
        return state

    async def _watch(self, request: web.Request, cut: int | None) -> web.StreamResponse:
        resource, namespace, _ = self._parse(request.path)
        wants_initial = request.query.get("sendInitialEvents") == "true"
        if wants_initial and self.watch_lists == "refused":
            code, body = status(422, "Invalid", "sendInitialEvents: Forbidden: is disabled")
            return web.json_response(body, status=code)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        out = _Cutting(request, response, cut)
        self.open_watches += 1
        try:
            since = request.query.get("resourceVersion", "")
            if wants_initial or since in ("", "0"):
                at = self.version
                for obj in self.state_at(at, resource, namespace).values():
                    await out.event("ADDED", obj)
                if wants_initial and self.watch_lists == "supported":
                    await out.event("BOOKMARK", _bookmark(at, {"k8s.io/initial-events-end": "true"}))
            else:
                at = int(since)
                if at < self.compacted:
                    await out.event("ERROR", status(410, "Expired", f"too old resource version: {since}")[1])
                    return await out.end()
            return await self._follow(out, at, resource, namespace)
        except ConnectionError:
            return response  # it is cut
        finally:
            self.open_watches -= 1

    async def _follow(self, out: _Cutting, at: int, resource: str, namespace: str) -> web.StreamResponse:
        bookmarks = self._bookmarks
        await out.start()
        while True:
            changed = self._changed
            for change in [change for change in self.history if change.version > at]:
                at = change.version
                if change.collection == resource and namespace in ("", change.object["metadata"]["namespace"]):
                    await out.event(change.type, change.object)
            if bookmarks < self._bookmarks:
                bookmarks = self._bookmarks
                await out.event("BOOKMARK", _bookmark(at, {}))
            await changed.wait()


class _Cutting:
    """A response that may end in the middle of anything."""

    def __init__(self, request: web.Request, response: web.StreamResponse, left: int | None) -> None:
        self._request = request
        self._response = response
        self._left = left

    async def start(self) -> None:
        if not self._response.prepared:
            await self._response.prepare(self._request)

    async def event(self, kind: str, obj: JSONObject) -> None:
        await self._send(json.dumps({"type": kind, "object": obj}).encode() + b"\n")

    async def send_all(self, data: bytes) -> web.StreamResponse:
        try:
            await self._send(data)
        except ConnectionError:
            return self._response
        return await self.end()

    async def end(self) -> web.StreamResponse:
        await self._response.write_eof()
        return self._response

    async def _send(self, data: bytes) -> None:
        await self.start()
        if self._left is not None and self._left <= len(data):
            await self._response.write(data[: self._left])
            assert self._request.transport is not None
            self._request.transport.close()
            raise ConnectionResetError("cut, as asked for")
        await self._response.write(data)
        if self._left is not None:
            self._left -= len(data)


def status(code: int, reason: str, message: str, **fields: Any) -> tuple[int, JSONObject]:
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    return code, {**body, "reason": reason, **fields, "code": code}


def _bookmark(version: int, annotations: dict[str, str]) -> JSONObject:
    return {"kind": "ConfigMap", "metadata": {"resourceVersion": str(version), "annotations": annotations}}
