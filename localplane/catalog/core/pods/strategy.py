"""How a pod is written. Kubernetes: pkg/registry/core/pod, podStrategy.

AppArmor profiles in annotations become fields (applyAppArmorVersionSkew), label keys of affinities and spread
constraints become requirements with the values that the pod has (mutatePodAffinity, mutateTopologySpreadConstraints).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.names import dns1123_label, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.rest import DeleteOptions
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.validation.metadata import metadata_update_errors

from .conditions import set_condition
from .defaults import default_pod_level_resources
from .disabled_fields import drop_disabled_fields
from .qos import qos_class
from .updates import spec_update_errors
from .validation.annotations import APPARMOR_CONTAINER, annotation_update_errors
from .validation.pods import pod_create_errors, pod_errors
from .warnings import pod_warnings

_LOCALHOST = "localhost/"
_LONGEST_PATH = 4095
_BY_WORD = {"unconfined": {"type": "Unconfined"}, "runtime/default": {"type": "RuntimeDefault"}}


def profiles_from_annotations(pod: dict[str, Any]) -> Iterator[str]:
    """Fill in the fields that only annotations tell, and give the warnings about it. Windows has no AppArmor."""
    spec, annotations = pod.get("spec") or {}, (pod.get("metadata") or {}).get("annotations") or {}
    if (spec.get("os") or {}).get("name") == "windows":
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            key = f"{APPARMOR_CONTAINER}{container.get('name', '')}"
            context = container.get("securityContext") or {}
            if key not in annotations or context.get("appArmorProfile") is not None:
                continue
            profile = _profile(annotations[key])
            if profile is not None and profile != of_pod:
                container["securityContext"] = context | {"appArmorProfile": profile}
            if profile is None or profile != of_pod:
                yield f'metadata.annotations[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead'


def _profile(annotation: str) -> dict[str, str] | None:
    """The field that says what an annotation says; None if the field may not say it."""
    if annotation in _BY_WORD:
        return dict(_BY_WORD[annotation])
    name = annotation.removeprefix(_LOCALHOST)
    if name == annotation or not name or name != name.strip() or size(name) > _LONGEST_PATH:
        return None
    return {"type": "Localhost", "localhostProfile": name}


_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def apply_label_keys(pod: dict[str, Any]) -> None:
    """In place, when a pod is created: its labels may change later, the requirements don't."""
    labels = (pod.get("metadata") or {}).get("labels") or {}
    spec = pod.get("spec") or {}
    for term in (*_affinity_terms(spec.get("affinity") or {}), *(spec.get("topologySpreadConstraints") or ())):
        selector = term.get("labelSelector")
        if selector is None:
            continue  # it selects nothing, and would go on doing so
        _require(selector, term.get("matchLabelKeys") or (), "In", labels)
        _require(selector, term.get("mismatchLabelKeys") or (), "NotIn", labels)


def _affinity_terms(affinity: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(name) or {}
        yield from (each.get("podAffinityTerm") or {} for each in terms.get(_PREFERRED) or ())
        yield from terms.get(_REQUIRED) or ()


def _require(selector: dict[str, Any], keys: Any, operator: str, labels: Mapping[str, str]) -> None:
    for key in keys:
        if key in labels:
            requirement = {"key": key, "operator": operator, "values": [labels[key]]}
            selector.setdefault("matchExpressions", []).append(requirement)


_ENDED = ("Failed", "Succeeded")


def grace_period(pod: dict[str, Any], asked: int | None) -> int:
    """In seconds. Where nothing runs, nothing is waited for, whatever a client asks for."""
    spec = pod.get("spec") or {}
    if not spec.get("nodeName") or (pod.get("status") or {}).get("phase") in _ENDED:
        return 0
    period: int = asked if asked is not None else spec.get("terminationGracePeriodSeconds") or 0
    return period if period >= 0 else 1


_NO_LABEL = (
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; "
    "a DNS label is recommended: "
)


class PodStrategy(Strategy):
    validates_schema = False
    allow_unconditional_update = True

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        """A pod begins as pending, whatever its maker says of its status."""
        obj["status"] = {"phase": "Pending"}
        spec = obj.setdefault("spec", {})
        drop_disabled_fields(spec, obj["metadata"])
        if spec.get("schedulingGates"):
            blocked = "Scheduling is blocked due to non-empty scheduling gates"
            set_condition(obj, "PodScheduled", "False", reason="SchedulingGated", message=blocked)
        apply_label_keys(obj)
        for warning in profiles_from_annotations(obj):
            request.warnings.append(warning)
        default_pod_level_resources(spec)
        obj["status"]["qosClass"] = qos_class(obj)

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(pod_errors(obj), pod_create_errors(obj))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        problems = dns1123_label(obj["metadata"].get("name", ""))
        about_name = [f"{_NO_LABEL}[{' '.join(problems)}]"] if problems else []
        return [*about_name, *pod_warnings(obj)]

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """Clients that know no resources of pods keep those that are there."""
        spec, before = obj.setdefault("spec", {}), old.get("spec") or {}
        if "resources" not in spec and "resources" in before:
            spec["resources"] = copied(before["resources"])
        drop_disabled_fields(spec, obj["metadata"])

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            pod_errors(obj),
            annotation_update_errors(obj, old),
            spec_update_errors(obj.get("spec") or {}, old.get("spec") or {}),
        )

    def check_graceful_delete(self, request: Request, obj: JSONObject, options: DeleteOptions) -> bool:
        options.grace_period_seconds = grace_period(obj, options.grace_period_seconds)
        return True
