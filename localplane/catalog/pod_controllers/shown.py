"""Values as messages show them: as Go prints the types that Kubernetes validates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.internal_form import internal_form

_METADATA = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers"),
    "managedFields",
)


def shown_labels(labels: Mapping[str, str] | None) -> JSONObject | None:
    """A map as a message shows it: by its keys."""
    return dict(sorted(labels.items())) if labels else None


def shown_selector(selector: JSONObject | None) -> JSONObject | None:
    """A selector as a message shows it: in the order of its Go type, and its labels by their keys."""
    if selector is None:
        return None
    shown: JSONObject = {}
    if selector.get("matchLabels"):
        shown["matchLabels"] = shown_labels(selector["matchLabels"])
    if selector.get("matchExpressions"):
        shown["matchExpressions"] = [_shown_expression(each) for each in selector["matchExpressions"]]
    return shown


def _shown_expression(expression: JSONObject) -> JSONObject:
    shown: JSONObject = {"key": expression.get("key", ""), "operator": expression.get("operator", "")}
    return shown | ({"values": expression["values"]} if expression.get("values") else {})


def shown_template(template: JSONObject) -> JSONObject:
    """Its metadata has names of its own, and stands beside the spec."""
    return shown_metadata(template) | {"Spec": internal_form(template.get("spec"), "PodSpec")}


def shown_metadata(obj: JSONObject) -> JSONObject:
    metadata = obj.get("metadata") or {}
    shown: dict[str, Any] = {name: metadata[name] for name in _METADATA if metadata.get(name)}
    return shown | {name: shown_labels(shown[name]) for name in ("labels", "annotations") if name in shown}
