"""The network kinds on the dictionary as a store, and the objects that tests send."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.lookup import Lookup
from localplane.catalog import discovery, networking
from localplane.catalog.core.endpoints import ENDPOINTS
from localplane.catalog.core.services import services
from localplane.catalog.declarations import group
from localplane.catalog.options import CatalogOptions
from tests.integration.api.talk import API

SERVICES = "/api/v1/namespaces/default/services"
ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses"


async def start(cidr: str = "10.0.0.0/24", ports: range = range(30000, 32768)) -> API:
    """Kinds find one another through the installer, which is there only after them."""
    found: list[API] = []
    objects = Lookup(lambda: found[0].installer.definitions())  # noqa: PLW0108 - it is not there yet
    options = CatalogOptions(service_cluster_ip_range=cidr, service_node_port_range=ports, objects=objects)
    groups = [
        group("", services(options), ENDPOINTS),
        group("discovery.k8s.io", *discovery.RESOURCES),
        group("networking.k8s.io", *networking.RESOURCES),
    ]
    found.append(await API.start(groups))
    return found[0]


def service(name: str = "web", /, **spec: Any) -> JSONObject:
    ports = {} if "ports" in spec else {"ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {**ports, **spec}}


async def create(api: API, name: str = "web", /, **spec: Any) -> JSONObject:
    """The spec of a new Service."""
    reply = await api.post(SERVICES, service(name, **spec))
    assert reply.status == 201, reply.message
    created: JSONObject = reply.body["spec"]
    return created


async def addresses(api: API) -> set[str]:
    """All that have an IPAddress object."""
    return set((await api.get(ADDRESSES)).names)
