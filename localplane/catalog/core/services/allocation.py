"""Addresses and node ports for a Service that is being written.

Kubernetes: pkg/registry/core/service/storage/alloc.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.errors import APIError, InternalError, Invalid
from localplane.apimachinery.fieldpath import Path, invalid
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

from .claims import NotAllocated, RangeFull, ServiceClaims
from .families import SERVICE, keeps_dual_stack, settle_families
from .shape import (
    EXTERNAL_NAME,
    allocates_node_ports,
    is_headless,
    needs_health_check,
    needs_node_ports,
    node_ports_of,
    ports_of,
)

_SPEC = Path("spec")


class Allocation:
    """For one Service. Raises APIErrors; what was claimed until then is the claims' to give back."""

    def __init__(self, name: str, claims: ServiceClaims, families: Sequence[str]) -> None:
        self._name = name
        self._claims = claims
        self._families = families

    async def create(self, spec: JSONObject) -> None:
        settle_families(self._name, spec, None, self._families)
        await self._all_ips(spec)
        if needs_node_ports(spec):
            await self._new_node_ports(ports_of(spec), allocates=allocates_node_ports(spec))
        if needs_health_check(spec):
            await self._health_check_port(spec)

    async def update(self, spec: JSONObject, before: JSONObject) -> None:
        settle_families(self._name, spec, before, self._families)
        await self._changed_ips(spec, before)
        if needs_node_ports(spec):
            await self._changed_node_ports(spec, before)
        elif needs_node_ports(before):
            self._release_ports(node_ports_of(before))
        if needs_health_check(spec) and not needs_health_check(before):
            await self._health_check_port(spec)
        elif needs_health_check(before) and not needs_health_check(spec):
            self._release_ports([before.get("healthCheckNodePort") or 0])

    async def _all_ips(self, spec: JSONObject) -> None:
        if spec.get("type") == EXTERNAL_NAME or is_headless(spec):
            return
        families = spec.get("ipFamilies") or []
        ips = spec["clusterIPs"] = list(spec.get("clusterIPs") or [])
        ips += [""] * (len(families) - len(ips))
        for index, family in enumerate(families):
            ips[index] = await self._ip(family, ips[index], ips)
        spec["clusterIP"] = ips[0]

    async def _ip(self, family: str, wanted: str, ips: list[str]) -> str:
        try:
            return await self._claims.ip(family, wanted)
        except RangeFull as error:
            named = f"failed to allocate a serviceIP for Service {go_quote(self._name)}"
            raise InternalError.of(f"{named}: {error}") from error
        except NotAllocated as error:
            why = f"failed to allocate IP {wanted}: {error}"
            raise self._invalid(_SPEC / "clusterIPs", ips, why) from error

    async def _changed_ips(self, spec: JSONObject, before: JSONObject) -> None:
        if keeps_dual_stack(spec, before):
            return
        if before.get("type") == EXTERNAL_NAME:
            await self._all_ips(spec)
            return
        if is_headless(before):
            return
        old_ips, old_families = before.get("clusterIPs") or [], before.get("ipFamilies") or []
        families = spec.get("ipFamilies") or []
        if spec.get("type") == EXTERNAL_NAME:
            for ip in old_ips:
                self._claims.release_ip(ip)
        elif len(old_families) == 1 and len(families) == 2:
            ips = spec["clusterIPs"] = [*(spec.get("clusterIPs") or []), ""][:2]
            ips[1] = await self._ip(families[1], ips[1], ips)
        elif len(old_families) == 2 and len(families) == 1:
            self._claims.release_ip(old_ips[1])

    async def _new_node_ports(self, ports: list[JSONObject], *, allocates: bool) -> None:
        """One number serves a port of the same number under another protocol too."""
        chosen: dict[int, int] = {}
        for index, port in enumerate(ports):
            wanted, number = port.get("nodePort") or 0, port.get("port", 0)
            if not wanted and not allocates:
                continue
            if number not in chosen:
                asked = _asked_for(number, ports)
                chosen[number] = port["nodePort"] = await self._node_port(asked, index)
            elif not wanted:
                port["nodePort"] = chosen[number]
            elif wanted != chosen[number]:
                await self._node_port(wanted, index)

    async def _node_port(self, wanted: int, index: int) -> int:
        try:
            if not wanted:
                return await self._claims.next_port()
            await self._claims.port(wanted)
        except RangeFull as error:
            raise InternalError.of(f"failed to allocate a nodePort: {error}") from error
        except NotAllocated as error:
            raise self._invalid((_SPEC / "ports")[index] / "nodePort", wanted, str(error)) from error
        return wanted

    async def _changed_node_ports(self, spec: JSONObject, before: JSONObject) -> None:
        old, seen, asked = dict.fromkeys(node_ports_of(before)), set[tuple[str, int]](), set[int]()
        for index, port in enumerate(ports_of(spec)):
            number = port.get("nodePort") or 0
            if not number:
                if not allocates_node_ports(spec):
                    continue
                number = port["nodePort"] = await self._node_port(0, index)
            elif number not in old and number not in asked:
                await self._node_port(number, index)
                asked.add(number)
            if (port.get("protocol", ""), number) in seen:
                raise APIError(f"duplicate nodePort: {{{port.get('protocol', '')} {number}}}")
            seen.add((port.get("protocol", ""), number))
        kept = set(node_ports_of(spec))
        self._release_ports([number for number in old if number not in kept])

    async def _health_check_port(self, spec: JSONObject) -> None:
        wanted = spec.get("healthCheckNodePort") or 0
        try:
            if wanted:
                await self._claims.port(wanted)
            else:
                spec["healthCheckNodePort"] = await self._claims.next_port()
        except NotAllocated as error:
            which = f"requested HealthCheck NodePort {wanted}" if wanted else "a HealthCheck NodePort 0"
            raise InternalError.of(f"failed to allocate {which}: {error}") from error

    def _release_ports(self, ports: list[int]) -> None:
        for port in ports:
            if port:
                self._claims.release_port(port)

    def _invalid(self, path: Path, value: Any, why: str) -> Invalid:
        return Invalid.of(SERVICE, self._name, [invalid(path, value, why)])


def _asked_for(number: int, ports: list[JSONObject]) -> int:
    """The node port that any of the ports with this number asks for."""
    return next((port["nodePort"] for port in ports if port.get("port", 0) == number and port.get("nodePort")), 0)
