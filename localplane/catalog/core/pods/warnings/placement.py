"""Where a pod may go: old labels of nodes, and selectors that select nothing."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.names import label_value
from localplane.apimachinery.objects import JSONObject

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_NO_SELECTOR = "a null labelSelector results in matching no pod"
_NODE_LABELS = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def node_label_message(key: str) -> str | None:
    """What is to be said of a label of nodes that has another name now. Kubernetes: pkg/api/node."""
    return _NODE_LABELS.get(key)


def placement_warnings(spec: JSONObject, path: Path) -> Iterator[str]:
    for key in sorted(spec.get("nodeSelector") or {}):
        if message := node_label_message(key):
            yield f"{(path / 'nodeSelector')[key]}: {message}"
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    place = path / "affinity" / "nodeAffinity"
    for index, term in enumerate((affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()):
        yield from node_term_warnings(term, (place / _REQUIRED / "nodeSelectorTerms")[index])
    for index, term in enumerate(affinity.get(_PREFERRED) or ()):
        preference = (place / _PREFERRED)[index] / "preference"
        yield from node_term_warnings(term.get("preference") or {}, preference, check_values=True)
    for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        at, key = (path / "topologySpreadConstraints")[index], constraint.get("topologyKey", "")
        if message := node_label_message(key):
            yield f"{at / 'topologyKey'}: {key} is {message}"
        if constraint.get("labelSelector") is None:
            yield f"{at / 'labelSelector'}: {_NO_SELECTOR}"


def node_term_warnings(term: JSONObject, path: Path, *, check_values: bool = False) -> Iterator[str]:
    """Kubernetes: pkg/api/node, GetWarningsForNodeSelectorTerm."""
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        place, key = (path / "matchExpressions")[index], expression.get("key", "")
        if message := node_label_message(key):
            yield f"{place / 'key'}: {key} is {message}"
        for number, value in enumerate(expression.get("values") or () if check_values else ()):
            for problem in label_value(value):
                yield f"{(place / 'values')[number]}: {value} is invalid, {problem}"


def pod_affinity_warnings(affinity: JSONObject, path: Path) -> Iterator[str]:
    for name in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(name) or {}
        for index, term in enumerate(terms.get(_REQUIRED) or ()):
            if term.get("labelSelector") is None:
                yield f"{(path / name / _REQUIRED)[index] / 'labelSelector'}: {_NO_SELECTOR}"
        for index, weighted in enumerate(terms.get(_PREFERRED) or ()):
            if (weighted.get("podAffinityTerm") or {}).get("labelSelector") is None:
                place = (path / name / _PREFERRED)[index] / "podAffinityTerm" / "labelSelector"
                yield f"{place}: {_NO_SELECTOR}"
