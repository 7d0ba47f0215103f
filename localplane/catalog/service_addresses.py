"""Where a Service can be reached from here: at one of its endpoints, for nobody routes its cluster IP to them.

Webhooks are called there. Kubernetes: kube-aggregator pkg/apiserver/resolvers.go, NewEndpointServiceResolver.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from localplane.apiserver.registry.lookup import Lookup


class NoAddress(LookupError):
    """There is no such Service, or nothing behind it."""


async def service_address(objects: Lookup, namespace: str, name: str, port: int) -> tuple[str, int]:
    """A host and a port. Raises NoAddress."""
    service = await objects.get("services", namespace, name)
    if service is None:
        raise NoAddress(f'service "{name}" not found')
    spec = service.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return spec.get("externalName", ""), port
    declared = next((each for each in spec.get("ports") or () if each.get("port") == port), None)
    if declared is None:
        raise NoAddress(f'no service port {port} found for service "{name}"')
    found = [
        *await _in_slices(objects, namespace, name, declared),
        *await _in_endpoints(objects, namespace, name, declared),
    ]
    if found:
        return random.choice(found)  # noqa: S311 - it spreads load
    if spec.get("clusterIP") not in (None, "", "None"):
        return spec["clusterIP"], port
    raise NoAddress(f'no endpoints available for service "{name}"')


async def _in_slices(objects: Lookup, namespace: str, name: str, port: Mapping[str, Any]) -> list[tuple[str, int]]:
    found = []
    for each in await objects.list("discovery.k8s.io/endpointslices", namespace):
        if (each["metadata"].get("labels") or {}).get("kubernetes.io/service-name") != name:
            continue
        number = _number(each.get("ports") or (), port)
        for endpoint in each.get("endpoints") or ():
            if (endpoint.get("conditions") or {}).get("ready", True) and number:
                found += [(address, number) for address in endpoint.get("addresses") or ()]
    return found


async def _in_endpoints(objects: Lookup, namespace: str, name: str, port: Mapping[str, Any]) -> list[tuple[str, int]]:
    endpoints = await objects.get("endpoints", namespace, name)
    found = []
    for subset in (endpoints or {}).get("subsets") or ():
        number = _number(subset.get("ports") or (), port)
        found += [(each["ip"], number) for each in subset.get("addresses") or () if number]
    return found


def _number(ports: Any, wanted: Mapping[str, Any]) -> int:
    """The port of the endpoints that has the name of the Service's."""
    for each in ports:
        if (each.get("name") or "") == (wanted.get("name") or ""):
            return int(each.get("port") or 0)
    return 0
