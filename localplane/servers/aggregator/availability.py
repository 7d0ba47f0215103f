"""Whether another server can be asked now, and why not.

Kubernetes: kube-aggregator pkg/controllers/status/remote/remote_available_controller.go.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.apiserver.outbound.bodies import AnswerUnusable, whole_body
from localplane.apiserver.outbound.failures import why
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import User
from localplane.catalog.service_addresses import NoAddress, service_address
from localplane.tls.authorities import NoAuthorities

from .connections import Connections, url_of
from .headers import identity
from .remote import Remote, available_condition
from .remote_discovery import RemoteDiscovery, openapi_url, resources_in

_AGGREGATOR: Final = User("system:kube-aggregator", groups=("system:masters",))
_ATTEMPTS: Final = 5
_ANSWER_SECONDS: Final = 5.0
_LARGEST_ANSWER: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class AvailabilityFinding:
    """`discovered` is what the server said of itself, if it was asked and answered."""

    reason: str
    message: str
    discovered: RemoteDiscovery | None = None

    @property
    def passed(self) -> bool:
        return self.discovered is not None


async def check(remote: Remote, objects: Lookup, connections: Connections) -> AvailabilityFinding:
    """Several times if need be: of several endpoints one that answers is enough."""
    missing = await _missing(remote, objects)
    if missing is not None:
        return missing
    problem, attempts, started = "", 0, time.monotonic()
    while attempts < _ATTEMPTS and time.monotonic() - started < _ANSWER_SECONDS:
        attempts += 1
        try:
            return AvailabilityFinding("Passed", "all checks passed", await _ask(remote, objects, connections))
        except _NoAnswer as error:
            problem = str(error)
    return AvailabilityFinding("FailedDiscoveryCheck", problem)


def with_condition(obj: Mapping[str, Any], finding: AvailabilityFinding) -> JSONObject | None:
    """The APIService with its new condition; None if it has it already. A status that stays keeps its time."""
    status = "True" if finding.passed else "False"
    old = available_condition(obj)
    since = old.get("lastTransitionTime") if old and old.get("status") == status else now()
    new = {
        "type": "Available",
        "status": status,
        "lastTransitionTime": since,
        "reason": finding.reason,
        "message": finding.message,
    }
    if new == old:
        return None
    others = [each for each in (obj.get("status") or {}).get("conditions") or () if each is not old]
    return {**obj, "status": {**(obj.get("status") or {}), "conditions": [*others, new]}}


async def _missing(remote: Remote, objects: Lookup) -> AvailabilityFinding | None:
    """What is wrong with the service or what is behind it, before anybody is asked."""
    where = f"service/{remote.service} in {go_quote(remote.namespace)}"
    service = await objects.get("services", remote.namespace, remote.service)
    if service is None:
        return AvailabilityFinding("ServiceNotFound", f"{where} is not present")
    spec = service.get("spec") or {}
    if spec.get("type", "ClusterIP") != "ClusterIP":
        return None
    port = next((each for each in spec.get("ports") or () if each.get("port") == remote.port), None)
    if port is None:
        return AvailabilityFinding("ServicePortError", f"{where} is not listening on port {remote.port}")
    behind = [*await _slices(remote, objects), *await _subsets(remote, objects)]
    if not behind:
        return AvailabilityFinding("EndpointsNotFound", f"cannot find endpointslices for {where}")
    name = port.get("name") or ""
    if not any(each.ready and name in each.ports for each in behind):
        message = f"endpointslices for {where} have no addresses with port name {go_quote(name)}"
        return AvailabilityFinding("MissingEndpoints", message)
    return None


@dataclass(frozen=True, slots=True)
class _Behind:
    """Some of a service's endpoints, and the names of their ports."""

    ready: bool
    ports: frozenset[str]


async def _slices(remote: Remote, objects: Lookup) -> list[_Behind]:
    return [
        _Behind(
            any((endpoint.get("conditions") or {}).get("ready", True) for endpoint in each.get("endpoints") or ()),
            _names(each.get("ports") or ()),
        )
        for each in await objects.list("discovery.k8s.io/endpointslices", remote.namespace)
        if (each["metadata"].get("labels") or {}).get("kubernetes.io/service-name") == remote.service
    ]


async def _subsets(remote: Remote, objects: Lookup) -> list[_Behind]:
    """Endpoints, which nobody mirrors into slices here."""
    endpoints = await objects.get("endpoints", remote.namespace, remote.service)
    return [
        _Behind(bool(each.get("addresses")), _names(each.get("ports") or ()))
        for each in (endpoints or {}).get("subsets") or ()
    ]


def _names(ports: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(port.get("name") or "" for port in ports if port.get("port"))


class _NoAnswer(Exception):
    pass


async def _ask(remote: Remote, objects: Lookup, connections: Connections) -> RemoteDiscovery:
    try:
        host, port = await service_address(objects, remote.namespace, remote.service, remote.port)
    except NoAddress as error:
        raise _NoAnswer(str(error)) from error
    document = await _get(connections, remote, (host, port), remote.path)
    try:
        index = await _get(connections, remote, (host, port), "/openapi/v3")
    except _NoAnswer:
        index = b""  # older servers have none, and are none the worse for it
    return RemoteDiscovery(document, resources_in(document), openapi_url(index, remote.path))


async def _get(connections: Connections, remote: Remote, place: tuple[str, int], path: str) -> bytes:
    url = url_of(*place, path)
    failing = f"failing or missing response from {url}"
    headers = [*identity(_AGGREGATOR), ("Accept", "application/json")]
    try:
        async with (
            asyncio.timeout(_ANSWER_SECONDS),
            await connections.request(remote.trust, url, name=remote.name, headers=headers) as answer,
        ):
            content = await whole_body(answer, limit=_LARGEST_ANSWER)
    except (NoAuthorities, AnswerUnusable) as error:
        raise _NoAnswer(str(error)) from error
    except (aiohttp.ClientError, TimeoutError) as error:
        late = " (Client.Timeout exceeded while awaiting headers)" if isinstance(error, TimeoutError) else ""
        raise _NoAnswer(
            f"{failing}: Get {go_quote(url)}: {why(error, *place, name=remote.trust.server_name)}{late}"
        ) from error
    if not 200 <= answer.status < 300:
        raise _NoAnswer(f"{failing}: bad status from {url}: {answer.status}")
    return content
