"""The objects that the contract is told with: small pods, what is done to them, and selectors over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.interface import ListOptions, Match, Predicate, Storage, UpdateFunc, UpdateOptions
from localplane.apiserver.storage.objects import StoredObject


def pod(
    name: str,
    namespace: str = "test-ns",
    *,
    node: str = "",
    phase: str = "",
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    uid: str = "",
) -> JSONObject:
    metadata: JSONObject = {"name": name, "namespace": namespace, "uid": uid}
    metadata |= {"labels": labels or {}, "annotations": annotations or {}}
    obj: JSONObject = {"kind": "Pod", "apiVersion": "v1"}
    obj["metadata"] = {field: value for field, value in metadata.items() if value}
    if node:
        obj["spec"] = {"nodeName": node}
    if phase:
        obj["status"] = {"phase": phase}
    return obj


def key_of(obj: JSONObject) -> str:
    """Where a pod lives; one without a namespace lives as an object of a cluster-scoped resource would."""
    metadata = obj["metadata"]
    return "/pods/" + "/".join(part for part in (metadata.get("namespace"), metadata["name"]) if part)


async def create(storage: Storage, obj: JSONObject) -> StoredObject:
    return await storage.create(key_of(obj), obj)


async def write(storage: Storage, obj: JSONObject) -> StoredObject:
    """Create the object or put it in the place of what is there."""
    return await storage.guaranteed_update(key_of(obj), replaced_by(obj), UpdateOptions(ignore_not_found=True))


def replaced_by(obj: JSONObject) -> UpdateFunc:
    async def update(_: JSONObject) -> JSONObject:
        return obj

    return update


def with_metadata(**fields: Any) -> UpdateFunc:
    async def update(current: JSONObject) -> JSONObject:
        current["metadata"] |= fields
        return current

    return update


async def unchanged(current: JSONObject) -> JSONObject:
    return current


async def list_names(storage: Storage, key: str = "/pods/", options: ListOptions | None = None) -> list[str]:
    answer = await storage.list(key, options or ListOptions())
    return [name_of(item) for item in answer.items]


def name_of(obj: StoredObject) -> str:
    return str(obj.decode()["metadata"]["name"])


def exactly(revision: int | str, **options: Any) -> ListOptions:
    return ListOptions(resource_version=str(revision), match=Match.EXACT, **options)


def not_older_than(revision: int | str, **options: Any) -> ListOptions:
    return ListOptions(resource_version=str(revision), match=Match.NOT_OLDER_THAN, **options)


def selecting(terms: str) -> Predicate | None:
    """`metadata.name=a,spec.nodeName!=b` as a predicate; an empty selector is no predicate at all."""
    if not terms:
        return None
    checks = [_term(term) for term in terms.split(",")]

    def predicate(obj: StoredObject) -> bool:
        fields = obj.decode()
        return all(check(fields) for check in checks)

    return predicate


def _term(term: str) -> Callable[[JSONObject], bool]:
    path, wanted = term.split("=", 1)
    if path.endswith("!"):
        return lambda obj: _field(obj, path[:-1]) != wanted
    return lambda obj: _field(obj, path) == wanted


def _field(obj: JSONObject, path: str) -> str:
    parent, name = path.split(".")
    return str(obj.get(parent, {}).get(name, ""))


def labelled(name: str, value: str) -> Predicate:
    def predicate(obj: StoredObject) -> bool:
        return obj.labels.get(name) == value

    return predicate
