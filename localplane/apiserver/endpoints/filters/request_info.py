"""Find out what is asked for: verb, resource, name. Everything further in depends on it."""

from __future__ import annotations

from localplane.apiserver.endpoints.request_info import UnresolvablePath, resolve
from localplane.apiserver.request import Answer, Filter, Handler, Request

from .plain_text import internal_error


def request_info() -> Filter:
    """Sets `request.info`."""

    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            try:
                request.info = resolve(request.method, request.path, request.query)
            except UnresolvablePath as problem:
                return internal_error(request, f"failed to create RequestInfo: {problem}")
            return await handler(request)

        return handle

    return filtered
