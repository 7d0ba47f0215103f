"""PriorityLevelConfigurations: how many requests are served at a time, and what becomes of the others.

Which part belongs to which type is declared by tags, in their words. Kubernetes:
pkg/registry/flowcontrol/prioritylevelconfiguration and pkg/apis/flowcontrol/validation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import All, AtLeast, Between, Declared, Fields, OneOf, Optional, Struct

from .mandatory import MANDATORY_PRIORITY_LEVELS
from .status import ConditionsStatusStrategy

_EXEMPT = "exempt"
_ZERO_SHARES = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_QUEUES_MAX, _HASH_BITS = 10_000_000, 60
_QUEUING_DEFAULTS = {"queues": 64, "handSize": 8, "queueLengthLimit": 50}


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


def _annotation_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    if _ZERO_SHARES in (obj["metadata"].get("annotations") or {}):
        yield forbidden(path / "metadata" / "annotations", f"annotation '{_ZERO_SHARES}' is forbidden")


def _type_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    name, kind = obj["metadata"].get("name", ""), (obj.get("spec") or {}).get("type") or ""
    if (name == _EXEMPT) != (kind == "Exempt"):
        yield invalid(path / "spec" / "type", kind, "must be 'Exempt' if and only if `name` is 'exempt'")


def _level_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Of the member that belongs to the type."""
    kind, limited, exempt = spec.get("type") or "", spec.get("limited"), spec.get("exempt")
    if exempt is not None and kind == "Exempt":
        yield from _EXEMPT_LEVEL(exempt, path / "exempt")
    if limited is not None and kind == "Limited":
        yield from _LIMITED_LEVEL(limited, path / "limited")


def _presence_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """The type decides which of the two is there."""
    kind = spec.get("type") or ""
    for member in ("exempt", "limited"):
        if spec.get(member) is not None and kind != member.capitalize():
            yield forbidden(path / member, "")
    if kind == "Limited" and spec.get("limited") is None:
        yield required(path / "limited")
    if not kind:
        yield required(path / "type")


def _response_errors(response: JSONObject, path: Path) -> Iterator[FieldError]:
    if response.get("type") == "Queue" and response.get("queuing") is not None:
        yield from _queuing_errors(response["queuing"], path / "queuing")


def _queuing_presence_errors(response: JSONObject, path: Path) -> Iterator[FieldError]:
    kind, queuing = response.get("type") or "", response.get("queuing")
    if kind == "Queue":
        if queuing is None:
            yield required(path / "queuing")
    elif queuing is not None:
        yield forbidden(path / "queuing", "")
    if not kind:
        yield required(path / "type")


def _queuing_errors(queuing: JSONObject, path: Path) -> Iterator[FieldError]:
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


def _mandatory_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    """The exempt level may be given shares, and nothing else."""
    name, spec = obj["metadata"].get("name", ""), obj.get("spec") or {}
    fixed = MANDATORY_PRIORITY_LEVELS.get(name)
    if fixed is None:
        return
    compared = {**spec, "exempt": fixed["exempt"]} if name == _EXEMPT else spec
    if not same(compared, fixed):
        but = " except the 'spec.exempt' field" if name == _EXEMPT else ""
        shown = internal_form(spec, "flowcontrol.PriorityLevelConfigurationSpec")
        yield invalid(path / "spec", shown, f"spec of '{name}'{but} must equal the fixed value")


_SHARES = AtLeast(0, "must be a non-negative integer")
_EXEMPT_LEVEL = Fields(nominalConcurrencyShares=_SHARES, lendablePercent=Between(0, 100))
_LIMITED_LEVEL = Fields(
    nominalConcurrencyShares=_SHARES,
    limitResponse=Struct(Fields(type=Optional(OneOf("Queue", "Reject"))), _response_errors),
    lendablePercent=Between(0, 100),
    borrowingLimitPercent=AtLeast(0, "if specified, must be a non-negative integer"),
)
_SPEC = All(
    Fields(type=Optional(OneOf("Exempt", "Limited"))),
    _level_errors,
    Declared(_presence_errors),
    Fields(limited=Fields(limitResponse=Struct(Declared(_queuing_presence_errors)))),
)


class PriorityLevelConfigurationStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    rules = All(_annotation_errors, _type_errors, Fields(spec=Struct(_SPEC)), _mandatory_errors)
    on_update = (Asked.OBJECT,)


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
