"""An API server with two pods whose containers are processes of this machine.

Just what clients ask for when they talk to containers: discovery, pods, logs, and the WebSockets of exec, attach and
port-forward. It runs in a thread and writes down what it was asked.
"""

from __future__ import annotations

import asyncio
import json
import struct
import threading
from typing import Any

from aiohttp import WSMsgType, web

Object = dict[str, Any]

_RESOURCES = [
    {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]},
    {"name": "services", "singularName": "service", "namespaced": True, "kind": "Service", "verbs": ["get", "list"]},
]


def pod(name: str, *containers: str, **fields: Any) -> Object:
    spec = {
        "nodeName": "n",
        "containers": [{"name": one, "ports": [{"name": "http", "containerPort": 80}]} for one in containers],
    }
    metadata = {"name": name, "namespace": "default", "labels": {"app": "web"}}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": "Running"},
        **fields,
    }


class FakeKubelet:
    def __init__(self, protocols: tuple[str, ...] = ("v5.channel.k8s.io", "v4.channel.k8s.io")) -> None:
        self.pods = {one["metadata"]["name"]: one for one in (pod("one", "main"), pod("two", "main", "side"))}
        self.requests: list[str] = []
        self.echo_port = 0
        self.port = 0
        self._protocols = protocols
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(10)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._ready.set()
        self._loop.run_forever()
        self._echo.close()
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.close()

    async def _serve(self) -> None:
        self._echo = await asyncio.start_server(_echo, "127.0.0.1", 0)
        self.echo_port = self._echo.sockets[0].getsockname()[1]
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = self._runner.addresses[0][1]

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests.append(f"{request.method} {request.rel_url}")
        parts = request.path.strip("/").split("/")
        if request.path == "/api":
            return web.json_response({"kind": "APIVersions", "versions": ["v1"]})
        if request.path == "/apis":
            return web.json_response({"kind": "APIGroupList", "groups": []})
        if request.path == "/api/v1":
            return web.json_response({"kind": "APIResourceList", "groupVersion": "v1", "resources": _RESOURCES})
        name = parts[5] if len(parts) > 5 else ""
        if name and name not in self.pods:
            return _refusal(404, "NotFound", f'pods "{name}" not found')
        match parts[6:]:
            case [] if name:
                return web.json_response(self.pods[name])
            case []:
                return web.json_response({"kind": "PodList", "apiVersion": "v1", "items": list(self.pods.values())})
            case ["log"]:
                return await self._log(request, name)
            case ["exec" | "attach"]:
                return await self._exec(request)
            case ["portforward"]:
                return await self._forward(request)
        return _refusal(404, "NotFound", "not here")

    async def _log(self, request: web.BaseRequest, name: str) -> web.StreamResponse:
        container = request.query.get("container", "")
        if request.query.get("previous"):
            return _refusal(400, "BadRequest", f'previous terminated container "{container}" in pod "{name}" not found')
        lines = [f"{name} {container} says {number}" for number in range(3)]
        if tail := request.query.get("tailLines"):
            lines = lines[-int(tail) :]
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        for line in lines:
            await response.write(f"{line}\n".encode())
        return response

    async def _exec(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.query.get("command") == "refused":
            return _refusal(403, "Forbidden", "nobody may do that")
        socket = web.WebSocketResponse(protocols=self._protocols)
        await socket.prepare(request)
        command = request.query.getall("command", ["cat"])
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE if request.query.get("stdin") else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        feeding = asyncio.create_task(_feed(socket, process))
        await asyncio.gather(_tell(socket, 1, process.stdout), _tell(socket, 2, process.stderr))
        code = await process.wait()
        await socket.send_bytes(b"\x03" + json.dumps(_exit_status(code)).encode())
        await socket.close()
        feeding.cancel()
        return socket

    async def _forward(self, request: web.BaseRequest) -> web.StreamResponse:
        socket = web.WebSocketResponse(protocols=("v4.channel.k8s.io",))
        await socket.prepare(request)
        port = int(request.query["ports"])
        for channel in (0, 1):
            await socket.send_bytes(bytes([channel]) + struct.pack("<H", port))
        if port != 80:
            await socket.send_bytes(b"\x01connection refused inside of the pod")
            await socket.close()
            return socket
        reader, writer = await asyncio.open_connection("127.0.0.1", self.echo_port)
        telling = asyncio.create_task(_tell(socket, 0, reader))
        async for message in socket:
            if message.type is WSMsgType.BINARY and message.data[0] == 0:
                writer.write(message.data[1:])
        telling.cancel()
        writer.close()
        return socket


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data.upper())
        await writer.drain()
    writer.close()


async def _feed(socket: web.WebSocketResponse, process: asyncio.subprocess.Process) -> None:
    async for message in socket:
        if process.stdin is None or message.type is not WSMsgType.BINARY:
            continue
        if message.data[0] == 0:
            process.stdin.write(message.data[1:])
            await process.stdin.drain()
        elif message.data == b"\xff\x00":
            process.stdin.close()


async def _tell(socket: web.WebSocketResponse, channel: int, reader: asyncio.StreamReader) -> None:
    while data := await reader.read(65536):
        await socket.send_bytes(bytes([channel]) + data)


def _exit_status(code: int) -> Object:
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    return {
        "metadata": {},
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "message": f"command terminated with non-zero exit code: {code}",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }


def _refusal(code: int, reason: str, message: str) -> web.Response:
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    return web.json_response(status, status=code)
