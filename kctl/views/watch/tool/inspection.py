"""What is asked of the server about one object, or done to it when somebody has said yes.

All of these raise APIError, ClientError and KctlError, for the screen to say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from kctl.errors import KctlError
from kctl.objects.lookup import listable
from kctl.printers.objects import without_managed_fields
from kctl.session.session import Session
from kctl.streaming.pods import container_names, default_container, path_of
from kctl.views import history
from kctl.views.describe import kinds, page
from kctl.views.watch.sources import Source
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml
from localplane.client.informers.list_watch import METADATA_LIST
from localplane.client.rest import options
from localplane.client.rest.discovery import APIResource
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.resources import PatchType, ResourceClient
from localplane.client.rest.statuses import Subject

_TAIL = 1000
_AT_ONCE = 8
_CHUNK = 500


class Target(NamedTuple):
    """One object, by what a row knows of it."""

    source: Source
    namespace: str
    name: str
    uid: str

    @property
    def resource(self) -> GroupVersionResource:
        return self.source.mapping.resource


class Related(NamedTuple):
    """Another object, and which type to look for it in: `replicasets.apps`."""

    type: str
    namespace: str
    name: str
    label: str


class Inspection:
    def __init__(self, session: Session) -> None:
        self._session = session

    async def yaml(self, target: Target) -> str:
        return to_yaml(without_managed_fields(await self._get(target))).decode()

    async def description(self, target: Target) -> str:
        kind = target.source.mapping.kind
        written = page.Page()
        source = page.Source(self._session, with_events=True, chunk_size=_CHUNK)
        await kinds.describer_for(kind.group, kind.kind)(written, await self._get(target), source)
        return written.text

    async def events(self, target: Target) -> str:
        written = page.Page()
        source = page.Source(self._session, with_events=True, chunk_size=_CHUNK)
        page.events(written, await source.events(await self._get(target)) or [])
        return written.text

    async def history(self, target: Target) -> str:
        told = await history.revisions(self._session, target.resource, target.namespace, target.name)
        text = "".join(heading + changed for heading, changed in history.parts(told))
        return text or f"Nothing is known of it: the history of this plane reaches back to {history.reach(told)}."

    async def logs(self, target: Target, write: Callable[[str], None]) -> None:
        """The last lines, and those that come, until it is cancelled or the log ends."""
        if (target.resource.group, target.resource.resource) != ("", "pods"):
            raise KctlError("only pods have logs: w shows what this owns")
        pod = await self._get(target)
        container = default_container(pod) or next(
            one["name"] for one in (pod.get("spec") or {}).get("containers") or [{"name": ""}]
        )
        others = [name for name in container_names(pod) if name != container]
        if others:
            write(f"(container {container}; there are also {', '.join(others)})")
        query = (("container", container), ("follow", "true"), ("tailLines", str(_TAIL)))
        response = await self._session.client.stream("GET", path_of(pod, "log"), query=query, subject=Subject("GET"))
        rest = b""
        try:
            async for piece in response.chunks():
                *lines, rest = (rest + piece).split(b"\n")
                if lines:
                    write("\n".join(line.decode(errors="replace") for line in lines))
            if rest:
                write(rest.decode(errors="replace"))
            write("(the log has ended)")
        finally:
            await response.close()

    async def owners(self, metadata: JSONObject) -> list[Related]:
        related = []
        for reference in metadata.get("ownerReferences") or ():
            group, _, version = str(reference.get("apiVersion", "")).rpartition("/")
            kind = str(reference.get("kind", ""))
            mapping = await self._session.discovery.mapping(GroupKind(group, kind), version)
            namespace = str(metadata.get("namespace", "")) if mapping.namespaced else ""
            resource = str(mapping.resource.group_resource)
            name = str(reference.get("name", ""))
            related.append(Related(resource, namespace, name, f"{resource}/{name}"))
        return related

    async def owned(self, target: Target) -> list[Related]:
        """By looking through every kind that the server has, several at once."""
        types = await listable(self._session, cluster_wide=not target.namespace)
        limit = asyncio.Semaphore(_AT_ONCE)

        async def of(one: APIResource) -> list[Related]:
            async with limit:
                try:
                    return await self._owned_of(one, target)
                except APIError:
                    return []  # what may not be listed is nothing to go to

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(of(one)) for one in types]
        return [related for task in tasks for related in task.result()]

    async def _owned_of(self, one: APIResource, target: Target) -> list[Related]:
        client = self._session.client.resource(one.resource, target.namespace if one.namespaced else "")
        related, token = [], ""
        resource = str(one.resource.group_resource)
        while True:
            query = options.ListOptions(limit=_CHUNK, continue_token=token)
            found = await client.list(query, accept=f"{METADATA_LIST},application/json")
            for item in found.get("items") or ():
                metadata = item.get("metadata") or {}
                if any(owner.get("uid") == target.uid for owner in metadata.get("ownerReferences") or ()):
                    name = str(metadata.get("name", ""))
                    related.append(Related(resource, str(metadata.get("namespace", "")), name, f"{resource}/{name}"))
            token = str((found.get("metadata") or {}).get("continue") or "")
            if not token:
                return related

    async def replicas(self, target: Target) -> int:
        """How many are wanted now. What can't be scaled has no such number."""
        try:
            scale = await self._client(target).get(target.name, subresource="scale")
        except APIError as error:
            if error.code in (404, 405):
                raise KctlError(f"{target.source.kind}/{target.name} can't be scaled") from error
            raise
        return int((scale.get("spec") or {}).get("replicas") or 0)

    async def scale(self, target: Target, replicas: int) -> None:
        patch = {"spec": {"replicas": replicas}}
        await self._client(target).patch(target.name, patch, PatchType.MERGE, subresource="scale")

    async def delete(self, target: Target) -> None:
        """That very object: one that was made anew under its name meanwhile stays."""
        await self._client(target).delete(target.name, uid=target.uid)

    async def namespaces(self) -> list[str]:
        client = self._session.client.resource(GroupVersionResource("", "v1", "namespaces"))
        listed = await client.list(accept=f"{METADATA_LIST},application/json")
        return sorted(str(item["metadata"]["name"]) for item in listed.get("items") or ())

    async def kinds(self) -> list[APIResource]:
        return await listable(self._session, cluster_wide=True, verb="watch")

    def _client(self, target: Target) -> ResourceClient:
        return self._session.client.resource(target.resource, target.namespace)

    async def _get(self, target: Target) -> JSONObject:
        return await self._client(target).get(target.name)
