"""nodes/x/proxy: nobody here connects to machines, so the answer is the one for a node that can't be reached.

Kubernetes: pkg/registry/core/node, ResourceLocation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from localplane.apimachinery.errors import APIError, BadRequest, ServiceUnavailable
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry import reads
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Connecter
from localplane.apiserver.request import Request
from localplane.apiserver.storage.objects import StoredObject
from localplane.catalog.core.pods.subresources.proxy import PROXY_METHODS, is_global_unicast, split_scheme_name_port
from localplane.catalog.validation.addresses import parse_ip

_PREFERRED = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")


class NodeProxy(Connecter):
    connect_methods = PROXY_METHODS
    connects_below = True

    def __init__(self, nodes: Definition) -> None:
        self._nodes = nodes

    def connect_options(self, request: Request, path: str) -> JSONObject:
        below = path or request.query.get("path")
        return {"kind": "NodeProxyOptions", "apiVersion": "v1", **({"path": below} if below else {})}

    async def connect(self, request: Request, name: str, options: JSONObject) -> NoReturn:
        target = split_scheme_name_port(name)
        if target is None:
            raise BadRequest(f"invalid node request {go_quote(name)}")
        found = await reads.get(self._nodes, request, target.name, resource_version="")
        node = self._nodes.converter.hub_of(found) if isinstance(found, StoredObject) else found
        host = _preferred_address(node)
        address = parse_ip(host)
        if address is None:
            raise BadRequest(f"lookup {host}: no such host")
        if not is_global_unicast(address):
            raise BadRequest("address not allowed")
        raise ServiceUnavailable(f"error trying to reach service: nobody connects to nodes here, such as {address}")


def _preferred_address(node: Mapping[str, Any]) -> str:
    addresses = (node.get("status") or {}).get("addresses") or []
    for kind in _PREFERRED:
        for each in addresses:
            if each.get("type") == kind:
                return str(each.get("address", ""))
    known = " ".join(f"{{{each.get('type', '')} {each.get('address', '')}}}" for each in addresses)
    raise APIError(f"no preferred addresses found; known addresses: [{known}]")
