"""The client: calls methods on whichever member can be reached, and turns failures into storage errors.

It keeps one connection, to one member, and moves to the next when that member can't be reached, breaks the connection
or has no leader. It never waits for a store that is away: a call either gets a connection now or fails, and the
next call tries again.

Where etcd asks for users, the connection begins with a name and a password, for which etcd gives a token; when that has
expired, another is asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

from localplane.apiserver.storage.errors import Unavailable

from .endpoints import Endpoint, EtcdTLSFiles, FollowedTLS, connect
from .failures import (
    NO_LEADER,
    UNAUTHENTICATED,
    UNAVAILABLE,
    USERS_ARE_NOT_ASKED_FOR,
    Answered,
    Broken,
    CallFailure,
    NotProcessed,
    storage_error,
)
from .messages import AuthenticateRequest
from .methods import AUTHENTICATE
from .timers import KeepAliveTimes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .connection import Connection
    from .methods import Method
    from .streams import MessageStream

_GOODBYE = timedelta(seconds=1)  # for TLS, which says goodbye in both directions


@dataclass(frozen=True, slots=True)
class EtcdUser:
    """Whom etcd knows us as. `password` is asked each time it is needed, so it may change; it raises OSError."""

    name: str
    password: Callable[[], str]


class EtcdClient:
    """Calls etcd. What was certainly not looked at is tried once more, on the next member if there is one; so are reads
    whose connection broke or which that member could not answer. Other writes never are, because nobody knows whether
    they happened: those errors carry `may_have_happened`."""

    def __init__(
        self,
        endpoints: Sequence[str],
        *,
        tls: EtcdTLSFiles | None = None,
        user: EtcdUser | None = None,
        timeout: timedelta = timedelta(seconds=10),
        connect_timeout: timedelta = timedelta(seconds=1.5),
        keep_alive: KeepAliveTimes | None = None,
    ) -> None:
        if not endpoints:
            raise ValueError("an etcd client needs at least one endpoint")
        self._endpoints = tuple(Endpoint.parse(url) for url in endpoints)
        secure = any(endpoint.secure for endpoint in self._endpoints)
        self._tls = FollowedTLS(tls or EtcdTLSFiles()) if secure else None
        self._user = user
        self._token = ""
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
        self._cluster_id = 0
        self.on_discontinuity: Callable[[str], None] | None = None
        """Hears, in a sentence, that etcd went back in time or is another cluster than it was; after that its new
        state counts. While nobody listens, such an answer is an error: what a store like that acknowledges may vanish
        with the next repair of it."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Of all members, as they were given."""
        return tuple(endpoint.url for endpoint in self._endpoints)

    async def call(self, method: Method, request: Any, *, within: timedelta | None = None) -> Any:
        """Call a unary method and return its response; raises StorageErrors only."""
        message: bytes = request.SerializeToString()
        within = within or self._timeout
        known = self.observed_revision
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
        header = response.header
        revision: int = header.revision
        if header.cluster_id != self._cluster_id:
            self.check_cluster(header, method)
        if revision < known and method.linearizable:
            self._check_revision(revision, known, method)
        self.observe(revision)
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

    def check_cluster(self, header: Any, method: Method) -> None:
        """All answers come from one cluster. Proxies and imitations of etcd may name none."""
        known, cluster_id = self._cluster_id, header.cluster_id
        if not known:
            self._cluster_id = cluster_id
        elif cluster_id and cluster_id != known:
            why = f"etcd is not the cluster that it was: its id was {known:x} and is now {cluster_id:x}"
            self._tell_of_discontinuity(why, method)
            self._cluster_id, self.observed_revision = cluster_id, header.revision

    def _check_revision(self, revision: int, known: int, method: Method) -> None:
        """`known` was seen before the call was made, so that a lower one proves that etcd forgot something."""
        if not revision or known > self.observed_revision:
            return  # an imitation that tells none, or somebody has noticed while we waited
        why = f"etcd went back in time: it had reached revision {known} and now stands at {revision}"
        self._tell_of_discontinuity(why, method)
        self.observed_revision = revision

    def _tell_of_discontinuity(self, why: str, method: Method) -> None:
        if self.on_discontinuity is None:
            raise Unavailable(why, may_have_happened=method.mutates)
        self.on_discontinuity(why)

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
        connection, token = await self._connection(), self._token
        began = perf_counter()
        try:
            return await connection.unary(method.path, message, within=within)
        except CallFailure as failure:
            if self._is_about_the_member(failure):
                self.move_on(connection)
            left = within - timedelta(seconds=perf_counter() - began)
            if not self._worth_another_try(method, failure) or left <= timedelta():
                raise
            if _is_about_us(failure):
                await self._log_in_again(token)
        connection = await self._connection()
        return await connection.unary(method.path, message, within=left)

    def _worth_another_try(self, method: Method, failure: CallFailure) -> bool:
        if isinstance(failure, NotProcessed):
            return True
        if _is_about_us(failure):
            return self._user is not None
        if isinstance(failure, Answered):
            is_undone = failure.message == NO_LEADER or not method.mutates
            return is_undone and self._is_about_the_member(failure) and len(self._endpoints) > 1
        return isinstance(failure, Broken) and not method.mutates

    @staticmethod
    def _is_about_the_member(failure: CallFailure) -> bool:
        """Whether another member may answer better: this one has no leader, ends, or got no answer from the others."""
        return isinstance(failure, NotProcessed) or (isinstance(failure, Answered) and failure.code == UNAVAILABLE)

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
                self._current.retire()  # it may only have no more numbers for new calls, and is used by old ones
                self._current = None
                self._at += 1
            if self._failed_attempts != attempts_seen:
                raise NotProcessed(self._why_unreachable)
            self._current = connection = await self._first_that_answers()
            if self._user is not None and not self._token:
                await self._log_in(connection, self._user)
            connection.use_token(self._token)
            return connection

    async def _log_in_again(self, token: str) -> None:
        """The token that a call has shown is no longer believed. Of all who hear so one asks for another."""
        connection = await self._connection()
        async with self._connecting:
            if self._user is not None and self._token == token:
                await self._log_in(connection, self._user)

    async def _log_in(self, connection: Connection, user: EtcdUser) -> None:
        """Raises NotProcessed, whatever the reason: it was not about the call that needs it."""
        connection.use_token("")
        self._token = ""
        try:
            request = AuthenticateRequest(name=user.name, password=user.password())
            answer = await connection.unary(
                AUTHENTICATE.path, request.SerializeToString(), within=self._connect_timeout
            )
        except Answered as refusal:
            if refusal.message != USERS_ARE_NOT_ASKED_FOR:
                raise NotProcessed(f"user {user.name!r}: {refusal}") from refusal
        except (CallFailure, OSError) as error:
            raise NotProcessed(f"user {user.name!r}: {error}") from error
        else:
            self._token = _decoded(AUTHENTICATE, answer).token
        for each in self._connections:
            each.use_token(self._token)

    async def _first_that_answers(self) -> Connection:
        reasons = []
        for offset in range(len(self._endpoints)):
            position = (self._at + offset) % len(self._endpoints)
            endpoint = self._endpoints[position]
            try:
                connection = await connect(
                    endpoint,
                    self._tls.current() if self._tls is not None else None,
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
        self._client.check_cluster(response.header, self._method)
        self._client.observe(response.header.revision)
        return response

    def close(self) -> None:
        self._stream.cancel(Broken("the stream was closed"))


def _is_about_us(failure: CallFailure) -> bool:
    """Whether etcd wants to know who we are."""
    return isinstance(failure, Answered) and failure.message in UNAUTHENTICATED


def _decoded(method: Method, message: bytes | memoryview) -> Any:
    try:
        return method.response.FromString(message)
    except DecodeError as error:
        raise Unavailable(
            f"etcd's answer to {method.path} can't be read: {error}", may_have_happened=method.mutates
        ) from error
