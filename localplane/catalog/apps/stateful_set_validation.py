"""What a stateful set may be, and what of it may change. Kubernetes: pkg/apis/apps/validation, ValidateStatefulSet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.labels import InvalidSelector
from localplane.apimachinery.names import dns1123_label
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.semantics import equal
from localplane.catalog.core.pods.validation.claims import claim_spec_errors
from localplane.catalog.core.pods.validation.template import pod_template_errors
from localplane.catalog.internal_form import internal_form
from localplane.catalog.pod_controllers import (
    SPEC,
    TEMPLATE,
    always_restarted_errors,
    collision_errors,
    counter_errors,
    mismatch_errors,
    ready_errors,
    required_selector_errors,
    shown_metadata,
    shown_selector,
)
from localplane.catalog.validation.metadata import IMMUTABLE, immutable_errors, metadata_errors, metadata_update_errors
from localplane.catalog.validation.selectors import selector_of
from localplane.catalog.validation.values import not_negative

from .deployments import selector_change_errors
from .int_or_percent import count, positive_errors, share_errors

_CLAIM_STATUS = (
    *("phase", "accessModes", "capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"),
    *("currentVolumeAttributesClassName", "modifyVolumeStatus", "healthStatus"),
)
_ROLLING_ONLY = "only allowed for updateStrategy 'RollingUpdate'"


def create_errors(obj: JSONObject) -> Iterator[FieldError]:
    spec = obj["spec"]
    yield from metadata_errors(obj, namespaced=True, name=dns1123_label)
    yield from _policy_errors(spec)
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        yield from claim_spec_errors(claim.get("spec") or {}, (SPEC / "volumeClaimTemplates")[index] / "spec")
    yield from _number_errors(spec)
    if name := spec.get("serviceName"):
        yield from (invalid(SPEC / "serviceName", name, problem) for problem in dns1123_label(name))
    yield from _template_errors(spec)


def update_errors(obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    """The name, the service's name and the claims can't change, so what is wrong with them is not told again."""
    spec, before = obj["spec"], old["spec"]
    yield from metadata_update_errors(obj, old)
    was_wrong = any(_spec_errors(before))
    yield from _spec_errors(spec, skip_template=was_wrong)
    yield from selector_change_errors(spec, before)
    claims = spec.get("volumeClaimTemplates")
    if not equal(claims, before.get("volumeClaimTemplates")):
        shown = None if claims is None else [_shown_claim(claim) for claim in claims]
        yield invalid(SPEC / "volumeClaimTemplates", shown, IMMUTABLE)
    for name in ("serviceName", "podManagementPolicy"):
        yield from immutable_errors(spec.get(name), before.get(name), SPEC / name)


def _shown_claim(claim: JSONObject) -> JSONObject:
    status = claim.get("status") or {}
    return shown_metadata(claim) | {
        "Spec": internal_form(claim.get("spec"), "PersistentVolumeClaimSpec"),
        "Status": {name[0].upper() + name[1:]: status.get(name) for name in _CLAIM_STATUS},
    }


def _spec_errors(spec: JSONObject, *, skip_template: bool = False) -> Iterator[FieldError]:
    yield from _policy_errors(spec)
    yield from _number_errors(spec)
    yield from _template_errors(spec, skip=skip_template)


def _policy_errors(spec: JSONObject) -> Iterator[FieldError]:
    policy = spec.get("podManagementPolicy", "")
    if not policy:
        yield required(SPEC / "podManagementPolicy")
    elif policy not in ("OrderedReady", "Parallel"):
        yield invalid(SPEC / "podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    yield from _strategy_errors(spec.get("updateStrategy") or {}, SPEC / "updateStrategy")
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for occasion in ("whenDeleted", "whenScaled"):
        if retention and retention.get(occasion, "") not in ("Retain", "Delete"):
            path = SPEC / "persistentVolumeClaimRetentionPolicy" / occasion
            yield not_supported(path, retention.get(occasion, ""), ("Retain", "Delete"))


def _strategy_errors(strategy: JSONObject, path: Path) -> Iterator[FieldError]:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    match kind:
        case "":
            yield required(path)
        case "OnDelete":
            if rolling is not None:
                yield invalid(path / "rollingUpdate", _shown_rolling(rolling), _ROLLING_ONLY)
        case "RollingUpdate":
            if rolling is not None:
                yield from _rolling_errors(rolling, path / "rollingUpdate")
        case _:
            shown = None if rolling is None else _shown_rolling(rolling)
            yield invalid(path, {"Type": kind, "RollingUpdate": shown}, "must be 'RollingUpdate' or 'OnDelete'")


def _rolling_errors(rolling: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from not_negative(rolling.get("partition"), path / "partition")
    unavailable, place = rolling.get("maxUnavailable"), path / "maxUnavailable"
    if unavailable is not None:
        yield from positive_errors(unavailable, place)
        if count(unavailable) == 0:
            yield invalid(place, unavailable, "cannot be 0")
        yield from share_errors(unavailable, place)


def _shown_rolling(rolling: JSONObject) -> JSONObject:
    """As a message shows it: the fields of the internal Go type, by their Go names."""
    return {"Partition": rolling.get("partition", 0), "MaxUnavailable": rolling.get("maxUnavailable")}


def _number_errors(spec: JSONObject) -> Iterator[FieldError]:
    yield from not_negative(spec.get("replicas"), SPEC / "replicas")
    yield from not_negative(spec.get("minReadySeconds"), SPEC / "minReadySeconds")
    yield from not_negative((spec.get("ordinals") or {}).get("start"), SPEC / "ordinals.start")


def _template_errors(spec: JSONObject, *, skip: bool = False) -> Iterator[FieldError]:
    """With `skip` only what belongs to the set itself: the template it had was wrong already."""
    selector, template = spec.get("selector"), _with_identity(spec)
    yield from required_selector_errors(selector, SPEC / "selector", empty="statefulset")
    try:
        selector_of(selector)
    except InvalidSelector:
        yield invalid(SPEC / "selector", shown_selector(selector), "")
    else:
        yield from mismatch_errors(selector, template, TEMPLATE)
        if not skip:
            yield from pod_template_errors(template, TEMPLATE)
        metadata = template.get("metadata") or {}
        yield from validate_labels(metadata.get("labels"), TEMPLATE / "labels")
        yield from validate_annotations(metadata.get("annotations"), TEMPLATE / "annotations")
    yield from always_restarted_errors(template, TEMPLATE, kind="StatefulSet")


def _with_identity(spec: JSONObject) -> JSONObject:
    """The template as its pods will be: the controller gives them their names and the volumes of their claims."""
    template: dict[str, Any] = dict(spec.get("template") or {})
    claims = [(claim.get("metadata") or {}).get("name", "") for claim in spec.get("volumeClaimTemplates") or ()]
    pod = {name: value for name, value in (template.get("spec") or {}).items() if name not in ("subdomain", "hostname")}
    if claims:
        own = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in dict.fromkeys(claims)]
        pod["volumes"] = [*own, *(each for each in pod.get("volumes") or () if each.get("name", "") not in claims)]
    return template | {"spec": pod}


def status_errors(status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    yield from counter_errors(
        status,
        *("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
        *("observedGeneration", "collisionCount"),
    )
    yield from ready_errors(
        status,
        *("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
        ready="status.readyReplicas",
    )
    yield from collision_errors(status, before)
