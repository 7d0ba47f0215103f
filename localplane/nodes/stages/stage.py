"""A Stage as it was read: whom it selects, after how long, how likely, and what it does.

Kubernetes SIGs: kwok, pkg/utils/lifecycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from localplane.apimachinery.golang.template import Template, TemplateSyntaxError
from localplane.apimachinery.times import InvalidDuration, InvalidTime, parse_duration, parse_time

from . import queries
from .templates import template

Object = Mapping[str, Any]
KINDS: Final = ("Pod", "Node")
_PATCH_TYPES: Final = ("", "json", "merge", "strategic")
_SPEC_FIELDS: Final = frozenset(
    {"resourceRef", "selector", "weight", "weightFrom", "delay", "next", "immediateNextStage", "steps"}
)


class InvalidStage(ValueError):
    """What is not understood of a Stage, in one sentence."""


@dataclass(frozen=True, slots=True)
class StageRequirement:
    query: queries.StageQuery
    operator: str
    values: tuple[str, ...]

    def matches(self, obj: Object) -> bool:
        found = self.query.values(obj)
        match self.operator:
            case "In":
                return self._has_one(found)
            case "NotIn":
                return not self._has_one(found)
            case "Exists":
                return bool(found)
            case _:
                return not found

    def _has_one(self, found: list[Any]) -> bool:
        texts = (str(value).lower() if isinstance(value, bool) else str(value) for value in found)
        return any(text in self.values for text in texts)


@dataclass(frozen=True, slots=True)
class Patch:
    template: Template
    root: str
    subresource: str
    type: str


@dataclass(frozen=True, slots=True)
class StageStep:
    """One of these, or several: they are done in this order."""

    event: Object | None = None
    finalizers: Object | None = None
    deletes: bool = False
    patch: Patch | None = None


@dataclass(frozen=True, slots=True)
class _Number:
    """A value that the object may tell itself."""

    value: float | None
    query: queries.StageQuery | None


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    kind: str
    requirements: tuple[StageRequirement, ...]
    labels: Object
    annotations: Object
    steps: tuple[StageStep, ...]
    weight_from: _Number
    duration: _Number
    jitter: _Number

    def matches(self, obj: Object) -> bool:
        metadata = obj["metadata"]
        for wanted, field in ((self.labels, "labels"), (self.annotations, "annotations")):
            given = metadata.get(field) or {}
            if any(given.get(key) != value for key, value in wanted.items()):
                return False
        return all(requirement.matches(obj) for requirement in self.requirements)

    def weight(self, obj: Object) -> int:
        told = self.weight_from.query.values(obj) if self.weight_from.query else []
        if told and str(told[0]).isdecimal():
            return int(str(told[0])[:9])
        return int(self.weight_from.value or 0)

    def delay(self, obj: Object, dice: Random, now: float) -> float:
        """Seconds, somewhere between the duration and the jitter."""
        least = _seconds(self.duration, obj, now) or 0.0
        most = _seconds(self.jitter, obj, now)
        if most is None:
            return max(0.0, least)
        return max(0.0, most if most <= least else dice.uniform(least, most))


def _seconds(number: _Number, obj: Object, now: float) -> float | None:
    told = number.query.values(obj) if number.query else []
    if told and isinstance(told[0], str):
        try:
            return parse_time(told[0]).timestamp() - now
        except InvalidTime:
            pass
        try:
            return parse_duration(told[0]).total_seconds()
        except InvalidDuration:
            pass
    return number.value


def choose(stages: list[Stage], obj: Object, dice: Random) -> Stage:
    """One of those that match, by their weights; without any, all are as likely."""
    weights = [stage.weight(obj) for stage in stages]
    return dice.choices(stages, weights)[0] if any(weights) else dice.choice(stages)


def read(obj: Object) -> Stage:
    """Raises InvalidStage."""
    spec = obj.get("spec") or {}
    try:
        return _Reader(obj["metadata"]["name"], spec).stage()
    except (queries.InvalidQuery, TemplateSyntaxError) as error:
        raise InvalidStage(str(error)) from error


class _Reader:
    def __init__(self, name: str, spec: Object) -> None:
        self._name = name
        self._spec = spec

    def stage(self) -> Stage:
        if unknown := sorted(set(self._spec) - _SPEC_FIELDS):
            raise InvalidStage(f"spec.{unknown[0]} is not understood")
        kind = (self._spec.get("resourceRef") or {}).get("kind", "")
        if kind not in KINDS:
            raise InvalidStage(f"only stages of Pods and Nodes are understood, not of {kind}")
        selector = self._spec.get("selector")
        if selector is None:
            raise InvalidStage("a stage without a selector selects nothing")
        delay = self._spec.get("delay") or {}
        return Stage(
            name=self._name,
            kind=kind,
            requirements=tuple(map(_requirement, selector.get("matchExpressions") or ())),
            labels=selector.get("matchLabels") or {},
            annotations=selector.get("matchAnnotations") or {},
            steps=tuple(self._steps()),
            weight_from=_Number(self._spec.get("weight"), _query(self._spec.get("weightFrom"))),
            duration=_Number(_milliseconds(delay, "duration"), _query(delay.get("durationFrom"))),
            jitter=_Number(_milliseconds(delay, "jitterDuration"), _query(delay.get("jitterDurationFrom"))),
        )

    def _steps(self) -> Iterator[StageStep]:
        said = self._spec.get("next") or {}
        if said.get("statusPatchAs"):
            raise InvalidStage("statusPatchAs is not understood: everything is written by the simulated kubelet")
        if said:
            patches = [self._patch(each) for each in said.get("patches") or ()]
            if said.get("statusTemplate"):
                subresource = said.get("statusSubresource") or "status"
                patches.append(Patch(template(said["statusTemplate"]), "status", subresource, ""))
            yield StageStep(said.get("event"), said.get("finalizers"), bool(said.get("delete")))
            yield from (StageStep(patch=patch) for patch in patches)
        for each in self._spec.get("steps") or ():
            if each.get("apply"):
                raise InvalidStage("a step that applies another object is not understood")
            patch = self._patch(each["patch"]) if each.get("patch") else None
            yield StageStep(each.get("event"), each.get("finalizers"), bool(each.get("delete")), patch)

    @staticmethod
    def _patch(said: Object) -> Patch:
        if said.get("impersonation"):
            raise InvalidStage("impersonation is not understood: everything is written by the simulated kubelet")
        kind = said.get("type") or ""
        if kind not in _PATCH_TYPES:
            raise InvalidStage(f"patches of type {kind} are not understood")
        return Patch(template(said.get("template", "")), said.get("root", ""), said.get("subresource", ""), kind)


def _requirement(said: Object) -> StageRequirement:
    if said.get("cel"):
        raise InvalidStage("expressions in CEL are not understood")
    said = said.get("jq") or said
    operator, values = said.get("operator", ""), tuple(said.get("values") or ())
    if operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
        raise InvalidStage(f"the operator {operator} is not understood")
    return StageRequirement(queries.parse(said.get("key", "")), operator, values)


def _query(said: Object | None) -> queries.StageQuery | None:
    if said is None:
        return None
    if said.get("cel"):
        raise InvalidStage("expressions in CEL are not understood")
    text = (said.get("jq") or {}).get("expression") or said.get("expressionFrom") or ""
    return queries.parse(text) if text else None


def _milliseconds(delay: Object, name: str) -> float | None:
    value = delay.get(f"{name}Milliseconds")
    return None if value is None else float(value) / 1000
