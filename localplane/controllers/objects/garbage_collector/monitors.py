"""One watch for each resource that there is, of metadata only. Kubernetes: the monitors of graph_builder.go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.groups import GroupResource, GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.client import (
    Client,
    Discovered,
    GroupVersionResource,
    MetadataListWatch,
    Reflector,
    ReflectorOptions,
)
from localplane.client.workqueue.supervision import Contained

from .builder import GraphBuilder
from .references import ObjectReference

_log = logging.getLogger(__name__)

_IGNORED: Final = (GroupResource("", "events"), GroupResource("events.k8s.io", "events"))
"""They own nothing, and are many."""

_DECLARATIONS: Final = (
    GroupResource("apiextensions.k8s.io", "customresourcedefinitions"),
    GroupResource("apiregistration.k8s.io", "apiservices"),
)
"""When one of these changes, there may be other resources."""


def collectable(discovered: Discovered) -> dict[GroupVersionResource, GroupVersionKind]:
    """The resources whose objects can be found, watched and deleted, each in its preferred version."""
    return {
        found.resource: found.resource.group_version.kind(found.kind.kind)
        for found in discovered.preferred_resources()
        if not found.is_subresource
        and {"delete", "list", "watch"} <= set(found.verbs)
        and found.resource.group_resource not in _IGNORED
    }


class GraphStore:
    """A reflector's store that keeps no objects: it knows which uids it has seen, and the graph knows the rest."""

    def __init__(self, kind: GroupVersionKind, graph: GraphBuilder, on_change: Callable[[], None] | None) -> None:
        self._api_version, self._kind = str(kind.group_version), kind.kind
        self._graph = graph
        self._on_change = on_change
        self._uids: set[str] = set()
        self._current: Mapping[str, Any] = {}
        self._contained = Contained(self._described)
        self.synced = asyncio.Event()

    def add(self, obj: JSONObject) -> None:
        self.observe(obj)
        self._tell()

    def update(self, obj: JSONObject) -> None:
        self.observe(obj)
        self._tell()

    def delete(self, obj: JSONObject) -> None:
        uid = obj["metadata"].get("uid", "")
        self._uids.discard(uid)
        self._graph.forget(uid)
        self._tell()

    def replacement(self) -> _Replacement:
        return _Replacement(self)

    def forget_others(self, uids: set[str]) -> None:
        """The end of a replacement that had these."""
        before, self._uids = self._uids, uids
        for uid in before - uids:
            self._graph.forget(uid)
        self.synced.set()
        self._tell()

    def observe(self, obj: JSONObject) -> str:
        """Its uid; empty if it has none."""
        metadata = obj["metadata"]
        uid = metadata.get("uid") or ""
        if not uid:
            return ""  # nobody can refer to it, and nobody may delete it
        self._current = metadata
        with self._contained:
            identity = ObjectReference.of(self._api_version, self._kind, metadata)
            self._uids.add(uid)
            self._graph.observe(identity, metadata)
        return str(uid)

    def _described(self) -> str:
        place = f"{self._current.get('namespace', '')}/{self._current.get('name', '')}"
        return f"looking at whom {self._kind} {place.removeprefix('/')} belongs to"

    def _tell(self) -> None:
        if self._on_change is not None:
            self._on_change()


class _Replacement:
    """See `client.list_watch.Replacement`."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._uids: set[str] = set()

    def add(self, obj: JSONObject) -> None:
        self._uids.add(self._store.observe(obj))

    def discard(self, obj: JSONObject) -> None:
        self._uids.discard(obj["metadata"].get("uid", ""))

    def finish(self) -> None:
        self._store.forget_others(self._uids)


@dataclass(frozen=True, slots=True)
class _Monitor:
    store: GraphStore
    task: asyncio.Task[None]


class Monitors:
    """`on_declaration` is called when there may be other resources than before."""

    def __init__(
        self,
        tasks: asyncio.TaskGroup,
        client: Client,
        graph: GraphBuilder,
        *,
        on_declaration: Callable[[], None],
    ) -> None:
        self._tasks = tasks
        self._client = client
        self._graph = graph
        self._on_declaration = on_declaration
        self._running: dict[GroupVersionResource, _Monitor] = {}

    def watch(self, wanted: Mapping[GroupVersionResource, GroupVersionKind], failing: Iterable[GroupVersion]) -> None:
        """All of these and no others; of versions that could not be asked, those that were watched before."""
        unknown = set(failing)
        gone = [one for one in self._running if one not in wanted and one.group_version not in unknown]
        new = [one for one in wanted if one not in self._running]
        for resource in gone:
            self._running.pop(resource).task.cancel()
        for resource in new:
            self._running[resource] = self._start(resource, wanted[resource])

    async def wait_for_sync(self) -> None:
        """Until everything that is watched now was seen once."""
        for monitor in list(self._running.values()):
            await monitor.store.synced.wait()

    def _start(self, resource: GroupVersionResource, kind: GroupVersionKind) -> _Monitor:
        declares = resource.group_resource in _DECLARATIONS
        store = GraphStore(kind, self._graph, self._on_declaration if declares else None)
        options = ReflectorOptions(on_error=lambda error: _log.debug("%s can't be watched: %s", resource, error))
        reflector = Reflector(MetadataListWatch(self._client.resource(resource)), store, options)
        return _Monitor(store, self._tasks.create_task(reflector.run()))
