"""GET of a collection."""

from __future__ import annotations

from localplane.apiserver.endpoints.list_options import list_options
from localplane.apiserver.endpoints.negotiation import negotiated
from localplane.apiserver.endpoints.respond import respond_list
from localplane.apiserver.endpoints.scope import Scope
from localplane.apiserver.request import Answer, Request


async def list_collection(scope: Scope, request: Request) -> Answer:
    target = negotiated(scope, request, collection=True)
    options = list_options(scope, request, watch=False)
    listed = await scope.storage.list(request, options)
    return await respond_list(scope, listed, target, request.work)
