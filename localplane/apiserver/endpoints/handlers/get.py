"""GET of one object: usually the bytes as they are stored."""

from __future__ import annotations

from localplane.apimachinery.errors import BadRequest
from localplane.apiserver.endpoints.options.parameters import flag
from localplane.apiserver.endpoints.representation.negotiation import negotiated
from localplane.apiserver.endpoints.representation.response import respond_object
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.rest import Getter
from localplane.apiserver.request import Answer, Request, Response, StreamResponse


async def get(served: Served, storage: Getter, request: Request) -> Answer:
    target = negotiated(served, request)
    if flag(request.query, "export"):
        raise BadRequest("the export parameter, deprecated since v1.14, is no longer supported")
    result = await storage.get(request, request.info.name, resource_version=request.query.get("resourceVersion"))
    if isinstance(result, Response | StreamResponse):
        return result
    return await respond_object(served, request, result, target)
