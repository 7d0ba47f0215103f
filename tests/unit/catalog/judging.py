"""What a kind has against an object, in the namespace that it has or without one."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.resource import Resource
from tests.unit.catalog import writing
from tests.unit.catalog.writing import REQUEST


def made(resource: Resource, obj: JSONObject) -> JSONObject:
    """An object as it would be stored."""
    stored = writing.created(resource, obj)
    if not resource.namespaced:
        del stored["metadata"]["namespace"]
    return stored


def refusals(resource: Resource, obj: JSONObject) -> list[str]:
    return [str(error) for error in resource.strategy.validate(REQUEST, made(resource, obj))]


def change_refusals(resource: Resource, old: JSONObject, new: JSONObject) -> list[str]:
    return writing.change_refusals(resource, made(resource, old), made(resource, new))


def status_refusals(resource: Resource, old: JSONObject, status: JSONObject) -> list[str]:
    return writing.status_refusals(resource, made(resource, old), status)
