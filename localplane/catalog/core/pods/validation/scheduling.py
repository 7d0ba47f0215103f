"""Where a pod may go: affinity to nodes and pods, tolerations, gates, and spreading.

Persistent volumes and runtime classes select nodes in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain, label_value, qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    QUALIFIED_NAME,
    All,
    Always,
    AtLeast,
    Between,
    Each,
    Fields,
    NotEmpty,
    OneOf,
    Required,
    Struct,
    Unique,
)
from localplane.catalog.validation.selectors import selector_errors

from .names import invalid_each

_OPERATOR = "not a valid selector operator"


def _node_term_errors(term: JSONObject, path: Path, *, forgive_values: bool = False) -> Iterator[FieldError]:
    for index, requirement in enumerate(term.get("matchExpressions") or ()):
        place = (path / "matchExpressions")[index]
        yield from _label_requirement_errors(requirement, place)
        for number, value in enumerate(requirement.get("values") or () if not forgive_values else ()):
            yield from invalid_each((place / "values")[number], value, label_value(value))
    for index, requirement in enumerate(term.get("matchFields") or ()):
        yield from _field_requirement_errors(requirement, (path / "matchFields")[index])


def _label_requirement_errors(requirement: JSONObject, path: Path) -> Iterator[FieldError]:
    values, key = requirement.get("values") or (), requirement.get("key", "")
    match requirement.get("operator", ""):
        case "In" | "NotIn":
            if not values:
                yield required(path / "values", "must be specified when `operator` is 'In' or 'NotIn'")
        case "Exists" | "DoesNotExist":
            if values:
                yield forbidden(path / "values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
        case "Gt" | "Lt":
            if len(values) != 1:
                yield required(path / "values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
        case operator:
            yield invalid(path / "operator", operator, _OPERATOR)
    yield from invalid_each(path / "key", key, qualified_name(key))


def _field_requirement_errors(requirement: JSONObject, path: Path) -> Iterator[FieldError]:
    """Nodes are found by one field only: their name."""
    values, operator, key = requirement.get("values") or (), requirement.get("operator", ""), requirement.get("key", "")
    if operator not in ("In", "NotIn"):
        yield invalid(path / "operator", operator, _OPERATOR)
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield required(path / "values", detail)
    if key != "metadata.name":
        yield invalid(path / "key", key, "not a valid field selector key")
        return
    for index, value in enumerate(values):
        yield from invalid_each((path / "values")[index], value, dns1123_subdomain(value))


def label_key_errors(term: JSONObject, selector: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """`matchLabelKeys` and `mismatchLabelKeys`, which are merged into the selector.

    Kubernetes: ValidateMatchLabelKeysAndMismatchLabelKeys.
    """
    wanted, unwanted = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    yield from _keys_errors(wanted, selector, path / "matchLabelKeys")
    yield from _keys_errors(unwanted, selector, path / "mismatchLabelKeys")
    seen = set((selector or {}).get("matchLabels") or ())
    last, refused = {key: index for index, key in enumerate(wanted)}, frozenset(unwanted)
    for expression in (selector or {}).get("matchExpressions") or ():
        key = expression.get("key", "")
        if key in last and key in seen:
            place = path[last[key]]
            yield invalid(place, key, "exists in both matchLabelKeys and labelSelector")
        seen.add(key)
    for index, key in enumerate(wanted):
        if key in refused:
            place = (path / "matchLabelKeys")[index]
            yield invalid(place, key, "exists in both matchLabelKeys and mismatchLabelKeys")


def _keys_errors(keys: Sequence[str], selector: JSONObject | None, path: Path) -> Iterator[FieldError]:
    if keys and selector is None:
        yield forbidden(path, "must not be specified when labelSelector is not set")
        return
    for index, key in enumerate(keys):
        yield from invalid_each(path[index], key, qualified_name(key))


def _namespace_errors(term: JSONObject, path: Path) -> Iterator[FieldError]:
    """Each is told at a field that there is not."""
    for namespace in term.get("namespaces") or ():
        yield from DNS_LABEL(namespace, path / "namespace")


def _own_label_key_errors(term: JSONObject, path: Path) -> Iterator[FieldError]:
    return label_key_errors(term, term.get("labelSelector"), path)


def _preference_errors(term: JSONObject, path: Path) -> Iterator[FieldError]:
    return _node_term_errors(term, path, forgive_values=True)


NODE_SELECTOR = Fields(
    nodeSelectorTerms=Required(Each(_node_term_errors), detail="must have at least one node selector term")
)
_WEIGHT = Always(Between(1, 100, "must be in the range 1-100"), absent=0)
_POD_TERM = All(
    Fields(labelSelector=selector_errors, namespaceSelector=selector_errors),
    _namespace_errors,
    _own_label_key_errors,
    Fields(topologyKey=Always(NotEmpty("can not be empty"), QUALIFIED_NAME)),
)
_POD_TERMS = Fields(
    requiredDuringSchedulingIgnoredDuringExecution=Each(_POD_TERM),
    preferredDuringSchedulingIgnoredDuringExecution=Each(Fields(weight=_WEIGHT, podAffinityTerm=Struct(_POD_TERM))),
)
AFFINITY = Fields(
    nodeAffinity=Fields(
        requiredDuringSchedulingIgnoredDuringExecution=NODE_SELECTOR,
        preferredDuringSchedulingIgnoredDuringExecution=Each(
            Fields(weight=_WEIGHT, preference=Struct(_preference_errors))
        ),
    ),
    podAffinity=_POD_TERMS,
    podAntiAffinity=_POD_TERMS,
)


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


def _gate_errors(gate: JSONObject, path: Path) -> Iterator[FieldError]:
    return QUALIFIED_NAME(gate.get("name", ""), path)


READINESS_GATES = Each(Fields(conditionType=Always(QUALIFIED_NAME)))
SCHEDULING_GATES = Each(_gate_errors, Unique("name", at_item=True))


def preemption_policy_errors(policy: str | None, path: Path) -> list[FieldError]:
    supported = ("PreemptLowerPriority", "Never")
    if policy is None or policy in supported:
        return []
    return [not_supported(path, policy, supported)] if policy else [required(path)]


_SPREAD = Fields(
    maxSkew=Always(AtLeast(1, _NOT_POSITIVE), absent=0),
    topologyKey=Required(detail="can not be empty"),
    whenUnsatisfiable=Always(OneOf("DoNotSchedule", "ScheduleAnyway")),
)
_POLICIES = Fields(nodeAffinityPolicy=OneOf("Honor", "Ignore"), nodeTaintsPolicy=OneOf("Honor", "Ignore"))


def spread_errors(constraints: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """Topology spread constraints; each pair of key and reaction stands for one sort of them, once."""
    pairs = [(each.get("topologyKey", ""), each.get("whenUnsatisfiable", "")) for each in constraints]
    last = {pair: index for index, pair in enumerate(pairs)}
    for index, constraint in enumerate(constraints):
        place, (key, reaction) = path[index], pairs[index]
        yield from _SPREAD(constraint, place)
        if last[pairs[index]] > index:
            yield duplicate(place / "{topologyKey, whenUnsatisfiable}", f"{{{key}, {reaction}}}")
        yield from _min_domain_errors(constraint.get("minDomains"), reaction, place / "minDomains")
        yield from _POLICIES(constraint, place)
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
