"""A server that stops takes no new requests: on connections that are still open they get 503, and are invited to come
back. Health and metrics are answered to the end.

Kubernetes: server/filters/with_retry_after.go.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final

import orjson

from localplane.apimachinery.errors import ServiceUnavailable
from localplane.apiserver.request import Answer, Filter, Handler, Request, Response

_ALWAYS_ANSWERED: Final = ("/readyz", "/livez", "/healthz", "/metrics")


@dataclass(slots=True)
class Shutdown:
    """How far the stop has come, as far as requests are concerned: the server says when it takes no more."""

    refuses: bool = False


def shutdown(progress: Shutdown) -> Filter:
    def filtered(handler: Handler) -> Handler:
        def handle(request: Request) -> Awaitable[Answer]:
            if progress.refuses and not request.path.startswith(_ALWAYS_ANSWERED):
                return _refused()
            return handler(request)

        return handle

    return filtered


async def _refused() -> Answer:
    status = ServiceUnavailable("apiserver is shutting down").status()
    headers = {"Retry-After": "1", "Connection": "close", "X-Content-Type-Options": "nosniff"}
    return Response(503, orjson.dumps(status) + b"\n", headers=headers)
