"""Stateful sets. Kubernetes: pkg/apis/apps/{v1/defaults,v1/conversion,validation}, pkg/registry/apps/statefulset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.names import dns1123_label
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template, default_resource_list
from localplane.catalog.core.pods.semantics import equal
from localplane.catalog.core.pods.validation.claims import CLAIM_SPEC
from localplane.catalog.core.pods.validation.pods import pod_template_errors
from localplane.catalog.core.pods.warnings import claim_spec_warnings
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.pod_controllers import (
    SAME_SELECTOR,
    SPEC,
    TEMPLATE,
    PodControllerStrategy,
    always_restarted_errors,
    collision_errors,
    container_cells,
    mismatch_errors,
    no_more_than_replicas,
    required_selector_errors,
    shown_metadata,
    shown_selector,
    template_warnings,
)
from localplane.catalog.scale import SCALE_COLUMNS, scale_of
from localplane.catalog.strategy import BuiltinStatusStrategy
from localplane.catalog.validation.metadata import IMMUTABLE
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    NOT_NEGATIVE,
    All,
    Always,
    Changes,
    Counts,
    Each,
    Fields,
    Immutable,
    OneOf,
    Optional,
    Required,
    Struct,
)

from .int_or_percent import IntOrPercent, count, positive_errors, share_errors

_CLAIM_STATUS = (
    *("phase", "accessModes", "capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"),
    *("currentVolumeAttributesClassName", "modifyVolumeStatus", "healthStatus"),
)
_ROLLING_ONLY = "only allowed for updateStrategy 'RollingUpdate'"
_ALL_REVISIONS = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
)


def default_stateful_set(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
        strategy["rollingUpdate"].setdefault("partition", 0)
        strategy["rollingUpdate"].setdefault("maxUnavailable", 1)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    for occasion in ("whenDeleted", "whenScaled"):
        if not retention.get(occasion):
            retention[occasion] = "Retain"
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    default_pod_template(spec.setdefault("template", {}))
    for claim in spec.get("volumeClaimTemplates") or ():
        _default_claim(claim)


def _default_claim(claim: JSONObject) -> None:
    """A claim in a template is a whole object: it says what it is, and it is pending."""
    claim["kind"], claim["apiVersion"] = "PersistentVolumeClaim", "v1"
    spec, status = claim.setdefault("spec", {}), claim.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"
    spec.setdefault("volumeMode", "Filesystem")
    resources = spec.get("resources") or {}
    for amounts in (*map(resources.get, ("limits", "requests")), *map(status.get, ("capacity", "allocatedResources"))):
        if amounts:
            default_resource_list(amounts)


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
                yield from _ROLLING(rolling, path / "rollingUpdate")
        case _:
            shown = None if rolling is None else _shown_rolling(rolling)
            yield invalid(path, {"Type": kind, "RollingUpdate": shown}, "must be 'RollingUpdate' or 'OnDelete'")


def _unavailable_errors(unavailable: IntOrPercent, path: Path) -> Iterator[FieldError]:
    yield from positive_errors(unavailable, path)
    if count(unavailable) == 0:
        yield invalid(path, unavailable, "cannot be 0")
    yield from share_errors(unavailable, path)


def _shown_rolling(rolling: JSONObject) -> JSONObject:
    """As a message shows it: the fields of the internal Go type, by their Go names."""
    return {"Partition": rolling.get("partition", 0), "MaxUnavailable": rolling.get("maxUnavailable")}


_ROLLING = Fields(partition=NOT_NEGATIVE, maxUnavailable=_unavailable_errors)
_RETENTION = OneOf("Retain", "Delete")
_POLICIES = Fields(
    podManagementPolicy=Required(OneOf("OrderedReady", "Parallel", detail="must be 'OrderedReady' or 'Parallel'")),
    updateStrategy=Struct(_strategy_errors),
    persistentVolumeClaimRetentionPolicy=Optional(
        Fields(whenDeleted=Always(_RETENTION), whenScaled=Always(_RETENTION))
    ),
)
_CLAIMS = Fields(volumeClaimTemplates=Each(Fields(spec=Struct(CLAIM_SPEC))))
_NUMBERS = Fields(replicas=NOT_NEGATIVE, minReadySeconds=NOT_NEGATIVE, ordinals=Fields(start=NOT_NEGATIVE))
_SERVICE = Fields(serviceName=Optional(DNS_LABEL))


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


def _is_wrong(spec: JSONObject) -> bool:
    return any(chain(_POLICIES(spec, SPEC), _NUMBERS(spec, SPEC), _template_errors(spec)))


def _claim_change_errors(obj: JSONObject, old: JSONObject, path: Path) -> Iterator[FieldError]:
    claims = obj["spec"].get("volumeClaimTemplates")
    if not equal(claims, old["spec"].get("volumeClaimTemplates")):
        shown = None if claims is None else [_shown_claim(claim) for claim in claims]
        yield invalid(path / "spec.volumeClaimTemplates", shown, IMMUTABLE)


def _shown_claim(claim: JSONObject) -> JSONObject:
    status = claim.get("status") or {}
    return shown_metadata(claim) | {
        "Spec": internal_form(claim.get("spec"), "core.PersistentVolumeClaimSpec"),
        "Status": {name[0].upper() + name[1:]: status.get(name) for name in _CLAIM_STATUS},
    }


class StatefulSetStrategy(PodControllerStrategy):
    """On update the name, the service's name and the claims are not judged again: they can't change."""

    valid_name = staticmethod(dns1123_label)
    changes = Changes(
        SAME_SELECTOR, _claim_change_errors, Immutable("spec.serviceName"), Immutable("spec.podManagementPolicy")
    )

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        spec = obj["spec"]
        yield from _POLICIES(spec, SPEC)
        if old is None:
            yield from _CLAIMS(spec, SPEC)
        yield from _NUMBERS(spec, SPEC)
        if old is None:
            yield from _SERVICE(spec, SPEC)
        yield from _template_errors(spec, skip=old is not None and _is_wrong(old["spec"]))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return [*template_warnings(obj), *_claim_warnings(obj), *_history_warnings(obj)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        about_template = super().warnings_on_update(request, obj, old)
        return [*about_template, *_claim_warnings(obj, below="Spec"), *_history_warnings(obj)]


class StatefulSetStatusStrategy(BuiltinStatusStrategy):
    rules = All(
        Counts(
            *("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
            *("observedGeneration", "collisionCount"),
        ),
        no_more_than_replicas(
            *("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"), ready="status.readyReplicas"
        ),
    )

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from super().status_errors(status, before)
        yield from collision_errors(status, before)


def _claim_warnings(obj: JSONObject, *, below: str = "") -> Iterator[str]:
    """`below` is what Kubernetes adds to the place when it is an update."""
    for index, claim in enumerate(obj["spec"].get("volumeClaimTemplates") or ()):
        place = (SPEC / "volumeClaimTemplates")[index]
        yield from claim_spec_warnings(claim.get("spec") or {}, place / below if below else place)


def _history_warnings(obj: JSONObject) -> list[str]:
    return [_ALL_REVISIONS] if (obj["spec"].get("revisionHistoryLimit") or 0) < 0 else []


def stateful_set_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    return [
        metadata.get("name", ""),
        f"{status.get('readyReplicas') or 0}/{spec.get('replicas') or 0}",
        age(metadata.get("creationTimestamp")),
        *container_cells(spec.get("template") or {}),
    ]


STATEFUL_SETS = builtin(
    "apps/statefulsets",
    strategy=StatefulSetStrategy(),
    status_strategy=StatefulSetStatusStrategy,
    default=default_stateful_set,
    cells=stateful_set_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("apps/v1", "apps/v1beta2", "apps/v1beta1")},
)
