"""Daemon sets. Kubernetes: pkg/apis/apps/{v1/defaults,validation}, pkg/registry/apps/daemonset.

How often the template has changed was a field once. It is an annotation now, which the server counts up and no client
can change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_text
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declarations import builtin
from localplane.catalog.pod_controllers import (
    SAME_SELECTOR,
    SPEC,
    TEMPLATE,
    PodControllerStrategy,
    collision_errors,
    container_cells,
    controlled_template_errors,
    has_bad_values,
    labels_text,
    mismatch_errors,
    selects_something,
    shown_selector,
    template_of,
    template_warnings,
)
from localplane.catalog.strategy import Asked, BuiltinStatusStrategy
from localplane.catalog.validation.rules import NOT_NEGATIVE, Counts, Fields, Struct
from localplane.catalog.validation.selectors import selector_errors

from .deployments import shown_strategy
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


_SPEC_RULES = Fields(
    minReadySeconds=NOT_NEGATIVE, updateStrategy=Struct(_strategy_errors), revisionHistoryLimit=NOT_NEGATIVE
)


class DaemonSetStrategy(PodControllerStrategy):
    changes = SAME_SELECTOR
    on_update = (Asked.METADATA, Asked.CHANGES, Asked.RULES)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        super().prepare_for_create(request, obj)
        _count(obj, max(_counted(obj), 1))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        changed = not same(template_of(obj), template_of(old))
        _count(obj, _counted(old) + (1 if changed else 0))

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        """Kubernetes: ValidateDaemonSetSpec."""
        spec = obj["spec"]
        selector, template = spec.get("selector"), spec.get("template") or {}
        forgive = old is not None and has_bad_values(old["spec"].get("selector"))
        yield from selector_errors(selector, SPEC / "selector", forgive_values=forgive)
        with suppress(InvalidSelector):  # that has been told already
            yield from mismatch_errors(selector, template, TEMPLATE)
        if selector is not None and not selects_something(selector):
            yield invalid(SPEC / "selector", shown_selector(selector), "empty selector is invalid for daemonset")
        yield from controlled_template_errors(template, TEMPLATE, kind="DaemonSet")
        yield from _SPEC_RULES(spec, SPEC)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return template_warnings(obj)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return template_warnings(obj, old) if _counted(obj) != _counted(old) else ()


class DaemonSetStatusStrategy(BuiltinStatusStrategy):
    rules = Counts(
        *("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"),
        *("observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable"),
        "collisionCount",
    )

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        _count(obj, _counted(old))

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from super().status_errors(status, before)
        yield from collision_errors(status, before)


def _counted(obj: JSONObject) -> int:
    return int((obj["metadata"].get("annotations") or {}).get(_GENERATION, 0))


def _count(obj: JSONObject, generation: int) -> None:
    obj["metadata"].setdefault("annotations", {})[_GENERATION] = str(generation)


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


DAEMON_SETS = builtin(
    "apps/daemonsets",
    strategy=DaemonSetStrategy(),
    status_strategy=DaemonSetStatusStrategy,
    default=default_daemon_set,
    cells=daemon_set_cells,
)
