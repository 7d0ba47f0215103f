"""Any method on a stream or a proxy: admission is asked, and whoever is connected to answers.

Kubernetes: endpoints/handlers/rest.go, ConnectResource.
"""

from __future__ import annotations

from localplane.apimachinery.errors import BadRequest
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.endpoints.writes.admission import RequestAdmission
from localplane.apiserver.registry.rest import Connecter, WriteOptions
from localplane.apiserver.request import Answer, Request, RequestInfo

_PARTS_OF_ITSELF = 3  # resource, name, subresource


async def connect(served: Served, storage: Connecter, request: Request) -> Answer:
    if request.query.all("dryRun"):
        raise BadRequest("dryRun is not supported")
    info = request.info
    options = storage.connect_options(request, _path_below(info))
    await RequestAdmission(served, request, WriteOptions()).admit_connect(options)
    return await storage.connect(request, info.name, options)


def _path_below(info: RequestInfo) -> str:
    """What stands below the subresource, with a slash before it and one behind it where the URL has one."""
    below = "/".join(info.parts[_PARTS_OF_ITSELF:])
    path = f"/{below}" if below else ""
    return f"{path}/" if info.path.endswith("/") and not path.endswith("/") else path
