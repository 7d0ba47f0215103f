"""ServiceCIDRs: blocks that addresses of Services come from.

Kubernetes: pkg/registry/networking/servicecidr and pkg/apis/networking/validation, ValidateServiceCIDR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.addresses import cidr_errors, parse_cidr
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_errors, metadata_update_errors

_CIDRS = Path("spec") / "cidrs"


class ServiceCIDRStrategy(Strategy):
    allow_unconditional_update = True
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=False, name=dns1123_subdomain), _cidrs_errors(_cidrs_of(obj)))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _change_errors(_cidrs_of(obj), _cidrs_of(old)))


class ServiceCIDRStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return metadata_update_errors(obj, old)


def _cidrs_of(obj: JSONObject) -> list[str]:
    return (obj.get("spec") or {}).get("cidrs") or []


def _cidrs_errors(cidrs: list[str]) -> Iterator[FieldError]:
    if not cidrs:
        yield required(_CIDRS, "at least one CIDR required")
        return
    if len(cidrs) > 2:
        yield invalid(_CIDRS, {"CIDRs": cidrs}, "may only hold up to 2 values")  # the whole spec, as Go prints it
        return
    for index, cidr in enumerate(cidrs):
        yield from cidr_errors(cidr, _CIDRS[index])
    networks = [parse_cidr(cidr) for cidr in cidrs]
    families = [network.version for network in networks if network is not None]
    if len(families) == 2 and families[0] == families[1]:
        each = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
        yield invalid(_CIDRS, cidrs, each)


def _change_errors(cidrs: list[str], old: list[str]) -> Iterator[FieldError]:
    """Nothing may change, but a second family may come."""
    if len(cidrs) == len(old):
        for index, (cidr, before) in enumerate(zip(cidrs, old, strict=True)):
            if cidr != before:
                yield invalid(_CIDRS[index], cidr, IMMUTABLE)
    elif len(cidrs) == 2 and len(old) == 1:
        if cidrs[0] != old[0]:
            yield invalid(_CIDRS[0], cidrs[0], IMMUTABLE)
        yield from _cidrs_errors(cidrs)
    else:
        yield invalid(_CIDRS, cidrs or None, IMMUTABLE)


def service_cidr_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), ",".join(_cidrs_of(obj)), age(metadata.get("creationTimestamp"))]


SERVICE_CIDRS = builtin(
    "networking.k8s.io/servicecidrs",
    strategy=ServiceCIDRStrategy(),
    status_strategy=ServiceCIDRStatusStrategy,
    cells=service_cidr_cells,
)
