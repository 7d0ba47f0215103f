"""A server that errs now and then, put into the client's way, to see whether the harness would notice.

The mutants try the checker alone; these try everything from the first request to the verdict.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from enum import StrEnum
from itertools import count

from tests.faults.plane.client import Transport
from tests.faults.plane.connection import Answer, Request

_EVERY = 10


class Mischief(StrEnum):
    """INVITE_A_RETRY is what all this was made to find: the write happens, and the answer asks for it again."""

    MAKE_TWICE = "make-twice"
    INVITE_A_RETRY = "invite-a-retry"
    LOSE_APPENDS = "lose-appends"
    DROP_EVENTS = "drop-events"
    REPEAT_EVENTS = "repeat-events"
    SWAP_EVENTS = "swap-events"


class LyingTransport:
    """Passes everything on, except for every tenth request or event of the kind that its mischief is about."""

    def __init__(self, honest: Transport, mischief: Mischief) -> None:
        self._honest = honest
        self._mischief = mischief
        self._turns = count(1)

    async def ask(self, request: Request) -> Answer:
        match self._mischief, request.method:
            case Mischief.MAKE_TWICE, "POST" if b"generateName" in request.body and self._errs_now():
                await self._honest.ask(request)
            case Mischief.INVITE_A_RETRY, "POST" | "PATCH" if self._errs_now():
                await self._honest.ask(request)
                return Answer(503, {"retry-after": "0"}, b"{}")
            case Mischief.LOSE_APPENDS, "PATCH" if self._errs_now():
                return await self._honest.ask(replace(request, path=f"{request.path}?dryRun=All"))
        return await self._honest.ask(request)

    async def watch(self, request: Request) -> AsyncGenerator[Answer | bytes, None]:
        rest, held = b"", None
        async with aclosing(self._honest.watch(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    yield piece
                    continue
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    errs = held is None and self._errs_with(line)
                    if errs and self._mischief is Mischief.SWAP_EVENTS:
                        held = line
                        continue
                    if not errs or self._mischief is Mischief.REPEAT_EVENTS:
                        yield line + b"\n"
                    if errs and self._mischief is Mischief.REPEAT_EVENTS:
                        yield line + b"\n"
                    if held is not None:
                        yield held + b"\n"
                        held = None

    def _errs_with(self, line: bytes) -> bool:
        """Only with changes: what an initial state lacks is another rule's business."""
        return self._is_about_events and b'"MODIFIED"' in line[:40] and self._errs_now()

    @property
    def _is_about_events(self) -> bool:
        return self._mischief in (Mischief.DROP_EVENTS, Mischief.REPEAT_EVENTS, Mischief.SWAP_EVENTS)

    def _errs_now(self) -> bool:
        return next(self._turns) % _EVERY == 0
