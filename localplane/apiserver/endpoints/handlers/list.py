"""GET of a collection."""

from __future__ import annotations

from localplane.apiserver.endpoints.options.list_options import list_options
from localplane.apiserver.endpoints.representation.negotiation import negotiated
from localplane.apiserver.endpoints.representation.response import respond_list
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.rest import Lister
from localplane.apiserver.request import Answer, Request


async def list_collection(served: Served, storage: Lister, request: Request) -> Answer:
    target = negotiated(served, request, collection=True)
    options = list_options(served, request, watch=False)
    listed = await storage.list(request, options)
    return await respond_list(served, listed, target, request.work)
