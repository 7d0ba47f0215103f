"""One request to a Kubernetes API: retried while the server asks for patience, its warnings passed on, its refusals
raised as APIErrors.

    async with Client.connect(config) as client:
        pods = client.resource(GroupVersionResource("", "v1", "pods"), namespace="default")
        await pods.get("web-0")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, Final, Self
from localplane.apimachinery.records import record
from localplane.client.errors import ConnectionLost, InvalidAnswer, RequestTimedOut
from localplane.client.rest import resources
from localplane.client.rest.discovery import Discovery
from localplane.client.transport import aiohttp_transport
from localplane.client.transport.headers import ActingTransport, parse_warnings
from localplane.client.transport.interface import Pairs, Response, Transport, header, header_values

from .json_bodies import loads
from .statuses import Subject, from_answer

if TYPE_CHECKING:
    from datetime import timedelta

    from localplane.client.kubeconfig.model import ClientConfig
    from localplane.client.transport.headers import ServerWarning

    from .discovery import Discovery
    from .names import GroupVersionResource

_MAX_RETRIES: Final = 10
_RETRY_LOST_AFTER: Final = 1.0


@record
class Answer:
    status: int
    headers: Pairs
    body: bytes

    def json(self) -> Any:
        """Raises InvalidAnswer."""
        try:
            return loads(self.body)
        except ValueError as error:
            raise InvalidAnswer(f"couldn't decode the server's answer: {error}") from error


@record
class _Request:
    method: str
    path: str
    query: Pairs
    headers: Pairs
    body: bytes | None
    subject: Subject


def _name(parameter: tuple[str, str]) -> str:
    return parameter[0]


class Client:
    """`warn` hears the warnings that come with answers. `timeout` bounds every request that is not a stream."""

    def __init__(
        self,
        transport: Transport,
        *,
        warn: Callable[[ServerWarning], None] | None = None,
        timeout: timedelta | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self._transport = transport
        self._warn = warn
        self._timeout = timeout
        self._sleep = sleep

    @classmethod
    def connect(
        cls, config: ClientConfig, *, agent: str | None = None, warn: Callable[[ServerWarning], None] | None = None
    ) -> Self:
        """Over HTTP; nothing is sent yet."""
        return cls(aiohttp_transport.HTTPTransport(config, agent=agent), warn=warn, timeout=config.timeout)

    def acting_as(self, user: str, *, groups: Sequence[str] = (), agent: str = "") -> Client:
        """The same connection in another's name, which the server has to allow. Closing this one closes nothing."""
        transport = ActingTransport(self._transport, user=user, groups=groups, agent=agent)
        return Client(transport, warn=self._warn, timeout=self._timeout, sleep=self._sleep)

    def resource(self, resource: GroupVersionResource, namespace: str = "") -> resources.ResourceClient:
        """The verbs on one kind of object, in one namespace or (empty) in all or none."""
        return resources.ResourceClient(self, resource, namespace)

    def discovery(self) -> Discovery:
        return Discovery(self)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Pairs = (),
        headers: Pairs = (),
        body: bytes | None = None,
        subject: Subject | None = None,
    ) -> Answer:
        """The whole answer. Raises APIError for whatever is no success, and ConnectionFailed."""
        request = _Request(method, path, query, headers, body, subject or Subject(method))
        if self._timeout is None:
            return await self._read(request)
        import asyncio

        limit = self._timeout.total_seconds()
        try:
            async with asyncio.timeout(limit):
                return await self._read(request)
        except TimeoutError as error:
            raise RequestTimedOut(f"{method} {path}: no answer within {limit} seconds") from error

    async def stream(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), subject: Subject | None = None
    ) -> Response:
        """An answer that is read as it comes; the caller closes it. Raises as `request`."""
        request = _Request(method, path, query, headers, None, subject or Subject(method))
        response = await self._persist(request)
        if not 200 <= response.status < 300:
            raise await self._refusal(response, request.subject)
        self._pass_warnings(response.headers)
        return response

    async def _read(self, request: _Request) -> Answer:
        response = await self._persist(request)
        try:
            if not 200 <= response.status < 300:
                raise await self._refusal(response, request.subject)
            answer = Answer(response.status, response.headers, await response.read())
        finally:
            await response.close()
        self._pass_warnings(answer.headers)
        return answer

    async def _persist(self, request: _Request) -> Response:
        """Send until the server neither asks to come back later nor drops the connection of a GET.

        A server that asks (429, or any 5xx with Retry-After) has not acted, so every method may be sent again; a
        connection that was cut says nothing. Kubernetes: client-go/rest/with_retry.go.
        """
        for _ in range(_MAX_RETRIES):
            try:
                response = await self._send(request)
                pause = _asks_to_wait(response)
                if pause is None:
                    return response
                await response.read()  # which frees the connection for the next attempt
            except ConnectionLost:
                if request.method != "GET":
                    raise
                pause = _RETRY_LOST_AFTER
            await (self._sleep or _loop_sleep)(pause)
        return await self._send(request)

    async def _send(self, request: _Request) -> Response:
        """Parameters in the order of their names, as Go sends them: logs of requests are compared and searched."""
        query = sorted(request.query, key=_name)
        return await self._transport.request(
            request.method, request.path, query=query, headers=request.headers, body=request.body
        )

    async def _refusal(self, response: Response, subject: Subject) -> APIError:
        try:
            body = await response.read()
        finally:
            await response.close()
        self._pass_warnings(response.headers)
        return from_answer(
            response.status,
            body,
            content_type=header(response.headers, "content-type"),
            retry_after=int(_asks_to_wait(response) or 0),
            subject=subject,
        )

    def _pass_warnings(self, headers: Pairs) -> None:
        if self._warn is not None and (given := header_values(headers, "warning")):
            for warning in parse_warnings(given):
                if warning.code == 299 and warning.text:
                    self._warn(warning)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def _loop_sleep(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


def _asks_to_wait(response: Response) -> float | None:
    if response.status != 429 and response.status < 500:
        return None
    seconds = header(response.headers, "retry-after")
    return float(seconds) if seconds.isdecimal() else None
