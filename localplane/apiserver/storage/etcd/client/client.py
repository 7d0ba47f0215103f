"""The client: calls methods on whichever member can be reached, and turns failures into storage errors.

It keeps one connection, to one member, and moves to the next when that member can't be reached, breaks the connection
or has no leader. It never waits for a store that is away: a call either gets a connection now or fails, and the
next call tries again.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from time import perf_counter
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

from localplane.apiserver.storage.errors import Unavailable

from .endpoints import Endpoint, TLSFiles, connect
from .failures import NO_LEADER, Answered, Broken, CallFailure, NotProcessed, storage_error
from .timers import KeepAliveTimes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .connection import Connection
    from .methods import Method
    from .streams import MessageStream

_GOODBYE = timedelta(seconds=1)  # for TLS, which says goodbye in both directions


class EtcdClient:
    """Calls etcd. Reads whose connection broke are tried once more; writes never are, because nobody knows whether
    they happened: those errors carry `may_have_happened`."""

    def __init__(
        self,
        endpoints: Sequence[str],
        *,
        tls: TLSFiles | None = None,
        timeout: timedelta = timedelta(seconds=10),
        connect_timeout: timedelta = timedelta(seconds=1.5),
        keep_alive: KeepAliveTimes | None = None,
    ) -> None:
        if not endpoints:
            raise ValueError("an etcd client needs at least one endpoint")
        self._endpoints = tuple(Endpoint.parse(url) for url in endpoints)
        secure = any(endpoint.secure for endpoint in self._endpoints)
        self._tls = (tls or TLSFiles()).context() if secure else None
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._keep_alive = keep_alive or KeepAliveTimes()
        self._at = 0
        self._current: Connection | None = None
        self._connections: set[Connection] = set()
        self._connecting = asyncio.Lock()
        self._failed_attempts = 0
        self._why_unreachable = ""
        self._closed = False
        self.observed_revision = 1
        self.on_call: Callable[[str, float], None] | None = None
        """Hears the name and the seconds of every unary call, failed ones too."""

    async def call(self, method: Method, request: Any, *, within: timedelta | None = None) -> Any:
        """Call a unary method and return its response; raises StorageErrors only."""
        message: bytes = request.SerializeToString()
        within = within or self._timeout
        began = perf_counter()
        try:
            answer = await self._try(method, message, within)
        except CallFailure as failure:
            requested = getattr(request, "revision", 0)
            raise storage_error(
                failure, mutates=method.mutates, requested=requested, current=self.observed_revision
            ) from failure
        finally:
            if self.on_call is not None:
                self.on_call(method.name, perf_counter() - began)
        response = _decoded(method, answer)
        self.observe(response.header.revision)
        return response

    async def open(self, method: Method) -> ClientStream:
        """Open a streaming method; raises Unavailable."""
        try:
            connection = await self._connection()
            stream = await connection.stream(method.path, within=self._timeout)
        except CallFailure as failure:
            raise storage_error(failure, mutates=method.mutates) from failure
        return ClientStream(self, method, connection, stream)

    def observe(self, revision: int) -> None:
        """Somebody has seen the store at this revision."""
        self.observed_revision = max(self.observed_revision, revision)

    def move_on(self, connection: Connection) -> None:
        """This member has no leader: send new calls to the next one, if there is one."""
        if connection is self._current and len(self._endpoints) > 1:
            self._current = None
            self._at += 1
            connection.retire()

    async def close(self) -> None:
        """Fail what is in flight, refuse what comes, and leave no socket behind."""
        self._closed = True
        connections = tuple(self._connections)
        for connection in connections:
            connection.close("the client was closed")
        for connection in connections:
            await connection.settle(_GOODBYE)

    async def _try(self, method: Method, message: bytes, within: timedelta) -> bytes | memoryview:
        connection = await self._connection()
        try:
            return await connection.unary(method.path, message, within=within)
        except CallFailure as failure:
            self._learn(connection, failure)
            if method.mutates or not self._worth_another_try(failure):
                raise
        connection = await self._connection()
        return await connection.unary(method.path, message, within=within)

    def _worth_another_try(self, failure: CallFailure) -> bool:
        if isinstance(failure, Answered):
            return failure.message == NO_LEADER and len(self._endpoints) > 1
        return isinstance(failure, Broken | NotProcessed)

    def _learn(self, connection: Connection, failure: CallFailure) -> None:
        if isinstance(failure, Answered) and failure.message == NO_LEADER:
            self.move_on(connection)

    async def _connection(self) -> Connection:
        connection = self._current
        if connection is not None and connection.usable:
            return connection
        return await self._connect()

    async def _connect(self) -> Connection:
        """One caller connects, and all who came meanwhile share what comes of it."""
        attempts_seen = self._failed_attempts
        async with self._connecting:
            if self._closed:
                raise NotProcessed("the client is closed")
            if self._current is not None:
                if self._current.usable:
                    return self._current
                self._current = None
                self._at += 1
            if self._failed_attempts != attempts_seen:
                raise NotProcessed(self._why_unreachable)
            self._current = await self._first_that_answers()
            return self._current

    async def _first_that_answers(self) -> Connection:
        reasons = []
        for offset in range(len(self._endpoints)):
            position = (self._at + offset) % len(self._endpoints)
            endpoint = self._endpoints[position]
            try:
                connection = await connect(
                    endpoint,
                    self._tls,
                    within=self._connect_timeout,
                    keep_alive=self._keep_alive,
                    on_closed=self._connections.discard,
                )
            except TimeoutError:
                reasons.append(f"{endpoint.url}: no answer within {self._connect_timeout.total_seconds():g} s")
            except (OSError, CallFailure) as error:
                reasons.append(f"{endpoint.url}: {error}")
            else:
                self._at = position
                if self._closed:
                    connection.close("the client was closed")
                if connection.usable:
                    self._connections.add(connection)
                return connection
        self._failed_attempts += 1
        self._why_unreachable = "can't be reached: " + "; ".join(reasons)
        raise NotProcessed(self._why_unreachable)


class ClientStream:
    """An open streaming call whose messages are protobuf and whose failures are storage errors."""

    def __init__(self, client: EtcdClient, method: Method, connection: Connection, stream: MessageStream) -> None:
        self._client = client
        self._method = method
        self._connection = connection
        self._stream = stream

    def send(self, request: Any) -> None:
        try:
            self._stream.send(request.SerializeToString())
        except CallFailure as failure:
            raise storage_error(failure, mutates=self._method.mutates) from failure

    async def receive(self) -> Any:
        """The next response; raises Unavailable when there will be none."""
        try:
            message = await self._stream.receive()
        except CallFailure as failure:
            if isinstance(failure, Answered) and failure.message == NO_LEADER:
                self._client.move_on(self._connection)
            raise storage_error(failure, mutates=self._method.mutates) from failure
        response = _decoded(self._method, message)
        self._client.observe(response.header.revision)
        return response

    def close(self) -> None:
        self._stream.cancel(Broken("the stream was closed"))


def _decoded(method: Method, message: bytes | memoryview) -> Any:
    try:
        return method.response.FromString(message)
    except DecodeError as error:
        raise Unavailable(
            f"etcd's answer to {method.path} can't be read: {error}", may_have_happened=method.mutates
        ) from error
