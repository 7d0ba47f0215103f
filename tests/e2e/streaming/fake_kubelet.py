"""An API server with a few pods whose containers are processes of this machine.

Just what clients ask for when they talk to containers: discovery, a few objects, logs, and what exec, attach and
port-forward speak: WebSockets, SPDY, and SPDY in a WebSocket. It runs in a thread and writes down what it was asked.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.e2e.streaming import fake_processes
from tests.e2e.streaming.fake_http import Request, read_request
from tests.e2e.streaming.fake_streams import SPDY, Channels, SPDYChannels, WebSocket

V5 = "v5.channel.k8s.io"
TUNNEL = "SPDY/3.1+portforward.k8s.io"
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_KINDS = {
    "": {
        "pods": "Pod",
        "services": "Service",
        "configmaps": "ConfigMap",
        "replicationcontrollers": "ReplicationController",
    },
    "apps": {"deployments": "Deployment", "replicasets": "ReplicaSet"},
    "batch": {"jobs": "Job"},
}
_SHORT = {"deployments": ["deploy"], "services": ["svc"], "pods": ["po"]}


def pod(name: str, *containers: str, app: str = "web", **fields: Any) -> JSONObject:
    """`fields` go into the spec, but `status`, `annotations` and `labels`."""
    status = fields.pop("status", {"phase": "Running"})
    metadata = {
        "name": name,
        "namespace": "default",
        "labels": fields.pop("labels", {"app": app}),
        "annotations": fields.pop("annotations", {}),
        "creationTimestamp": fields.pop("created", "2026-01-01T00:00:00Z"),
    }
    ports = [{"name": "http", "containerPort": 80, "protocol": "TCP"}]
    spec = {"nodeName": "n", "containers": [{"name": one, "ports": ports} for one in containers], **fields}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": spec, "status": status}


def selecting(kind: str, name: str, **labels: str) -> JSONObject:
    version = {"Job": "batch/v1", "Service": "v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
    selector: Any = labels if version == "v1" else {"matchLabels": labels}
    metadata = {"name": name, "namespace": "default"}
    return {"kind": kind, "apiVersion": version, "metadata": metadata, "spec": {"selector": selector}}


def objects() -> list[JSONObject]:
    service = selecting("Service", "web", app="web")
    service["spec"]["ports"] = [
        {"name": "http", "port": 8080, "targetPort": "http", "protocol": "TCP"},
        {"name": "plain", "port": 81, "protocol": "TCP"},
        {"name": "dns", "port": 53, "targetPort": 53, "protocol": "UDP"},
    ]
    shell = pod("shell", app="shell")
    shell["spec"]["containers"] = [{"name": "main", "tty": True, "stdin": True}]
    many = pod("many", "main", app="many", initContainers=[{"name": "setup"}], ephemeralContainers=[{"name": "debug"}])
    return [
        pod("one", "main"),
        pod("two", "main", "side", created="2026-01-02T00:00:00Z"),
        pod("chosen", "a", "b", app="chosen", annotations={"kubectl.kubernetes.io/default-container": "b"}),
        pod("wrong", "a", "b", app="wrong", annotations={"kubectl.kubernetes.io/default-container": "x"}),
        pod("done", "main", app="done", status={"phase": "Succeeded"}),
        pod("waiting", "main", app="waiting", status={"phase": "Pending"}),
        shell,
        many,
        service,
        selecting("Service", "nobodys"),
        selecting("Deployment", "web", app="web"),
        selecting("Deployment", "none", app="none"),
        selecting("Job", "hello", app="chosen"),
        selecting("ReplicaSet", "done", app="done"),
        {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "settings", "namespace": "default"}},
    ]


class FakeKubelet:
    """`speaks` is what it can be upgraded to: `websocket`, `spdy`. `requests` are what it was asked, in order."""

    def __init__(self, *, speaks: tuple[str, ...] = ("websocket", "spdy")) -> None:
        self.requests: list[str] = []
        self.asked: list[Request] = []
        self.sockets: list[WebSocket] = []
        self.forwarding: list[SPDY] = []
        self.port = 0
        self.speaks = speaks
        self.objects = {_path(one): one for one in objects()}
        self.refusals = 0
        """How many requests for logs are refused before one is answered."""
        self._loop = asyncio.new_event_loop()
        self._changed = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(30)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def add(self, obj: JSONObject) -> None:
        """Whoever watches hears of it."""

        def put() -> None:
            self.objects[_path(obj)] = obj
            self._changed.set()

        self._loop.call_soon_threadsafe(put)

    def hang_up(self) -> None:
        """Cut all connections that ports are forwarded over."""
        for spdy in self.forwarding:
            self._loop.call_soon_threadsafe(spdy.hang_up)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    async def _serve(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _end(self) -> None:
        self._server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # for transports that close when the loop comes to it

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(ConnectionError, asyncio.CancelledError):
            while (request := await read_request(reader, writer)) is not None:
                self.requests.append(f"{request.method} {request.target}")
                self.asked.append(request)
                await self._answer(request)
                if request.header("upgrade"):
                    break

    async def _answer(self, request: Request) -> None:
        parts = request.path.strip("/").split("/")
        if request.path in ("/api", "/apis"):
            await request.answer_json(200, _discovery(request.path), _AGGREGATED)
        elif len(parts) > 3 and parts[-1] in ("log", "exec", "attach", "portforward"):
            named = "/" + "/".join(parts[:-1])
            if named not in self.objects:
                await request.refuse(404, "NotFound", f'pods "{parts[-2]}" not found')
                return
            await {"log": self._log, "exec": self._exec, "attach": self._exec, "portforward": self._forward}[parts[-1]](
                request
            )
        elif request.path in self.objects:
            await request.answer_json(200, self.objects[request.path])
        elif parts[-1] in {kind for kinds in _KINDS.values() for kind in kinds}:
            await self._list(request)
        else:
            await request.refuse(404, "NotFound", f'{parts[-2] if len(parts) > 1 else ""} "{parts[-1]}" not found')

    async def _list(self, request: Request) -> None:
        def found() -> list[JSONObject]:
            wanted = [term.partition("=") for term in request.value("labelSelector").split(",") if term]
            inside = [one for path, one in self.objects.items() if path.rpartition("/")[0] == request.path]
            return [one for one in inside if all(_labels(one).get(key) == value for key, _, value in wanted)]

        if request.value("watch"):
            await request.begin("application/json")
            while not found():
                self._changed.clear()
                await self._changed.wait()
            for one in found():
                await request.piece(json.dumps({"type": "ADDED", "object": one}).encode() + b"\n")
            await request.piece(b"")
            return
        document = {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": found()}
        await request.answer_json(200, {**document, "kind": "PodList"})

    async def _log(self, request: Request) -> None:
        container, name = request.value("container"), request.path.split("/")[-2]
        if self.refusals:
            self.refusals -= 1
            await request.refuse(400, "BadRequest", f'container "{container}" in pod "{name}" is waiting to start')
            return
        if request.value("previous"):
            message = f'previous terminated container "{container}" in pod "{name}" not found'
            await request.refuse(400, "BadRequest", message)
            return
        lines = [f"{name} {container} says {number}" for number in range(3)]
        if request.value("tailLines"):
            lines = lines[len(lines) - int(request.value("tailLines")) :]
        await request.begin("text/plain")
        for line in lines:
            await request.piece(f"{line}\n".encode())
        if request.value("follow") and request.value("sinceSeconds"):
            await asyncio.Event().wait()  # a log that goes on
        await request.piece(b"")

    async def _exec(self, request: Request) -> None:
        command = request.values("command") or (["cat"] if request.value("stdin") else ["echo", "attached"])
        if command == ["refused"]:
            await request.refuse(403, "Forbidden", "nobody may do that")
            return
        channels = await self._channels(request)
        if channels is None:
            return
        special: dict[str, Callable[[], Any]] = {
            "hang-up": request.writer.close,
            "broken": lambda: channels.close(1011, "it broke"),
            "silent": channels.close,
            "no-container": lambda: _tell(channels, {"status": "Failure", "message": "no such container"}),
            "no-details": lambda: _tell(channels, {"status": "Failure", "reason": "NonZeroExitCode"}),
            "nonsense": lambda: _tell(channels, {"status": "?"}),
        }
        if command[0] in special:
            done = special[command[0]]()
            if done is not None:
                await done
            return
        await fake_processes.run(channels, command, stdin=bool(request.value("stdin")), tty=bool(request.value("tty")))

    async def _channels(self, request: Request) -> Channels | None:
        wanted = request.header("upgrade").lower()
        if wanted == "websocket" and "websocket" in self.speaks:
            self.sockets.append(await WebSocket.accept(request, V5))
            return self.sockets[-1]
        if wanted == "spdy/3.1" and "spdy" in self.speaks:
            offered = request.all_headers("x-stream-protocol-version")
            chosen = offered[1] if "old" in self.speaks else offered[0]
            await request.switch(("Upgrade", "SPDY/3.1"), ("X-Stream-Protocol-Version", chosen))
            channels = SPDYChannels(SPDY(request))
            names = ("stdin", "stdout", "stderr")
            await channels.open(1 + sum(bool(request.value(name)) for name in names) + bool(request.value("tty")))
            return channels
        await request.refuse(400, "BadRequest", "you must specify at least 1 of stdin, stdout, stderr")
        return None

    async def _forward(self, request: Request) -> None:
        wanted = request.header("upgrade").lower()
        if wanted == "websocket" and "websocket" in self.speaks:
            spdy = SPDY(request, await WebSocket.accept(request, TUNNEL))
        elif wanted == "spdy/3.1" and "spdy" in self.speaks:
            await request.switch(("Upgrade", "SPDY/3.1"), ("X-Stream-Protocol-Version", "portforward.k8s.io"))
            spdy = SPDY(request)
        else:
            await request.refuse(400, "BadRequest", "no ports here")
            return
        self.forwarding.append(spdy)
        await _forward(spdy)


async def _forward(spdy: SPDY) -> None:
    """What comes on port 80 goes back in capitals; nobody listens on the others."""
    errors: dict[str, int] = {}
    known: set[int] = set()
    await spdy.ping()
    while (heard := await spdy.receive_any()) is not None:
        stream, data = heard
        headers = spdy.streams[stream]
        if stream not in known:
            known.add(stream)
            if headers["streamtype"] == "error":
                errors[headers["requestid"]] = stream
            elif headers["port"] != "80":
                await spdy.write(errors[headers["requestid"]], b"connection refused inside of the pod", last=True)
                await spdy.write(stream, b"", last=True)
        elif headers["streamtype"] == "data" and data:
            await spdy.write(stream, data.upper())
        elif headers["streamtype"] == "data":
            await spdy.write(stream, b"", last=True)
            await spdy.write(errors[headers["requestid"]], b"", last=True)


async def _tell(channels: Channels, status: JSONObject) -> None:
    await channels.send(3, json.dumps(status).encode())
    await channels.close()


def _labels(obj: JSONObject) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


def _path(obj: JSONObject) -> str:
    group = obj["apiVersion"].rpartition("/")[0]
    resource = next(name for name, kind in _KINDS[group].items() if kind == obj["kind"])
    root = f"/apis/{obj['apiVersion']}" if group else "/api/v1"
    return f"{root}/namespaces/default/{resource}/{obj['metadata']['name']}"


def _discovery(path: str) -> JSONObject:
    groups = [name for name in _KINDS if bool(name) == (path == "/apis")]
    items = [
        {
            "metadata": {"name": group} if group else {},
            "versions": [{"version": "v1", "resources": [_resource(group, name) for name in _KINDS[group]]}],
        }
        for group in groups
    ]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items}


def _resource(group: str, name: str) -> JSONObject:
    return {
        "resource": name,
        "responseKind": {"group": group, "version": "v1", "kind": _KINDS[group][name]},
        "scope": "Namespaced",
        "singularResource": _KINDS[group][name].lower(),
        "shortNames": _SHORT.get(name, []),
        "verbs": ["get", "list", "watch"],
    }
