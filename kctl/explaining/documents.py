"""The OpenAPI v3 document of a group's version, and the kind that a resource answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote

if TYPE_CHECKING:
    from kctl.session import Session
    from localplane.client.names import GroupVersionResource

Document = dict[str, Any]
_METHODS = ("get", "post", "put", "patch", "delete")


async def document_of(session: Session, resource: GroupVersionResource) -> Document:
    from urllib.parse import parse_qsl, urlsplit

    answer = await session.client.request("GET", "/openapi/v3", headers=[("Accept", "application/json")])
    paths = answer.json().get("paths") or {}
    path = f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"
    if path not in paths:
        raise KctlError(f"couldn't find resource for {go_quote(str(resource))}")
    where = urlsplit(paths[path].get("serverRelativeURL") or f"/openapi/v3/{path}")
    headers = [("Accept", "application/json")]
    found = await session.client.request("GET", where.path, query=parse_qsl(where.query), headers=headers)
    document: Document = found.json()
    return document


def kind_of(document: Document, resource: GroupVersionResource) -> dict[str, str]:
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


def schema_of(document: Document, kind: dict[str, str]) -> Document:
    schemas = (document.get("components") or {}).get("schemas") or {}
    for name in sorted(schemas):
        if kind in (schemas[name].get("x-kubernetes-group-version-kind") or ()):
            found: Document = schemas[name]
            return found
    shown = " ".join(f"{key}:{kind[key]}" for key in sorted(kind))
    raise KctlError(f"GVK map[{shown}] not found in OpenAPI schema")


def resolved(document: Document, schema: Document) -> Document:
    """What a reference leads to; anything else as it is."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    found: Any = document
    for step in reference[2:].split("/"):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else schema
