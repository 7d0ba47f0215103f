"""Which nodes a pod may be on: node selectors, node affinity, and taints with the tolerations for them.

Pure functions over objects as they are on the wire, for whoever places pods or takes them away: the DaemonSet and
taint eviction controllers and the scheduler. Selectors are parsed once and then asked about many nodes. Kubernetes:
component-helpers/scheduling/corev1 and api/core/v1/toleration.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Requirement, Selector, from_labels, requirement

_Term = Callable[[Mapping[str, Any]], bool]

NO_SCHEDULE: Final = "NoSchedule"
PREFER_NO_SCHEDULE: Final = "PreferNoSchedule"
NO_EXECUTE: Final = "NoExecute"

# The taints that the control plane itself puts on nodes: api/core/v1/well_known_taints.go.
NOT_READY: Final = "node.kubernetes.io/not-ready"
UNREACHABLE: Final = "node.kubernetes.io/unreachable"
UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
MEMORY_PRESSURE: Final = "node.kubernetes.io/memory-pressure"
DISK_PRESSURE: Final = "node.kubernetes.io/disk-pressure"
PID_PRESSURE: Final = "node.kubernetes.io/pid-pressure"
NETWORK_UNAVAILABLE: Final = "node.kubernetes.io/network-unavailable"
OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"

NAME_FIELD: Final = "metadata.name"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_OPERATORS: Final = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!", "Gt": "gt", "Lt": "lt"}


class NodeSelector:
    """A v1.NodeSelector: one of its terms must match. An empty term and one that can't be understood match none."""

    def __init__(self, selector: Mapping[str, Any]) -> None:
        terms = map(_term, selector.get("nodeSelectorTerms") or ())
        self._terms = [term for term in terms if term is not None]

    def matches(self, node: Mapping[str, Any]) -> bool:
        return any(term(node) for term in self._terms)


class RequiredNodeAffinity:
    """What a pod demands of its node, in `nodeSelector` and in the required part of its node affinity."""

    def __init__(self, pod_spec: Mapping[str, Any]) -> None:
        wanted, required = pod_spec.get("nodeSelector"), _node_affinity(pod_spec).get(_REQUIRED)
        self._labels = from_labels(wanted) if wanted else None
        self._selector = NodeSelector(required) if required is not None else None

    def matches(self, node: Mapping[str, Any]) -> bool:
        if self._labels is not None and not self._labels.matches(labels_of(node)):
            return False
        return self._selector is None or self._selector.matches(node)


class PreferredNodeAffinity:
    """Terms with weights, as the preferred part of a pod's node affinity has them. Those that say nothing or can't be
    understood count for nothing."""

    def __init__(self, terms: Iterable[Mapping[str, Any]]) -> None:
        weighted = [(_term(each.get("preference") or {}), int(each.get("weight", 0))) for each in terms]
        self._terms = [(term, weight) for term, weight in weighted if term is not None and weight]

    @classmethod
    def of(cls, pod_spec: Mapping[str, Any]) -> PreferredNodeAffinity:
        return cls(_node_affinity(pod_spec).get(_PREFERRED) or ())

    def __bool__(self) -> bool:
        return bool(self._terms)

    def score(self, node: Mapping[str, Any]) -> int:
        """The weights of the terms that match."""
        return sum(weight for term, weight in self._terms if term(node))


def labels_of(obj: Mapping[str, Any]) -> Mapping[str, str]:
    return obj["metadata"].get("labels") or {}


def taints_of(node: Mapping[str, Any]) -> list[JSONObject]:
    return (node.get("spec") or {}).get("taints") or []


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Without an effect, a key or a value that it must have, a toleration is for all of them. Kubernetes:
    Toleration.ToleratesTaint; Gt and Lt are behind a gate that is closed."""
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    match toleration.get("operator") or "Equal":
        case "Equal":
            return (toleration.get("value") or "") == (taint.get("value") or "")
        case "Exists":
            return True
        case _:
            return False


def is_tolerated(taint: Mapping[str, Any], tolerations: Iterable[Mapping[str, Any]]) -> bool:
    return any(tolerates(toleration, taint) for toleration in tolerations)


def untolerated_taint(
    taints: Iterable[JSONObject],
    tolerations: Iterable[Mapping[str, Any]],
    *,
    effects: Collection[str] = (NO_SCHEDULE, NO_EXECUTE),
) -> JSONObject | None:
    """The first of the taints with these effects that nothing tolerates. Kubernetes: FindMatchingUntoleratedTaint."""
    accepted = tuple(tolerations)
    for taint in taints:
        if taint.get("effect") in effects and not is_tolerated(taint, accepted):
            return taint
    return None


def _node_affinity(pod_spec: Mapping[str, Any]) -> Mapping[str, Any]:
    affinity: Mapping[str, Any] = (pod_spec.get("affinity") or {}).get("nodeAffinity") or {}
    return affinity


def _term(term: Mapping[str, Any]) -> _Term | None:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return None
    try:
        selector = Selector(map(_label_requirement, expressions))
        tests = [_name_test(field) for field in fields]
    except (InvalidSelector, _InvalidField):
        return None

    def matches(node: Mapping[str, Any]) -> bool:
        return selector.matches(labels_of(node)) and all(test(node["metadata"]["name"]) for test in tests)

    return matches


def _label_requirement(expression: Mapping[str, Any]) -> Requirement:
    operator = _OPERATORS.get(expression.get("operator", ""), "")
    return requirement(expression.get("key", ""), operator, expression.get("values") or ())


class _InvalidField(ValueError):
    """A requirement on a field that Kubernetes would not parse either."""


def _name_test(field: Mapping[str, Any]) -> Callable[[str], bool]:
    """A node has one field that can be asked for, its name; any other is empty."""
    operator, values = field.get("operator", ""), list(field.get("values") or ())
    if operator not in ("In", "NotIn") or len(values) != 1:
        raise _InvalidField(f"operator {operator}, values {values}")
    wanted, is_name, is_in = values[0], field.get("key") == NAME_FIELD, operator == "In"
    return lambda name: ((name if is_name else "") == wanted) is is_in
