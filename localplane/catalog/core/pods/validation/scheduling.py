"""Where a pod may go, as far as it is said plainly: tolerations, gates, and spreading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, not_supported, required
from localplane.apimachinery.names import label_value, qualified_name
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.values import one_of

from .affinity import label_key_errors
from .names import invalid_each

JSONObject = Mapping[str, Any]

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NO_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
_NOT_POSITIVE = "must be greater than zero"


def toleration_errors(tolerations: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    for index, toleration in enumerate(tolerations):
        place, key, operator = path[index], toleration.get("key", ""), toleration.get("operator", "")
        effect = toleration.get("effect", "")
        if key:
            yield from invalid_each(place / "key", key, qualified_name(key))
        elif operator != "Exists":
            yield invalid(place / "operator", operator, _NO_KEY)
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield invalid(place / "effect", effect, detail)
        yield from _toleration_operator_errors(operator, toleration.get("value", ""), place / "operator")
        if effect:
            yield from taint_effect_errors(effect, place / "effect")


def _toleration_operator_errors(operator: str, value: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes reports what is wrong with the value at the operator."""
    match operator:
        case "Equal" | "":
            if problems := label_value(value):
                yield invalid(path, value, ";".join(problems))
        case "Exists":
            if value:
                yield invalid(path, value, "value must be empty when `operator` is 'Exists'")
        case "Lt" | "Gt":
            yield not_supported(path, operator, ("Equal", "Exists", "Lt", "Gt"))
        case _:
            yield not_supported(path, operator, ("Equal", "Exists"))


def taint_effect_errors(effect: str, path: Path) -> list[FieldError]:
    if not effect:
        return [required(path)]
    return [] if effect in _EFFECTS else [not_supported(path, effect, _EFFECTS)]


def readiness_gate_errors(gates: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    for index, gate in enumerate(gates):
        kind = gate.get("conditionType", "")
        yield from invalid_each(path[index] / "conditionType", kind, qualified_name(kind))


def scheduling_gate_errors(gates: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name", "")
        yield from invalid_each(path[index], name, qualified_name(name))
        if name in seen:
            yield duplicate(path[index], name)
        seen.add(name)


def preemption_policy_errors(policy: str | None, path: Path) -> list[FieldError]:
    supported = ("PreemptLowerPriority", "Never")
    if policy is None or policy in supported:
        return []
    return [not_supported(path, policy, supported)] if policy else [required(path)]


def spread_errors(constraints: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """Topology spread constraints; each pair of key and reaction stands for one sort of them, once."""
    pairs = [(each.get("topologyKey", ""), each.get("whenUnsatisfiable", "")) for each in constraints]
    last = {pair: index for index, pair in enumerate(pairs)}
    for index, constraint in enumerate(constraints):
        place, (key, reaction) = path[index], pairs[index]
        if (skew := constraint.get("maxSkew", 0)) <= 0:
            yield invalid(place / "maxSkew", skew, _NOT_POSITIVE)
        if not key:
            yield required(place / "topologyKey", "can not be empty")
        yield from one_of(reaction, ("DoNotSchedule", "ScheduleAnyway"), place / "whenUnsatisfiable")
        if last[pairs[index]] > index:
            yield duplicate(place / "{topologyKey, whenUnsatisfiable}", f"{{{key}, {reaction}}}")
        yield from _min_domain_errors(constraint.get("minDomains"), reaction, place / "minDomains")
        for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if (policy := constraint.get(field)) is not None:
                yield from one_of(policy, ("Honor", "Ignore"), place / field)
        selector = constraint.get("labelSelector")
        yield from label_key_errors(constraint, selector, place)
        yield from selector_errors(selector, place / "labelSelector")


def _min_domain_errors(number: int | None, reaction: str, path: Path) -> Iterator[FieldError]:
    if number is None:
        return
    if number <= 0:
        yield invalid(path, number, _NOT_POSITIVE)
    if reaction != "DoNotSchedule":
        yield invalid(path, number, f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {reaction}")
