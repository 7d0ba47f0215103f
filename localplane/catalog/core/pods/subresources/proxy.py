"""A pod's own HTTP server, reached through ours. Kubernetes: pkg/registry/core/pod, ResourceLocation."""

from __future__ import annotations

from dataclasses import dataclass

from localplane.apimachinery.errors import BadRequest, ServiceUnavailable
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Connecter
from localplane.apiserver.request import Answer, Request
from localplane.catalog.validation.addresses import Address, parse_ip

from .connections import pod_of

PROXY_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class ProxyTarget:
    """What a proxied name says: `name`, `name:port` or `scheme:name:port`."""

    scheme: str
    name: str
    port: str


@dataclass(frozen=True, slots=True)
class PodProxyStore(Connecter):
    """`pods/x/proxy`, and every path below."""

    pods: Definition
    connect_methods: tuple[str, ...] = PROXY_METHODS
    connects_below: bool = True

    def connect_options(self, request: Request, path: str) -> JSONObject:
        return {"kind": "PodProxyOptions", "apiVersion": "v1"} | ({"path": path} if path else {})

    async def connect(self, request: Request, name: str, options: JSONObject) -> Answer:
        target = split_scheme_name_port(name)
        if target is None:
            raise BadRequest(f"invalid pod request {go_quote(name)}")
        pod = await pod_of(self.pods, request, target.name)
        addresses = (pod.get("status") or {}).get("podIPs") or [{}]
        address = parse_ip(addresses[0].get("ip") or "")
        if address is None or not is_global_unicast(address):
            raise BadRequest("address not allowed")
        raise ServiceUnavailable(f"error trying to reach service: nobody connects to pods here, such as {address}")


def split_scheme_name_port(text: str) -> ProxyTarget | None:
    """Kubernetes: apimachinery/pkg/util/net, SplitSchemeNamePort."""
    match text.split(":"):
        case [name]:
            target = ProxyTarget("", name, "")
        case [name, port]:
            target = ProxyTarget("", name, port)
        case [scheme, name, port]:
            target = ProxyTarget(scheme, name, port)
        case _:
            return None
    return target if target.name and target.scheme in ("", "http", "https") else None


def is_global_unicast(address: Address) -> bool:
    """As Go has it, to which private addresses belong."""
    special = address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified
    return not special and str(address) != "255.255.255.255"
