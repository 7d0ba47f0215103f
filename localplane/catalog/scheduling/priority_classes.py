"""PriorityClasses: names for numbers that say which pod goes first.

Kubernetes: pkg/registry/scheduling/priorityclass and pkg/apis/scheduling (v1/helpers.go, validation).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.scheduling import preemption_policy_errors
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import All, Changes, Fields, Immutable

HIGHEST_OF_USERS = 1_000_000_000
SYSTEM_CLASSES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_SYSTEM = "system-"


def _value_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    name, value = obj["metadata"].get("name", ""), obj.get("value") or 0
    if name.startswith(_SYSTEM):
        if why := _not_of_the_system(name, value, is_default=bool(obj.get("globalDefault"))):
            reserved = f"priority class names with '{_SYSTEM}' prefix are reserved for system use only. error: {why}"
            yield forbidden(path / "metadata" / "name", reserved)
    elif value > HIGHEST_OF_USERS:
        yield forbidden(path / "value", f"maximum allowed value of a user defined priority is {HIGHEST_OF_USERS}")


def _same_value(obj: JSONObject, old: JSONObject, path: Path) -> Iterator[FieldError]:
    if (obj.get("value") or 0) != (old.get("value") or 0):
        yield forbidden(path / "value", "may not be changed in an update.")


class PriorityClassStrategy(BuiltinStrategy):
    """The generation is 1 and stays so, whatever changes."""

    allow_unconditional_update = True
    tracks_generation = False
    rules = All(_value_errors, Fields(preemptionPolicy=preemption_policy_errors))
    changes = Changes(_same_value, Immutable("preemptionPolicy"))
    on_update = (Asked.METADATA, Asked.CHANGES)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        obj["metadata"]["generation"] = 1


def _not_of_the_system(name: str, value: int, *, is_default: bool) -> str:
    """Why this is not the system's class of that name, or nothing."""
    if name not in SYSTEM_CLASSES:
        return f"{name} is not a known system priority class"
    if value != SYSTEM_CLASSES[name]:
        return f"value of {name} PriorityClass must be {SYSTEM_CLASSES[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""


def default_priority_class(obj: JSONObject) -> None:
    if obj.get("preemptionPolicy") is None:
        obj["preemptionPolicy"] = "PreemptLowerPriority"


def priority_class_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [
        metadata.get("name", ""),
        obj.get("value") or 0,
        bool(obj.get("globalDefault")),
        age(metadata.get("creationTimestamp")),
        obj.get("preemptionPolicy") or "",
    ]


PRIORITY_CLASSES = builtin(
    "scheduling.k8s.io/priorityclasses",
    strategy=PriorityClassStrategy(),
    default=default_priority_class,
    cells=priority_class_cells,
)
