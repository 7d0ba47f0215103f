"""Scales of other kinds than the controllers know: found by discovery, read and written as a Scale.

Kubernetes: client-go/scale, and pkg/controller/disruption (implementsScale).
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, DiscoveryMapper, GroupVersionResource

_SCALES: Final = frozenset({("autoscaling", "v1"), ("apps", "v1beta1"), ("apps", "v1beta2"), ("extensions", "v1beta1")})


class Scales:
    """Remembers where kinds are; a kind that is not known yet is looked for again."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._mapper = DiscoveryMapper(client.discovery())

    async def resource_of(self, api_version: str, kind: str) -> GroupVersionResource:
        """Raises NoMatch."""
        group, _, version = api_version.rpartition("/")
        return (await self._mapper.mapping(GroupKind(group, kind), version)).resource

    async def resource_of_kind(self, group: str, kind: str) -> GroupVersionResource:
        """In the version that the server prefers. Raises NoMatch."""
        return (await self._mapper.mapping(GroupKind(group, kind))).resource

    async def get(self, resource: GroupVersionResource, namespace: str, name: str) -> JSONObject:
        """Raises APIError."""
        return await self._client.resource(resource, namespace).get(name, subresource="scale")

    async def update(self, resource: GroupVersionResource, namespace: str, scale: JSONObject) -> JSONObject:
        """Raises APIError."""
        return await self._client.resource(resource, namespace).update(scale, subresource="scale")

    async def is_scalable(self, resource: GroupVersionResource) -> bool:
        """Whether the kind has a scale at all."""
        root = f"/apis/{resource.group}" if resource.group else "/api"
        try:
            document = (await self._client.request("GET", f"{root}/{resource.version}")).json()
        except NotFound:
            return False
        return any(
            each.get("name") == f"{resource.resource}/scale"
            and (each.get("group"), each.get("version")) in _SCALES
            and each.get("kind") == "Scale"
            for each in document.get("resources") or ()
        )
