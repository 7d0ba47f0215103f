"""Whose path is it? Routers are asked in turn, and the first that knows the path answers.

This is Kubernetes' delegation chain (aggregator, then the built-in resources, then custom ones, then nobody) without
the servers in between: a router says None for what is not its own. Kubernetes: util/notfoundhandler.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from localplane.apimachinery.errors import ServiceUnavailable
from localplane.apiserver.request import Answer, Handler, Request, Response

Router = Callable[[Request], Awaitable[Answer | None]]
"""Answers what is its own and returns None for the rest. Raises an APIError like any handler."""

_NOT_YET = "the request has been made before all known HTTP paths have been installed, please try again"


def dispatch(routers: Sequence[Router], *, complete: Callable[[], bool]) -> Handler:
    """`routers` is read anew for each request. As long as it isn't complete, an unknown path may only be early: clients
    that trust a 404, such as a garbage collector, must not get one."""

    async def handle(request: Request) -> Answer:
        for router in routers:
            answer = await router(request)
            if answer is not None:
                return answer
        if not complete():
            raise ServiceUnavailable(_NOT_YET, retry_after_seconds=5)
        return not_found()

    return handle


def not_found() -> Response:
    """Go's own words for a path that nobody knows."""
    return Response(
        404,
        b"404 page not found\n",
        content_type="text/plain; charset=utf-8",
        headers={"X-Content-Type-Options": "nosniff"},
    )
