"""Rules for the numbers that a controller writes into a status."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.values import not_negative

from .places import STATUS


def counter_errors(status: JSONObject, *names: str) -> Iterator[FieldError]:
    """None of these fields of a status is negative."""
    for name in names:
        yield from not_negative(status.get(name), STATUS / name)


def ready_errors(status: JSONObject, *names: str, ready: str) -> Iterator[FieldError]:
    """There are never more of any of these than of replicas, and never more available than ready; `ready` is what the
    kind calls them."""
    total = status.get("replicas") or 0
    for name in names:
        if (count := status.get(name) or 0) > total:
            yield invalid(STATUS / name, count, "cannot be greater than status.replicas")
    available = status.get("availableReplicas") or 0
    if available > (status.get("readyReplicas") or 0):
        yield invalid(STATUS / "availableReplicas", available, f"cannot be greater than {ready}")


def collision_errors(status: JSONObject, before: JSONObject) -> list[FieldError]:
    """The count of collisions only grows. Kubernetes: pkg/apis/core/validation, IsDecremented."""
    count, last = status.get("collisionCount"), before.get("collisionCount")
    if last is None or (count is not None and count >= last):
        return []
    return [invalid(STATUS / "collisionCount", count or 0, "cannot be decremented")]
