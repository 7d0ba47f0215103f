"""How the objects of a run look over HTTP and in the store: keys, paths, and the one text that is an object's value."""

from __future__ import annotations

import json
from urllib.parse import urlencode

from localplane.apimachinery.objects import JSONObject
from tests.faults.history import Kind, Operation
from tests.faults.plane.connection import Request

VALUES, LISTS = "/configmaps/", "/serviceaccounts/"
"""Objects with one value, and objects with a list that can be appended to. Service accounts have one of texts that are
anybody's to choose, and nobody but the clients touches it."""

RESOURCES = (VALUES, LISTS)
_JSON_PATCH = "application/json-patch+json"


def value_of(obj: JSONObject) -> str:
    """As the history has it; what a controller made is known by its uid."""
    data = obj.get("data") or {}
    if "value" in data:
        return str(data["value"])
    if entries := obj.get("imagePullSecrets"):
        return ",".join(entry["name"] for entry in entries)
    return f"~{obj['metadata']['uid']}"


def key_of(obj: JSONObject, resource: str) -> str:
    metadata = obj["metadata"]
    return f"{resource}{metadata['namespace']}/{metadata['name']}"


def revision_of(obj: JSONObject) -> int:
    return int(obj["metadata"]["resourceVersion"])


def resource_of(key: str) -> str:
    return next(resource for resource in RESOURCES if key.startswith(resource))


def path_of(key: str, **parameters: str) -> str:
    """Of an object, or of all that a prefix covers: those of a namespace, or of all."""
    resource = resource_of(key)
    namespace, _, name = key.removeprefix(resource).partition("/")
    path = f"/api/v1/namespaces/{namespace}{resource}{name}" if namespace else f"/api/v1{resource}"
    query = f"?{urlencode(parameters)}" if parameters else ""
    return path.rstrip("/") + query


def request_of(operation: Operation) -> Request:
    key = operation.key
    match operation.kind:
        case Kind.CREATE:
            return Request("POST", path_of(key.rpartition("/")[0] + "/"), _encoded(_new_object(operation)))
        case Kind.UPDATE:
            return Request("PUT", path_of(key), _encoded(_next_version(operation)))
        case Kind.APPEND:
            patch = [{"op": "add", "path": "/imagePullSecrets/-", "value": {"name": operation.value}}]
            return Request("PATCH", path_of(key), _encoded(patch), _JSON_PATCH)
        case Kind.DELETE:
            expected = {"preconditions": {"resourceVersion": str(operation.expected)}}
            return Request("DELETE", path_of(key), _encoded({"kind": "DeleteOptions", "apiVersion": "v1", **expected}))
        case Kind.GET:
            return Request("GET", path_of(key, **_not_older_than(operation)))
        case Kind.LIST:
            match = {"resourceVersionMatch": "NotOlderThan"} if operation.not_older_than is not None else {}
            return Request("GET", path_of(key, **_not_older_than(operation), **match))


def namespace_request(name: str) -> Request:
    namespace = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name}}
    return Request("POST", "/api/v1/namespaces", _encoded(namespace))


def _new_object(operation: Operation) -> JSONObject:
    """A key that ends with a dash leaves the rest of the name to the server."""
    resource = resource_of(operation.key)
    name = operation.key.rpartition("/")[2]
    metadata = {"generateName" if name.endswith("-") else "name": name}
    if resource == LISTS:
        entries = [{"name": operation.value}]
        return {"kind": "ServiceAccount", "apiVersion": "v1", "metadata": metadata, "imagePullSecrets": entries}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"value": operation.value}}


def _next_version(operation: Operation) -> JSONObject:
    metadata = {"name": operation.key.rpartition("/")[2], "resourceVersion": str(operation.expected)}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"value": operation.value}}


def _not_older_than(operation: Operation) -> dict[str, str]:
    return {} if operation.not_older_than is None else {"resourceVersion": str(operation.not_older_than)}


def _encoded(document: object) -> bytes:
    return json.dumps(document).encode()
