"""Objects as a request writes them, without a server: defaults, preparation, rules."""

from __future__ import annotations

from typing import Any, cast

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.request import Request
from localplane.apiserver.resource import Resource

REQUEST = cast("Request", None)
"""The kinds in question never look at it."""

UID = "0c9c6a0b-0000-4000-8000-000000000000"


def created(resource: Resource, obj: JSONObject, version: str = "") -> JSONObject:
    """An object as it would be stored."""
    stored: JSONObject = copied(obj)
    stored.setdefault("metadata", {}).update(
        {"namespace": "default", "uid": UID, "generation": 1, "resourceVersion": "1"}
    )
    stored["metadata"].setdefault("name", "x")
    declared = next(each for each in resource.versions if each.name == version or not version)
    if declared.default is not None:
        declared.default(stored)
    if declared.to_hub is not None:
        stored = declared.to_hub(stored)
    resource.strategy.prepare_for_create(REQUEST, stored)
    return stored


def refusals(resource: Resource, obj: JSONObject) -> list[str]:
    """What is wrong with a new object."""
    return _texts(resource.strategy.validate(REQUEST, created(resource, obj)))


def change_refusals(resource: Resource, old: JSONObject, new: JSONObject) -> list[str]:
    """What is wrong with a change of a stored object."""
    changed: JSONObject = copied(new)
    resource.strategy.prepare_for_update(REQUEST, changed, old)
    return _texts(resource.strategy.validate_update(REQUEST, changed, old))


def status_refusals(resource: Resource, old: JSONObject, status: JSONObject) -> list[str]:
    strategy = resource.status_strategy
    assert strategy is not None
    changed: JSONObject = copied(old) | {"status": status}
    strategy.prepare_for_update(REQUEST, changed, old)
    return _texts(strategy.validate_update(REQUEST, changed, old))


def _texts(errors: Any) -> list[str]:
    found: list[FieldError] = list(errors)
    return [str(error) for error in found]
