"""Whole collections, in pages. Kubernetes: cli-runtime/pkg/resource, Selector and EnhanceListError."""

from __future__ import annotations

from collections.abc import AsyncIterator

from localplane.apimachinery.errors import APIError, BadRequest, NotFound
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.light_typing import TYPE_CHECKING, Any
from localplane.client.statuses import Subject

from .info import Info

if TYPE_CHECKING:
    from kctl.session import Session
    from localplane.client.mapper import RESTMapping

    from .query import Query


async def pages(session: Session, mapping: RESTMapping, query: Query) -> AsyncIterator[Info]:
    """An Info for each page, its object the list or Table as it came."""
    namespace = "" if query.all_namespaces or not mapping.namespaced else session.namespace
    token = ""
    while True:
        parameters = {
            "continue": token,
            "fieldSelector": query.field_selector,
            "includeObject": "Object" if query.include_object else "",
            "labelSelector": query.label_selector,
            "limit": str(query.chunk_size) if query.chunk_size > 0 else "",
        }
        resource = mapping.resource
        try:
            answer = await session.client.request(
                "GET",
                _path(mapping, namespace),
                query=[(name, value) for name, value in parameters.items() if value],
                headers=[("Accept", query.accept)],
                subject=Subject("GET", resource.group_resource),
            )
        except APIError as error:
            raise _explained(error, mapping, query) from error
        page = _with_kinds(answer.json())
        yield Info(session, mapping, namespace=namespace, obj=page, accept=query.accept)
        token = str((page.get("metadata") or {}).get("continue") or "")
        if not token:
            return


def _path(mapping: RESTMapping, namespace: str) -> str:
    from kctl.errors import KctlError

    try:
        return mapping.resource.path(namespace=namespace)
    except ValueError as error:
        raise KctlError(str(error)) from error


def _with_kinds(page: dict[str, Any]) -> dict[str, Any]:
    """Items that leave out what their list says."""
    kind, items = str(page.get("kind", "")), page.get("items")
    if kind.endswith("List") and kind != "List" and isinstance(items, list):
        named = {"apiVersion": page.get("apiVersion"), "kind": kind.removesuffix("List")}
        page["items"] = [item if item.get("kind") else named | item for item in items]
    return page


def _explained(error: APIError, mapping: RESTMapping, query: Query) -> APIError:
    if not isinstance(error, (BadRequest, NotFound)):
        return error
    subject = go_quote(str(mapping.resource))
    if query.label_selector or query.field_selector:
        selectors = f"label selector {go_quote(query.label_selector)}, field selector {go_quote(query.field_selector)}"
        error.message = f"Unable to find {subject} that match {selectors}: {error.message}"
    else:
        error.message = f"Unable to list {subject}: {error.message}"
    error.args = (error.message,)
    return error
