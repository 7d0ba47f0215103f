"""Enough is enough: at most so many requests at once. And every answer says to which flow its request belongs.

Kubernetes: server/filters/maxinflight.go, and priority-and-fairness.go for the headers.
"""

from __future__ import annotations

from localplane.apiserver.authorization import SYSTEM_MASTERS
from localplane.apiserver.flow_control import FlowSchemas, InFlight
from localplane.apiserver.request import Answer, Filter, Handler, Request

from .long_running import is_long_running
from .plain_text import plain_text
from .response_headers import FLOW

_READS = ("get", "list", "watch")


def flow_control(in_flight: InFlight, schemas: FlowSchemas | None = None) -> Filter:
    """Answers 429 beyond the limits. Long-running requests are not counted, and administrators always get in. Those
    that are, and watches, belong to a flow."""
    flows = schemas or FlowSchemas()

    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            if is_long_running(request.info):
                if request.info.verb == "watch":
                    request.notes[FLOW] = flows.headers_for(request.user, request.info)
                return await handler(request)
            request.notes[FLOW] = flows.headers_for(request.user, request.info)
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
