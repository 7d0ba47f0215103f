"""A pod's own HTTP server, reached through ours. Kubernetes: pkg/registry/core/pod, ResourceLocation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.errors import BadRequest, ServiceUnavailable
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.request import Answer, Request
from localplane.catalog.validation.addresses import parse_ip

from .connecting import pod_of

JSONObject = dict[str, Any]

PROXY_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_is_port = re.compile("[0-9]{1,5}|[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?").fullmatch


@dataclass(frozen=True, slots=True)
class PodProxyStore:
    """`pods/x/proxy`, where x may be `name`, `name:port` or `scheme:name:port`."""

    pods: Definition
    connect_methods: tuple[str, ...] = PROXY_METHODS
    connects_below: bool = True

    def connect_options(self, request: Request, path: str) -> JSONObject:  # noqa: ARG002 - part of what a Connecter is
        return {"kind": "PodProxyOptions", "apiVersion": "v1"} | ({"path": path} if path else {})

    async def connect(self, request: Request, name: str, options: JSONObject) -> Answer:  # noqa: ARG002 - the same
        parts = name.split(":")
        scheme, pod_name, port = {1: ("", *parts, ""), 2: ("", *parts), 3: tuple(parts)}.get(len(parts), ("", "", ""))
        if scheme not in ("", "http", "https") or not pod_name or (port and not _is_port(port)):
            raise BadRequest(f"invalid pod request {go_quote(name)}")
        if dns1123_subdomain(pod_name):
            raise BadRequest(f"invalid pod request {go_quote(name)}")
        pod = await pod_of(self.pods, request, pod_name)
        addresses = (pod.get("status") or {}).get("podIPs") or [{}]
        address = parse_ip(addresses[0].get("ip") or "")
        special = address is None or address.is_loopback or address.is_link_local or address.is_multicast
        if address is None or special or address.is_unspecified:
            raise BadRequest("address not allowed")
        raise ServiceUnavailable(f"error trying to reach service: this server does not connect to pods, such as {address}")
