"""Daemon sets. Kubernetes: pkg/apis/apps/{v1/defaults,validation}, pkg/registry/apps/daemonset.

How often the template has changed was a field once. It is an annotation now, which the server counts up and no client
can change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, not_supported, required
from localplane.apimachinery.labels import InvalidSelector
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declaring import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    TEMPLATE,
    PodControllerStatusStrategy,
    PodControllerStrategy,
    collision_errors,
    container_cells,
    controlled_template_errors,
    counter_errors,
    has_bad_values,
    labels_text,
    mismatch_errors,
    selector_text,
    selects_something,
    shown_selector,
    template_of,
    template_warnings,
)
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.values import not_negative

from .deployments import selector_change_errors, shown_strategy
from .go_integers import NotAnInteger, parse_int64
from .int_or_percent import count, positive_errors, share_errors

_GENERATION = "deprecated.daemonset.template.generation"


def default_daemon_set(obj: JSONObject) -> None:
    annotations = obj.setdefault("metadata", {}).setdefault("annotations", {})
    try:
        annotations[_GENERATION] = str(parse_int64(annotations.get(_GENERATION, "0")))
    except NotAnInteger as error:
        raise BadRequest(f'DaemonSet in version "v1" cannot be handled as a DaemonSet: {error}') from error
    spec = obj.setdefault("spec", {})
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", 10)
    default_pod_template(spec.setdefault("template", {}))


class DaemonSetStrategy(PodControllerStrategy):
    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        super().prepare_for_create(request, obj)
        _count(obj, max(_counted(obj), 1))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        changed = not same(template_of(obj), template_of(old))
        _count(obj, _counted(old) + (1 if changed else 0))

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=True, name=dns1123_subdomain), _spec_errors(obj["spec"], None))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            selector_change_errors(obj["spec"], old["spec"]),
            _spec_errors(obj["spec"], old["spec"]),
        )

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return template_warnings(obj)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return template_warnings(obj, old) if _counted(obj) != _counted(old) else ()


class DaemonSetStatusStrategy(PodControllerStatusStrategy):
    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        _count(obj, _counted(old))

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from counter_errors(
            status,
            *("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"),
            *("observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable"),
            "collisionCount",
        )
        yield from collision_errors(status, before)


def _counted(obj: JSONObject) -> int:
    return int((obj["metadata"].get("annotations") or {}).get(_GENERATION, 0))


def _count(obj: JSONObject, generation: int) -> None:
    obj["metadata"].setdefault("annotations", {})[_GENERATION] = str(generation)


def _spec_errors(spec: JSONObject, before: JSONObject | None) -> Iterator[FieldError]:
    """Kubernetes: ValidateDaemonSetSpec."""
    selector, template = spec.get("selector"), spec.get("template") or {}
    forgive = before is not None and has_bad_values(before.get("selector"))
    yield from selector_errors(selector, SPEC / "selector", forgive_values=forgive)
    with suppress(InvalidSelector):  # that has been told already
        yield from mismatch_errors(selector, template, TEMPLATE)
    if selector is not None and not selects_something(selector):
        yield invalid(SPEC / "selector", shown_selector(selector), "empty selector is invalid for daemonset")
    yield from controlled_template_errors(template, TEMPLATE, kind="DaemonSet")
    yield from not_negative(spec.get("minReadySeconds"), SPEC / "minReadySeconds")
    yield from _strategy_errors(spec.get("updateStrategy") or {}, SPEC / "updateStrategy")
    yield from not_negative(spec.get("revisionHistoryLimit"), SPEC / "revisionHistoryLimit")


def _strategy_errors(strategy: JSONObject, path: Path) -> Iterator[FieldError]:
    match strategy.get("type", ""):
        case "OnDelete":
            return
        case "RollingUpdate":
            rolling = strategy.get("rollingUpdate")
            if rolling is None:
                yield required(path / "rollingUpdate")
            else:
                yield from _rolling_errors(rolling, path / "rollingUpdate")
        case _:
            yield not_supported(path, shown_strategy(strategy), ("RollingUpdate", "OnDelete"))


def _rolling_errors(rolling: JSONObject, path: Path) -> Iterator[FieldError]:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    yield from positive_errors(unavailable, path / "maxUnavailable")
    yield from positive_errors(surge, path / "maxSurge")
    yield from share_errors(unavailable, path / "maxUnavailable")
    yield from share_errors(surge, path / "maxSurge")
    if count(unavailable) and count(surge):
        yield invalid(path / "maxSurge", surge, "may not be set when maxUnavailable is non-zero")
    elif not count(unavailable) and not count(surge):
        yield required(path / "maxUnavailable", "cannot be 0 when maxSurge is 0")


def daemon_set_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    template = spec.get("template") or {}
    return [
        metadata.get("name", ""),
        status.get("desiredNumberScheduled") or 0,
        status.get("currentNumberScheduled") or 0,
        status.get("numberReady") or 0,
        status.get("updatedNumberScheduled") or 0,
        status.get("numberAvailable") or 0,
        labels_text((template.get("spec") or {}).get("nodeSelector")),
        age(metadata.get("creationTimestamp")),
        *container_cells(template),
        selector_text(spec.get("selector")),
    ]


_STRATEGY = DaemonSetStrategy()

DAEMON_SETS = builtin(
    "apps/daemonsets",
    strategy=_STRATEGY,
    status_strategy=DaemonSetStatusStrategy(_STRATEGY),
    default=default_daemon_set,
    cells=daemon_set_cells,
)
