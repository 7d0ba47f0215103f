"""How many pods a deployment may have, and how many of them must be available, while it moves.

Kubernetes: pkg/controller/deployment/util (MaxSurge, MaxUnavailable, ResolveFenceposts, NewRSNewReplicas) and
apimachinery/pkg/util/intstr, GetScaledValueFromIntOrPercent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def replicas(obj: Mapping[str, Any]) -> int:
    """What a deployment or replica set asks for."""
    return int(obj["spec"].get("replicas", 1))


def total(replica_sets: Iterable[Mapping[str, Any]]) -> int:
    return sum(map(replicas, replica_sets))


def told(replica_sets: Iterable[Mapping[str, Any]], field: str) -> int:
    """The sum of a number in the status of replica sets."""
    return sum((replica_set.get("status") or {}).get(field) or 0 for replica_set in replica_sets)


def is_rolling(deployment: Mapping[str, Any]) -> bool:
    return bool(_strategy(deployment).get("type") == "RollingUpdate")


def max_surge(deployment: Mapping[str, Any]) -> int:
    """How many pods there may be beyond those that are asked for."""
    if not is_rolling(deployment):
        return 0
    rolling = _strategy(deployment).get("rollingUpdate") or {}
    return scaled(rolling.get("maxSurge", 0), replicas(deployment), round_up=True)


def max_unavailable(deployment: Mapping[str, Any]) -> int:
    """How many of the pods that are asked for may be missing. If nothing could ever move, one may."""
    desired = replicas(deployment)
    if not is_rolling(deployment) or not desired:
        return 0
    rolling = _strategy(deployment).get("rollingUpdate") or {}
    unavailable = scaled(rolling.get("maxUnavailable", 0), desired, round_up=False)
    if not unavailable and not max_surge(deployment):
        unavailable = 1
    return min(unavailable, desired)


def max_replicas(deployment: Mapping[str, Any]) -> int:
    return replicas(deployment) + max_surge(deployment)


def new_size(deployment: Mapping[str, Any], others: int, size: int) -> int:
    """What the new replica set may grow to from `size`, where all others ask for so many pods."""
    desired = replicas(deployment)
    if not is_rolling(deployment):
        return desired
    room = max_replicas(deployment) - others - size
    return size if room <= 0 else size + min(room, desired - size)


def scaled(value: int | str, whole: int, *, round_up: bool) -> int:
    """A number, or that share of the whole. What the API would refuse counts as nothing."""
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    if digits == value or not digits.isdecimal() or not digits.isascii():
        return 0
    hundredfold = int(digits) * whole
    return -(-hundredfold // 100) if round_up else hundredfold // 100


def _strategy(deployment: Mapping[str, Any]) -> Mapping[str, Any]:
    strategy: Mapping[str, Any] = deployment["spec"].get("strategy") or {}
    return strategy
