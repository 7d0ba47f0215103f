"""Leases: who holds something, and until when.

How a holder is chosen (`strategy`, `preferredHolder`) belongs to coordinated leader election, which is off unless asked
for: the fields are dropped, but for those that an object has already. Kubernetes: pkg/registry/coordination/lease and
pkg/apis/coordination/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, forbidden, invalid, not_supported
from localplane.apimachinery.names import dns1123_subdomain, qualified_name
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.values import not_negative

_SPEC = Path("spec")
_ELECTION_FIELDS = ("strategy", "preferredHolder")
_STRATEGIES = ("OldestEmulationVersion",)


class LeaseStrategy(Strategy):
    allow_create_on_update = True
    tracks_generation = False
    validates_schema = False

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _drop_election_fields(obj, {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _drop_election_fields(obj, old.get("spec") or {})

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            validate_object_meta(obj["metadata"], namespaced=True, validate_name=dns1123_subdomain),
            _spec_errors(obj.get("spec") or {}),
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return list(_spec_errors(obj.get("spec") or {}))


def _drop_election_fields(obj: JSONObject, before: Mapping[str, Any]) -> None:
    spec = obj.get("spec") or {}
    for name in _ELECTION_FIELDS:
        if before.get(name) is None:
            spec.pop(name, None)


def _spec_errors(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    duration, strategy = spec.get("leaseDurationSeconds"), spec.get("strategy")
    if duration is not None and duration <= 0:
        yield invalid(_SPEC / "leaseDurationSeconds", duration, "must be greater than 0")
    yield from not_negative(spec.get("leaseTransitions"), _SPEC / "leaseTransitions")
    if strategy is not None:
        yield from _strategy_errors(strategy, _SPEC / "strategy" / "strategy")  # twice, as Kubernetes has it
    if spec.get("preferredHolder") and not strategy:
        yield forbidden(_SPEC / "preferredHolder", "may only be specified if `strategy` is defined")


def _strategy_errors(strategy: str, path: Path) -> Iterator[FieldError]:
    """A name without a domain is one of Kubernetes' own."""
    if "/" in strategy:
        yield from (invalid(path, strategy, problem) for problem in qualified_name(strategy))
    elif strategy not in _STRATEGIES:
        yield not_supported(path, strategy, _STRATEGIES)


def lease_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    return [metadata.get("name", ""), spec.get("holderIdentity") or "", age(metadata.get("creationTimestamp"))]


LEASES = builtin("coordination.k8s.io/leases", strategy=LeaseStrategy(), cells=lease_cells)
