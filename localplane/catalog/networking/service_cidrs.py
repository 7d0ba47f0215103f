"""ServiceCIDRs: blocks that addresses of Services come from.

Kubernetes: pkg/registry/networking/servicecidr and pkg/apis/networking/validation, ValidateServiceCIDR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.addresses import cidr_errors, parse_cidr
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_update_errors
from localplane.catalog.validation.rules import Fields, Required, Struct

_CIDRS = Path("spec") / "cidrs"


def _cidrs_errors(cidrs: list[str], path: Path) -> Iterator[FieldError]:
    if len(cidrs) > 2:
        yield invalid(path, {"CIDRs": cidrs}, "may only hold up to 2 values")  # the whole spec, as Go prints it
        return
    for index, cidr in enumerate(cidrs):
        yield from cidr_errors(cidr, path[index])
    networks = [parse_cidr(cidr) for cidr in cidrs]
    families = [network.version for network in networks if network is not None]
    if len(families) == 2 and families[0] == families[1]:
        detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
        yield invalid(path, cidrs, detail)


class ServiceCIDRStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    rules = Fields(spec=Struct(Fields(cidrs=Required(_cidrs_errors, detail="at least one CIDR required"))))
    on_update = (Asked.METADATA, Asked.CHANGES)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        """Nothing may change, but a second family may come."""
        cidrs, before = _cidrs_of(obj), _cidrs_of(old)
        if len(cidrs) == len(before):
            for index, (cidr, known) in enumerate(zip(cidrs, before, strict=True)):
                if cidr != known:
                    yield invalid(_CIDRS[index], cidr, IMMUTABLE)
        elif len(cidrs) == 2 and len(before) == 1:
            if cidrs[0] != before[0]:
                yield invalid(_CIDRS[0], cidrs[0], IMMUTABLE)
            yield from _cidrs_errors(cidrs, _CIDRS)
        else:
            yield invalid(_CIDRS, cidrs or None, IMMUTABLE)


class ServiceCIDRStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return metadata_update_errors(obj, old)


def _cidrs_of(obj: JSONObject) -> list[str]:
    return (obj.get("spec") or {}).get("cidrs") or []


def service_cidr_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), ",".join(_cidrs_of(obj)), age(metadata.get("creationTimestamp"))]


SERVICE_CIDRS = builtin(
    "networking.k8s.io/servicecidrs",
    strategy=ServiceCIDRStrategy(),
    status_strategy=ServiceCIDRStatusStrategy,
    cells=service_cidr_cells,
)
