"""services/x/proxy: no traffic goes through this server, so the answer is the one for a Service without endpoints.

Kubernetes: pkg/registry/core/service, ProxyREST, and storage.go, ResourceLocation.
"""

from __future__ import annotations

from typing import NoReturn

from localplane.apimachinery.errors import BadRequest, ServiceUnavailable
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry import reads
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Connecter
from localplane.apiserver.request import Request
from localplane.apiserver.storage.objects import StoredObject

from .shape import ports_of

_SCHEMES = ("", "http", "https")


class ServiceProxy(Connecter):
    connect_methods = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
    connects_below = True

    def __init__(self, definition: Definition) -> None:
        self._definition = definition

    def connect_options(self, request: Request, path: str) -> JSONObject:
        below = path or request.query.get("path")
        return {"kind": "ServiceProxyOptions", "apiVersion": "v1", **({"path": below} if below else {})}

    async def connect(self, request: Request, name: str, options: JSONObject) -> NoReturn:
        """A port that is given by its number must be one of the Service's."""
        *scheme, service, port = parts = name.split(":") if ":" in name else [name, ""]
        if len(parts) > 3 or not service or "".join(scheme) not in _SCHEMES:
            raise BadRequest(f"invalid service request {go_quote(name)}")
        if port.isascii() and port.isdigit():
            await self._check_port(request, service, int(port))
        raise ServiceUnavailable(f"no endpoints available for service {go_quote(service)}")

    async def _check_port(self, request: Request, service: str, port: int) -> None:
        found = await reads.get(self._definition, request, service, resource_version="")
        hub = self._definition.converter.hub_of(found) if isinstance(found, StoredObject) else found
        if not any(each.get("port") == port for each in ports_of(hub.get("spec") or {})):
            raise ServiceUnavailable(f"no service port {port} found for service {go_quote(service)}")
