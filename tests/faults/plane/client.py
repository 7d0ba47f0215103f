"""A client that does with its requests what client-go and Go's net/http below it do.

net/http (`persistConn.shouldRetryRequest`): a request goes out again by itself only on a connection that had been used
before, and only if nothing of it was sent, or if it is a read. client-go (rest/with_retry.go `IsNextRetry`): a 429 or
5xx with a Retry-After is obeyed for any method, ten times at most; a read whose connection broke is tried again after
a second; a write whose connection broke is the caller's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from tests.faults.plane.connection import Answer, Broken, Connection, NothingSent, Place, Request

MOST_RETRIES = 10
_RETRY_BROKEN_READS_AFTER = 1.0
_TOO_MANY_REQUESTS = 429
_LOWEST_SERVER_ERROR = 500
_WATCH_OPENS_WITHIN = 10.0


class Unanswered(Exception):
    """`sent` says that a server may have seen a request."""

    def __init__(self, why: str, *, sent: bool, tries: int) -> None:
        super().__init__(why)
        self.sent = sent
        self.tries = tries


@dataclass(frozen=True, slots=True)
class Reply:
    answer: Answer
    tries: int

    @property
    def invites_another_try(self) -> bool:
        """Which is to say that the server has done nothing."""
        return retry_after(self.answer) is not None


class Transport(Protocol):
    """What a client sends its requests through."""

    async def ask(self, request: Request) -> Answer:
        """Raises NothingSent, Broken."""
        ...

    def watch(self, request: Request) -> AsyncGenerator[Answer | bytes, None]:
        """The head of the answer, and then the pieces of its body. Raises NothingSent, Broken."""
        ...


class Pool:
    """Connections that are kept alive, the last one used first; `place` may change when a server comes back."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.idle: list[Connection] = []

    async def ask(self, request: Request) -> Answer:
        while True:
            connection = await self._taken()
            used = connection.used
            try:
                answer = await connection.ask(request)
            except NothingSent:
                connection.close()
                if not used:
                    raise
            except Broken:
                connection.close()
                if not used or request.method != "GET":
                    raise
            except BaseException:  # it was left in the middle of an answer
                connection.close()
                raise
            else:
                self._give_back(connection, answer)
                return answer

    async def watch(self, request: Request) -> AsyncGenerator[Answer | bytes, None]:
        """On a connection of its own: the head within a time, then whatever comes."""
        connection = await Connection.open(self.place)
        try:
            try:
                async with asyncio.timeout(_WATCH_OPENS_WITHIN):
                    answer = await connection.begin(request)
            except TimeoutError as error:
                raise Broken("the watch did not open") from error
            yield answer
            async with aclosing(connection.chunks()) as chunks:
                async for chunk in chunks:
                    yield chunk
        finally:
            connection.close()

    def close(self) -> None:
        while self.idle:
            self.idle.pop().close()

    async def _taken(self) -> Connection:
        while self.idle:
            connection = self.idle.pop()
            if not connection.ended:
                return connection
            connection.close()
        return await Connection.open(self.place)

    def _give_back(self, connection: Connection, answer: Answer) -> None:
        if answer.headers.get("connection", "").lower() == "close":
            connection.close()
        else:
            self.idle.append(connection)


class Client:
    def __init__(
        self,
        transport: Transport,
        *,
        within: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._transport = transport
        self._within = within
        self._sleep = sleep

    async def ask(self, request: Request) -> Reply:
        """An answer that nothing more is to be done about. Raises Unanswered."""
        tries = 0
        try:
            async with asyncio.timeout(self._within):
                while True:
                    tries += 1
                    answer = await self._try(request, tries)
                    if answer is None:
                        await self._sleep(_RETRY_BROKEN_READS_AFTER)
                        continue
                    pause = retry_after(answer)
                    if pause is None or tries > MOST_RETRIES:
                        return Reply(answer, tries)
                    await self._sleep(pause)
        except TimeoutError as error:
            raise Unanswered("no answer in time", sent=True, tries=tries) from error

    async def _try(self, request: Request, tries: int) -> Answer | None:
        """None for a read that may be tried again."""
        try:
            return await self._transport.ask(request)
        except NothingSent as error:
            raise Unanswered(f"not sent: {error}", sent=False, tries=tries) from error
        except Broken as error:
            if request.method != "GET" or tries > MOST_RETRIES:
                raise Unanswered(f"broken: {error}", sent=True, tries=tries) from error
            return None


def retry_after(answer: Answer) -> float | None:
    """How long to wait before the next try; None when there shall be none."""
    if answer.status != _TOO_MANY_REQUESTS and answer.status < _LOWEST_SERVER_ERROR:
        return None
    seconds = answer.headers.get("retry-after", "")
    return float(seconds) if seconds.isdecimal() else None
