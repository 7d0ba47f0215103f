"""Types, names, namespaces and contexts. Whoever waits for a completion does not wait long, and wants no errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.errors import KctlError

if TYPE_CHECKING:
    from kctl.session import Session

_METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
_MOST = 500


def _expected() -> tuple[type[Exception], ...]:
    from localplane.apimachinery.errors import APIError
    from localplane.client.errors import ClientError

    return APIError, ClientError, KctlError


async def types(session: Session) -> list[str]:
    """By their plural names; those of groups with it, where the name alone means another."""
    try:
        discovered = await session.discovery.discover()
    except _expected():
        return []
    found: dict[str, str] = {}
    for one in discovered.resources():
        if one.is_subresource or "list" not in one.verbs:
            continue
        name, group = one.resource.resource, one.resource.group
        known = found.setdefault(name, group)
        if known != group:
            found[f"{name}.{group}"] = group
    return sorted(found)


async def names(session: Session, type_name: str) -> list[str]:
    from localplane.client.options import ListOptions

    try:
        mapping = await session.discovery.mapping_for(type_name)
        namespace = session.namespace if mapping.namespaced else ""
        resource = session.client.resource(mapping.resource, namespace)
        listed = await resource.list(ListOptions(limit=_MOST), accept=_METADATA)
    except _expected():
        return []
    return [str(item["metadata"]["name"]) for item in listed.get("items") or ()]


def contexts(session: Session, what: str = "contexts") -> list[str]:
    """Or clusters, or users, of the kubeconfig."""
    try:
        return sorted(getattr(session.kubeconfig, what))
    except _expected():
        return []
