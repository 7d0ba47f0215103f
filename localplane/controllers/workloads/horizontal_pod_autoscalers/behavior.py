"""How fast an autoscaler may change its target: limits, policies and stabilization windows.

Kubernetes: pkg/controller/podautoscaler/horizontal.go (normalizeDesiredReplicas, ...WithBehaviors).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

Object = Mapping[str, Any]

_UP_FACTOR: Final = 2
_UP_MINIMUM: Final = 4
_MOST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Said:
    """A reason and a message, as conditions have them."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Paced:
    """`able` is about waiting, and `limited` about bounds, which held if `is_limited`."""

    replicas: int
    able: Said
    limited: Said
    is_limited: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    current: int
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class _At:
    moment: datetime
    replicas: int


@dataclass(slots=True)
class _Past:
    recommendations: list[_At] = field(default_factory=list)
    ups: list[_At] = field(default_factory=list)
    downs: list[_At] = field(default_factory=list)


_READY: Final = Said("ReadyForNewScale", "recommended size matches current size")
_UP_STABILIZED: Final = Said(
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
_DOWN_STABILIZED: Final = Said(
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
)
_WITHIN: Final = Said("DesiredWithinRange", "the desired count is within the acceptable range")
_TOO_MANY: Final = Said("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_TOO_FEW: Final = Said("TooFewReplicas", "the desired replica count is less than the minimum replica count")
_TOO_FAST_UP: Final = Said("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
_TOO_FAST_DOWN: Final = Said(
    "ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate"
)


class Pacing:
    """Remembers, by the keys of autoscalers, what was recommended and what was done. `downscale_window` is how long a
    recommendation keeps pods from going if the autoscaler says nothing about it."""

    def __init__(self, downscale_window: timedelta, clock: Callable[[], datetime]) -> None:
        self._downscale_window = downscale_window
        self._clock = clock
        self._past: dict[str, _Past] = {}

    def begin(self, key: str, replicas: int) -> None:
        """What there is when an autoscaler is first seen counts as a recommendation."""
        past = self._past.setdefault(key, _Past())
        if not past.recommendations:
            past.recommendations.append(_At(self._clock(), replicas))

    def forget(self, key: str) -> None:
        self._past.pop(key, None)

    def paced(self, key: str, desired: int, bounds: Bounds, behavior: Object | None) -> Paced:
        if behavior is None:
            stable, able = self._stabilized_down(key, desired)
            replicas, limited = _within(stable, bounds)
        else:
            up, down = behavior.get("scaleUp") or {}, behavior.get("scaleDown") or {}
            stable, able = self._stabilized(key, desired, bounds.current, up, down)
            replicas, limited = self._at_rate(key, stable, bounds, up, down)
        return Paced(replicas, able, limited, is_limited=replicas != stable)

    def scaled(self, key: str, before: int, after: int, behavior: Object | None) -> None:
        """It was done; policies count it."""
        if behavior is None:
            return
        past, moment = self._past.setdefault(key, _Past()), self._clock()
        rules = behavior.get("scaleUp" if after > before else "scaleDown") or {}
        longest = max((policy["periodSeconds"] for policy in rules.get("policies") or ()), default=0)
        events = past.ups if after > before else past.downs
        events[:] = [each for each in events if each.moment >= moment - timedelta(seconds=longest)]
        events.append(_At(moment, abs(after - before)))

    def _stabilized_down(self, key: str, desired: int) -> tuple[int, Said]:
        """No lower than any recent recommendation."""
        past, moment = self._past.setdefault(key, _Past()), self._clock()
        recent = [each for each in past.recommendations if each.moment >= moment - self._downscale_window]
        highest = max((desired, *(each.replicas for each in recent)))
        past.recommendations = [*recent, _At(moment, desired)]
        return highest, _READY if highest == desired else _DOWN_STABILIZED

    def _stabilized(self, key: str, desired: int, current: int, up: Object, down: Object) -> tuple[int, Said]:
        past, moment = self._past.setdefault(key, _Past()), self._clock()
        window = down.get("stabilizationWindowSeconds")
        up_since = moment - timedelta(seconds=up.get("stabilizationWindowSeconds") or 0)
        down_since = moment - (self._downscale_window if window is None else timedelta(seconds=window))
        lowest = min((desired, *(each.replicas for each in past.recommendations if each.moment > up_since)))
        highest = max((desired, *(each.replicas for each in past.recommendations if each.moment > down_since)))
        stable = min(max(current, lowest), highest)
        oldest = min(up_since, down_since)
        recent = [each for each in past.recommendations if each.moment >= oldest]
        past.recommendations = [*recent, _At(moment, desired)]
        if stable == desired:
            return stable, _READY
        return stable, _UP_STABILIZED if desired >= current else _DOWN_STABILIZED

    def _at_rate(self, key: str, desired: int, bounds: Bounds, up: Object, down: Object) -> tuple[int, Said]:
        past = self._past.setdefault(key, _Past())
        if desired > bounds.current:
            limit = max(bounds.current, self._up_limit(past, bounds.current, up))
            most, why = (limit, _TOO_FAST_UP) if bounds.maximum > limit else (bounds.maximum, _TOO_MANY)
            return (most, why) if desired > most else (desired, _WITHIN)
        if desired < bounds.current:
            limit = min(bounds.current, self._down_limit(past, bounds.current, down))
            least, why = (limit, _TOO_FAST_DOWN) if bounds.minimum < limit else (bounds.minimum, _TOO_FEW)
            return (least, why) if desired < least else (desired, _WITHIN)
        return desired, _WITHIN

    def _up_limit(self, past: _Past, current: int, rules: Object) -> int:
        def proposed(policy: Object, start: int) -> int:
            if policy["type"] == "Pods":
                return start + int(policy["value"])
            return math.ceil(start * (1 + int(policy["value"]) / 100))  # or it might never grow

        limits = self._limits(past, current, rules, proposed)
        select = rules.get("selectPolicy")
        if select == "Disabled":
            return current
        return min(limits, default=_MOST) if select == "Min" else max(limits, default=-_MOST)

    def _down_limit(self, past: _Past, current: int, rules: Object) -> int:
        def proposed(policy: Object, start: int) -> int:
            if policy["type"] == "Pods":
                return start - int(policy["value"])
            return int(start * (1 - int(policy["value"]) / 100))

        limits = self._limits(past, current, rules, proposed)
        select = rules.get("selectPolicy")
        if select == "Disabled":
            return current
        return max(limits, default=-_MOST) if select == "Min" else min(limits, default=_MOST)

    def _limits(self, past: _Past, current: int, rules: Object, proposed: Callable[[Object, int], int]) -> list[int]:
        """What each policy allows, from what there was when its period began."""
        limits, moment = [], self._clock()
        for policy in rules.get("policies") or ():
            since = moment - timedelta(seconds=policy["periodSeconds"])
            start = current - _sum(past.ups, since) + _sum(past.downs, since)
            limits.append(proposed(policy, start))
        return limits


def _sum(events: list[_At], since: datetime) -> int:
    return sum(each.replicas for each in events if each.moment > since)


def _within(desired: int, bounds: Bounds) -> tuple[int, Said]:
    """Without a behavior: at most twice as many at once, but four in any case."""
    limit = max(_UP_FACTOR * bounds.current, _UP_MINIMUM)
    most, why = (limit, _TOO_FAST_UP) if bounds.maximum > limit else (bounds.maximum, _TOO_MANY)
    if desired < bounds.minimum:
        return bounds.minimum, _TOO_FEW
    if desired > most:
        return most, why
    return desired, _WITHIN
