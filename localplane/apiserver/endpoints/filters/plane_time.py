"""A plane's own time, if it has one: whatever a request asks for happens then."""

from __future__ import annotations

from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apiserver.request import Answer, Filter, Handler, Request


def plane_time(clock: VirtualClock | None) -> Filter:
    """A plane that goes by the machine's clock has no such step at all."""

    def filtered(handler: Handler) -> Handler:
        if clock is None:
            return handler

        async def handle(request: Request) -> Answer:
            with clock.running():
                return await handler(request)

        return handle

    return filtered
