"""A process's streams over one connection: messages of a WebSocket that begin with a channel's number, or SPDY streams.

kubectl asks for a WebSocket first and for SPDY where that is refused, and so do we. Kubernetes:
apimachinery/pkg/util/remotecommand/constants.go, client-go/tools/remotecommand (websocket.go, spdy.go, v1.go to v5.go).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from typing import Any, Final, Protocol

from kctl.errors import Ended, KctlError
from kctl.session.session import Session
from kctl.streaming.dial import upgrade_for
from kctl.streaming.spdy import SPDYConnection, Stream, WirePipe
from kctl.streaming.websocket import UpgradeRefused, WebSocket, connect
from localplane.apimachinery.golang.text import go_quote
from localplane.client.errors import ConnectionLost
from localplane.client.transport.interface import Pairs

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
_TYPES: Final = {ERROR: "error", STDIN: "stdin", STDOUT: "stdout", STDERR: "stderr", RESIZE: "resize"}
"""In the order in which SPDY streams are opened."""
V5: Final = "v5.channel.k8s.io"
_OVER_SPDY: Final = (V5, "v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io")
_WITH_STATUS: Final = _OVER_SPDY[:2]
_WITH_RESIZE: Final = _OVER_SPDY[:3]
_PING_EVERY: Final = 5.0
_SILENCE: Final = 61.0


class Conversation(Protocol):
    protocol: str

    async def send(self, channel: int, data: bytes) -> None:
        """Raises ConnectionLost."""

    async def finish(self, channel: int) -> None:
        """We say no more on it. Raises ConnectionLost."""

    async def receive(self) -> tuple[int, bytes] | None:
        """None when everything was said. Raises ConnectionLost."""

    async def close(self) -> None: ...


class OverWebSocket:
    def __init__(self, websocket: WebSocket) -> None:
        self.protocol = websocket.protocol
        self._websocket = websocket
        websocket.keep_alive(ping_every=_PING_EVERY, silence=_SILENCE)

    async def send(self, channel: int, data: bytes) -> None:
        await self._websocket.send(bytes([channel]) + data)

    async def finish(self, channel: int) -> None:
        await self._websocket.send(bytes([CLOSE, channel]))

    async def receive(self) -> tuple[int, bytes] | None:
        message = await self._websocket.receive()
        if message is None:
            return None
        if not message:
            raise ConnectionLost("read stream id: EOF")
        return message[0], message[1:]

    async def close(self) -> None:
        await self._websocket.close()


class OverSPDY:
    def __init__(self, connection: SPDYConnection, protocol: str) -> None:
        self.protocol = protocol
        self._connection = connection
        self._streams: dict[int, Stream] = {}
        self._heard: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue(4)
        self._telling: asyncio.Task[None] | None = None

    async def open(self, channels: Sequence[int]) -> None:
        """All of them before anything is said: the other side begins when it has them."""
        await self._connection.__aenter__()
        for channel, kind in _TYPES.items():
            if channel in channels and (channel != RESIZE or self.protocol in _WITH_RESIZE):
                self._streams[channel] = await self._connection.open([("streamtype", kind)])
        self._telling = asyncio.get_running_loop().create_task(self._tell())

    async def send(self, channel: int, data: bytes) -> None:
        if channel in self._streams:
            await self._streams[channel].write(data)

    async def finish(self, channel: int) -> None:
        await self._streams[channel].finish()

    async def receive(self) -> tuple[int, bytes] | None:
        return await self._heard.get()

    async def close(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
        await self._connection.__aexit__()

    async def _tell(self) -> None:
        heard = [channel for channel in self._streams if channel in (STDOUT, STDERR, ERROR)]
        async with asyncio.TaskGroup() as group:
            for channel in heard:
                group.create_task(self._tell_one(channel))
        await self._heard.put(None)

    async def _tell_one(self, channel: int) -> None:
        while data := await self._streams[channel].read():
            await self._heard.put((channel, data))


async def converse(session: Session, path: str, query: Pairs, channels: Sequence[int]) -> Conversation:
    """Raises KctlError where neither way is open, and ConnectionFailed."""
    if not is_disabled("KUBECTL_REMOTE_COMMAND_WEBSOCKETS"):
        try:
            return OverWebSocket(await connect(session, path, query, (V5,)))
        except UpgradeRefused:
            pass
    connection, protocol = await spdy_connection(session, path, query, _OVER_SPDY)
    conversation = OverSPDY(connection, protocol or _OVER_SPDY[-1])
    await conversation.open(channels)
    return conversation


async def spdy_connection(
    session: Session, path: str, query: Pairs, protocols: Sequence[str]
) -> tuple[SPDYConnection, str]:
    """The connection, and which protocol the server chose. Raises KctlError, ConnectionFailed."""
    headers = [("Connection", "Upgrade"), ("Upgrade", "SPDY/3.1")]
    headers += [("X-Stream-Protocol-Version", one) for one in protocols]
    answer = await upgrade_for(session, "POST", path, query, headers)
    if answer.wire is None or "spdy/3.1" not in answer.header("upgrade").lower():
        raise KctlError(f"unable to upgrade connection: {_refusal(answer.body)}")
    connection = SPDYConnection(WirePipe(answer.wire), ping_every=_PING_EVERY)
    return connection, answer.header("x-stream-protocol-version")


def _refusal(body: bytes) -> str:
    """Kubernetes: streaming/pkg/httpstream/spdy, upgradeErrorMessage."""
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    if isinstance(document, dict):
        for name in ("message", "error"):
            if said := str(document.get(name) or "").strip():
                return said
    return body.decode("utf-8", "replace").strip() or "empty server response"


def is_disabled(variable: str) -> bool:
    """kubectl's switches for those whose networks don't let WebSockets through."""
    return os.environ.get(variable, "").lower() in ("0", "f", "false")


def exit_code_of(said: bytes, protocol: str) -> int:
    """What the error channel means. Raises KctlError for what is no exit code."""
    if not said:
        return 0
    text = said.decode("utf-8", "replace")
    if protocol not in _WITH_STATUS:
        error = "Error" if protocol == _OVER_SPDY[-1] else "error"
        raise KctlError(f"{error} executing remote command: {text}")
    try:
        status = json.loads(said)
    except ValueError as error:
        raise KctlError(f"error stream protocol error: {error} in {go_quote(text)}") from error
    return _code_of_status(status if isinstance(status, dict) else {})


def _code_of_status(status: dict[str, Any]) -> int:
    if status.get("status") == "Success":
        return 0
    if status.get("status") != "Failure":
        raise KctlError("error stream protocol error: unknown error")
    if status.get("reason") != "NonZeroExitCode":
        raise KctlError(str(status.get("message", "")))
    if status.get("details") is None:
        raise KctlError("error stream protocol error: details must be set")
    for cause in status["details"].get("causes") or ():
        if cause.get("reason") == "ExitCode":
            code = str(cause.get("message", ""))
            if not code.isdecimal() or int(code) > 255:
                raise KctlError(f"error stream protocol error: invalid exit code value {go_quote(code)}")
            return int(code)
    raise KctlError("error stream protocol error: no ExitCode cause given")


def say_exit_code(session: Session, code: int) -> None:
    """kubectl says it, and ends with it. Raises Ended."""
    if code:
        session.say(f"command terminated with exit code {code}\n")
        raise Ended(code)
