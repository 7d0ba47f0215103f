"""PriorityLevelConfigurations: how many requests are served at a time, and what becomes of the others.

Which part belongs to which type is declared by tags, in their words. Kubernetes:
pkg/registry/flowcontrol/prioritylevelconfiguration and pkg/apis/flowcontrol/validation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    collected,
    declared,
    forbidden,
    invalid,
    not_supported,
    required,
)
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.metadata import metadata_errors

from .mandatory import MANDATORY_PRIORITY_LEVELS
from .status import ConditionsStatusStrategy

_SPEC = Path("spec")
_EXEMPT = "exempt"
_ZERO_SHARES = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_QUEUES_MAX, _HASH_BITS = 10_000_000, 60
_QUEUING_DEFAULTS = {"queues": 64, "handSize": 8, "queueLengthLimit": 50}


class PriorityLevelConfigurationStrategy(Strategy):
    allow_unconditional_update = True
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        name, spec = obj["metadata"].get("name", ""), obj.get("spec") or {}
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain),
            _annotation_errors(obj["metadata"].get("annotations") or {}),
            _spec_errors(name, spec),
            _mandatory_errors(name, spec),
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return self.validate(request, obj)


def _annotation_errors(annotations: Mapping[str, str]) -> Iterator[FieldError]:
    if _ZERO_SHARES in annotations:
        yield forbidden(Path("metadata") / "annotations", f"annotation '{_ZERO_SHARES}' is forbidden")


def _spec_errors(name: str, spec: Mapping[str, Any]) -> Iterator[FieldError]:
    kind, limited, exempt = spec.get("type") or "", spec.get("limited"), spec.get("exempt")
    if (name == _EXEMPT) != (kind == "Exempt"):
        yield invalid(_SPEC / "type", kind, "must be 'Exempt' if and only if `name` is 'exempt'")
    if kind not in ("", "Exempt", "Limited"):
        yield not_supported(_SPEC / "type", kind, ("Exempt", "Limited"))
    if exempt is not None and kind == "Exempt":
        yield from _exempt_errors(exempt, _SPEC / "exempt")
    if limited is not None and kind == "Limited":
        yield from _limited_errors(limited, _SPEC / "limited")
    yield from map(declared, _presence_errors(kind, spec))
    if limited is not None:
        response = limited.get("limitResponse") or {}
        yield from map(declared, _queuing_presence_errors(response, _SPEC / "limited" / "limitResponse"))


def _presence_errors(kind: str, spec: Mapping[str, Any]) -> Iterator[FieldError]:
    """The type decides which of the two is there."""
    for member in ("exempt", "limited"):
        if spec.get(member) is not None and kind != member.capitalize():
            yield forbidden(_SPEC / member, "")
    if kind == "Limited" and spec.get("limited") is None:
        yield required(_SPEC / "limited")
    if not kind:
        yield required(_SPEC / "type")


def _exempt_errors(exempt: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    shares = exempt.get("nominalConcurrencyShares") or 0
    if shares < 0:
        yield invalid(path / "nominalConcurrencyShares", shares, "must be a non-negative integer")
    yield from _lendable_errors(exempt, path)


def _limited_errors(limited: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    shares, borrowing = limited.get("nominalConcurrencyShares") or 0, limited.get("borrowingLimitPercent") or 0
    response = limited.get("limitResponse") or {}
    if shares < 0:
        yield invalid(path / "nominalConcurrencyShares", shares, "must be a non-negative integer")
    kind, place = response.get("type") or "", path / "limitResponse"
    if kind not in ("", "Queue", "Reject"):
        yield not_supported(place / "type", kind, ("Queue", "Reject"))
    if kind == "Queue" and response.get("queuing") is not None:
        yield from _queuing_errors(response["queuing"], place / "queuing")
    yield from _lendable_errors(limited, path)
    if borrowing < 0:
        yield invalid(path / "borrowingLimitPercent", borrowing, "if specified, must be a non-negative integer")


def _lendable_errors(level: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    percent = level.get("lendablePercent") or 0
    if not 0 <= percent <= 100:
        yield invalid(path / "lendablePercent", percent, "must be between 0 and 100, inclusive")


def _queuing_presence_errors(response: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    kind, queuing = response.get("type") or "", response.get("queuing")
    if kind == "Queue":
        if queuing is None:
            yield required(path / "queuing")
    elif queuing is not None:
        yield forbidden(path / "queuing", "")
    if not kind:
        yield required(path / "type")


def _queuing_errors(queuing: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    queues, hand, limit = (queuing.get(name) or 0 for name in _QUEUING_DEFAULTS)
    if limit <= 0:
        yield invalid(path / "queueLengthLimit", limit, "must be positive")
    if queues <= 0:
        yield invalid(path / "queues", queues, "must be positive")
    elif queues > _QUEUES_MAX:
        yield invalid(path / "queues", queues, f"must not be greater than {_QUEUES_MAX}")
    if hand <= 0:
        yield invalid(path / "handSize", hand, "must be positive")
    elif hand > queues:
        yield invalid(path / "handSize", hand, f"should not be greater than queues ({queues})")
    elif math.ceil(math.log2(queues) * hand) > _HASH_BITS:
        detail = (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {_HASH_BITS}"
        )
        yield invalid(path / "handSize", hand, detail)


def _mandatory_errors(name: str, spec: Mapping[str, Any]) -> Iterator[FieldError]:
    """The exempt level may be given shares, and nothing else."""
    fixed = MANDATORY_PRIORITY_LEVELS.get(name)
    if fixed is None:
        return
    compared = {**spec, "exempt": fixed["exempt"]} if name == _EXEMPT else spec
    if not same(compared, fixed):
        but = " except the 'spec.exempt' field" if name == _EXEMPT else ""
        shown = internal_form(spec, "flowcontrol.PriorityLevelConfigurationSpec")
        yield invalid(_SPEC, shown, f"spec of '{name}'{but} must equal the fixed value")


def default_priority_level(obj: JSONObject) -> None:
    spec = obj.get("spec") or {}
    for field, shares in (("exempt", 0), ("limited", 30)):
        level = spec.get(field)
        if level is None:
            continue
        for name, value in (("nominalConcurrencyShares", shares), ("lendablePercent", 0)):
            if level.get(name) is None:
                level[name] = value
    queuing = ((spec.get("limited") or {}).get("limitResponse") or {}).get("queuing")
    if queuing is not None:
        queuing.update({name: queuing.get(name) or value for name, value in _QUEUING_DEFAULTS.items()})


def priority_level_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    limited = spec.get("limited")
    queuing = ((limited or {}).get("limitResponse") or {}).get("queuing")
    shares = "<none>" if limited is None else limited.get("nominalConcurrencyShares") or 0
    queues = ["<none>"] * 3 if queuing is None else [queuing.get(name) or 0 for name in _QUEUING_DEFAULTS]
    name, kind = metadata.get("name", ""), spec.get("type") or ""
    return [name, kind, shares, *queues, age(metadata.get("creationTimestamp"))]


PRIORITY_LEVEL_CONFIGURATIONS = builtin(
    "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
    strategy=PriorityLevelConfigurationStrategy(),
    status_strategy=ConditionsStatusStrategy,
    default=default_priority_level,
    cells=priority_level_cells,
)
