"""How a pod is written. Kubernetes: pkg/registry/core/pod, podStrategy."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.names import dns1123_label
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.rest import DeleteOptions
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.validation.metadata import metadata_update_errors

from .annotations import annotation_update_errors
from .app_armor import profiles_from_annotations
from .conditions import set_condition
from .defaults import default_pod_level_resources
from .disabled_fields import drop_disabled_fields
from .grace import grace_period
from .label_keys import apply_label_keys
from .qos import qos_class
from .updates import spec_update_errors
from .validation.pods import pod_create_errors, pod_errors
from .warnings import pod_warnings

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
