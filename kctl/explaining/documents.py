"""The OpenAPI v3 document of a group's version, and the kind that a resource answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.session import Session
    from localplane.client.names import GroupVersionResource

_METHODS = ("get", "post", "put", "patch", "delete")


async def swagger(session: Session) -> JSONObject:
    """The OpenAPI v2 document: all groups in one."""
    answer = await session.client.request("GET", "/openapi/v2", headers=[("Accept", "application/json")])
    document: JSONObject = answer.json()
    return document


async def paths_of(session: Session) -> dict[str, Any]:
    """Which documents there are, and where."""
    answer = await session.client.request("GET", "/openapi/v3", headers=[("Accept", "application/json")])
    paths: dict[str, Any] = answer.json().get("paths") or {}
    return paths


async def document_at(session: Session, paths: dict[str, Any], resource: GroupVersionResource) -> JSONObject:
    from urllib.parse import parse_qsl, urlsplit

    path = f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"
    if path not in paths:
        raise KctlError(f"couldn't find resource for {go_quote(str(resource))}")
    where = urlsplit(paths[path].get("serverRelativeURL") or f"/openapi/v3/{path}")
    headers = [("Accept", "application/json")]
    found = await session.client.request("GET", where.path, query=parse_qsl(where.query), headers=headers)
    document: JSONObject = found.json()
    return document


def kind_of(document: JSONObject, resource: GroupVersionResource) -> dict[str, str]:
    """The group, version and kind that the operations on the resource name. Raises KctlError if none does."""
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    plain = f"{root}/{resource.resource}"
    namespaced = f"{root}/namespaces/{{namespace}}/{resource.resource}"
    paths = document.get("paths") or {}
    for path in (plain, f"{plain}/{{name}}", namespaced, f"{namespaced}/{{name}}"):
        for method in _METHODS:
            if kind := ((paths.get(path) or {}).get(method) or {}).get("x-kubernetes-group-version-kind"):
                return dict(kind)
    raise KctlError(f"GVR ({resource}) not found in OpenAPI schema")


def schema_of(document: JSONObject, kind: dict[str, str]) -> JSONObject:
    schemas = (document.get("components") or {}).get("schemas") or {}
    for name in sorted(schemas):
        if kind in (schemas[name].get("x-kubernetes-group-version-kind") or ()):
            found: JSONObject = schemas[name]
            return found
    shown = " ".join(f"{key}:{kind[key]}" for key in sorted(kind))
    raise KctlError(f"GVK map[{shown}] not found in OpenAPI schema")


def field_names(document: JSONObject, schema: JSONObject, path: tuple[str, ...]) -> list[str]:
    """The fields below a path; none if there is no such path."""
    found = _with_fields(document, schema)
    for name in path:
        found = _with_fields(document, (found.get("properties") or {}).get(name) or {})
    return sorted(found.get("properties") or {})


def _with_fields(document: JSONObject, schema: JSONObject) -> JSONObject:
    """What a schema, its items or its values have fields in."""
    found = resolved(document, schema)
    while not found.get("properties"):
        parts = [found.get("items"), found.get("additionalProperties"), *(found.get("allOf") or ())]
        inner = next((part for part in parts if isinstance(part, dict)), None)
        if inner is None:
            break
        found = resolved(document, inner)
    return found


def resolved(document: JSONObject, schema: JSONObject) -> JSONObject:
    """What a reference leads to; anything else as it is."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    found: Any = document
    for step in reference[2:].split("/"):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else schema
