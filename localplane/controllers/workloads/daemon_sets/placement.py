"""Where the pods of a daemon set belong, and what makes the scheduler bring them there.

Pure functions. Kubernetes: pkg/controller/daemon/util and nodeShouldRunDaemonPod in daemon_controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.node_selection import (
    DISK_PRESSURE,
    MEMORY_PRESSURE,
    NAME_FIELD,
    NETWORK_UNAVAILABLE,
    NO_EXECUTE,
    NO_SCHEDULE,
    NOT_READY,
    PID_PRESSURE,
    UNREACHABLE,
    UNSCHEDULABLE,
    RequiredNodeAffinity,
    taints_of,
    untolerated_taint,
)
from localplane.controllers.ownership import controller_reference
from localplane.controllers.pods import pod_from_template
from localplane.controllers.workloads.revisions import REVISION_LABEL

GENERATION_LABEL: Final = "pod-template-generation"
_GENERATION_ANNOTATION: Final = "deprecated.daemonset.template.generation"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_IDENTITY: Final = ("key", "effect", "operator", "value")


@dataclass(frozen=True, slots=True)
class NodeJudgement:
    """Whether a node is to have a pod, and whether one that it has may stay."""

    should_run: bool
    should_continue: bool


Judgements = Mapping[str, NodeJudgement]
"""Of all nodes that there are, by their names."""


class DaemonPlacement:
    """What one daemon set demands of nodes, read once and asked about many."""

    def __init__(self, daemon_set: Mapping[str, Any]) -> None:
        spec = daemon_set["spec"]["template"].get("spec") or {}
        self._node_name = spec.get("nodeName", "")
        self._affinity = RequiredNodeAffinity(spec)
        self._tolerations = daemon_tolerations(spec)

    def judge(self, node: Mapping[str, Any]) -> NodeJudgement:
        is_other = self._node_name and self._node_name != node["metadata"]["name"]
        if is_other or not self._affinity.matches(node):
            return NodeJudgement(should_run=False, should_continue=False)
        taints = taints_of(node)
        if untolerated_taint(taints, self._tolerations) is None:
            return NodeJudgement(should_run=True, should_continue=True)
        stays = untolerated_taint(taints, self._tolerations, effects=(NO_EXECUTE,)) is None
        return NodeJudgement(should_run=False, should_continue=stays)


def daemon_tolerations(pod_spec: Mapping[str, Any]) -> list[JSONObject]:
    """Those of the template, and those by which daemons stay on nodes that others leave."""
    tolerations: list[JSONObject] = list(pod_spec.get("tolerations") or ())
    wanted = [(NOT_READY, NO_EXECUTE), (UNREACHABLE, NO_EXECUTE)]
    wanted += [(key, NO_SCHEDULE) for key in (DISK_PRESSURE, MEMORY_PRESSURE, PID_PRESSURE, UNSCHEDULABLE)]
    if pod_spec.get("hostNetwork"):
        wanted.append((NETWORK_UNAVAILABLE, NO_SCHEDULE))
    for key, effect in wanted:
        _add_or_replace(tolerations, {"key": key, "operator": "Exists", "effect": effect})
    return tolerations


def _add_or_replace(tolerations: list[JSONObject], wanted: JSONObject) -> None:
    """One for the same taint that ends after some time gives way."""
    for index, toleration in enumerate(tolerations):
        if all((toleration.get(key) or "") == wanted.get(key, "") for key in _IDENTITY):
            tolerations[index] = wanted
            return
    tolerations.append(wanted)


def new_pod(daemon_set: Mapping[str, Any], node: str, revision_hash: str) -> JSONObject:
    """The pod for one node: it can be bound to no other."""
    pod = pod_from_template(daemon_set["spec"]["template"], daemon_set, controller_reference(daemon_set))
    labels = pod["metadata"].setdefault("labels", {})
    if (generation := template_generation(daemon_set)) is not None:
        labels[GENERATION_LABEL] = str(generation)
    if revision_hash:
        labels[REVISION_LABEL] = revision_hash
    spec = pod["spec"]
    spec["tolerations"] = daemon_tolerations(spec)
    by_name = {"matchFields": [{"key": NAME_FIELD, "operator": "In", "values": [node]}]}
    affinity = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {}).setdefault(_REQUIRED, {})
    affinity["nodeSelectorTerms"] = [by_name]
    return pod


def node_of(pod: Mapping[str, Any]) -> str | None:
    """The node that a pod is on, or that it was made for."""
    if name := pod["spec"].get("nodeName"):
        return str(name)
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    for term in (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field.get("key") == NAME_FIELD and field.get("operator") == "In":
                values = list(field.get("values") or ())
                return str(values[0]) if len(values) == 1 else None
    return None


def template_generation(daemon_set: Mapping[str, Any]) -> int | None:
    """How often the template was changed: what pods were told by before there were revisions."""
    text = (daemon_set["metadata"].get("annotations") or {}).get(_GENERATION_ANNOTATION, "")
    try:
        return int(text)
    except ValueError:
        return None


def is_updated(pod: Mapping[str, Any], revision_hash: str, generation: int | None) -> bool:
    """It was made from the template as it is now."""
    labels = pod["metadata"].get("labels") or {}
    if revision_hash and labels.get(REVISION_LABEL) == revision_hash:
        return True
    return generation is not None and labels.get(GENERATION_LABEL) == str(generation)
