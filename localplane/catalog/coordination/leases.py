"""Leases: who holds something, and until when.

How a holder is chosen (`strategy`, `preferredHolder`) belongs to coordinated leader election, which is off unless asked
for: the fields are dropped, but for those that an object has already. Kubernetes: pkg/registry/coordination/lease and
pkg/apis/coordination/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import NOT_NEGATIVE, QUALIFIED_NAME, AtLeast, Fields, OneOf, Optional

_ELECTION_FIELDS = ("strategy", "preferredHolder")
_OWN_STRATEGIES = OneOf("OldestEmulationVersion")


def _strategy_errors(strategy: str, path: Path) -> Iterator[FieldError]:
    """A name without a domain is one of Kubernetes' own. Its path has the field twice, as Kubernetes has it."""
    return (QUALIFIED_NAME if "/" in strategy else _OWN_STRATEGIES)(strategy, path / "strategy")


def _holder_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    if spec.get("preferredHolder") and not spec.get("strategy"):
        yield forbidden(path / "preferredHolder", "may only be specified if `strategy` is defined")


class LeaseStrategy(BuiltinStrategy):
    allow_create_on_update = True
    tracks_generation = False
    rules = Fields(
        spec=Optional(
            Fields(
                leaseDurationSeconds=AtLeast(1, "must be greater than 0"),
                leaseTransitions=NOT_NEGATIVE,
                strategy=_strategy_errors,
            ),
            _holder_errors,
        )
    )
    on_update = (Asked.RULES,)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _drop_election_fields(obj, {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _drop_election_fields(obj, old.get("spec") or {})

    def metadata_errors(self, obj: JSONObject) -> list[FieldError]:
        """Finalizers are not looked at."""
        return validate_object_meta(obj["metadata"], namespaced=True, validate_name=self.valid_name)


def _drop_election_fields(obj: JSONObject, before: Mapping[str, Any]) -> None:
    spec = obj.get("spec") or {}
    for name in _ELECTION_FIELDS:
        if before.get(name) is None:
            spec.pop(name, None)


def lease_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    return [metadata.get("name", ""), spec.get("holderIdentity") or "", age(metadata.get("creationTimestamp"))]


LEASES = builtin("coordination.k8s.io/leases", strategy=LeaseStrategy(), cells=lease_cells)
