"""Enough is enough: at most so many requests at once. Kubernetes: server/filters/maxinflight.go."""

from __future__ import annotations

from localplane.apiserver.authorization import SYSTEM_MASTERS
from localplane.apiserver.flow_control import InFlight
from localplane.apiserver.request import Answer, Filter, Handler, Request

from .long_running import is_long_running
from .plain_text import plain_text

_READS = ("get", "list", "watch")


def flow_control(in_flight: InFlight) -> Filter:
    """Answers 429 beyond the limits. Long-running requests are not counted, and administrators always get in."""

    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            if is_long_running(request.info):
                return await handler(request)
            counter = in_flight.reads if request.info.verb in _READS else in_flight.mutations
            if counter.try_enter():
                try:
                    return await handler(request)
                finally:
                    counter.leave()
            if request.user is not None and SYSTEM_MASTERS in request.user.groups:
                return await handler(request)
            counter.rejected += 1
            return _too_many()

        return handle

    return filtered


def _too_many() -> Answer:
    answer = plain_text(429, "Too many requests, please try again later.")
    answer.headers["Retry-After"] = "1"
    return answer
