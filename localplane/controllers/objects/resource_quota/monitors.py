"""Hearing of objects of the kinds that some quota limits. Kubernetes: resource_quota_monitor.go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, MetadataListWatch, Reflector, ReflectorOptions

_log = logging.getLogger(__name__)

_MEASURED: Final = tuple(GroupResource("", name) for name in ("pods", "services", "persistentvolumeclaims"))
"""What these use may change without their coming or going."""


class QuotaMonitors:
    """One watch for each kind, of metadata only, begun when it is first needed. `hear` is told the kind and the
    namespace."""

    def __init__(self, tasks: asyncio.TaskGroup, client: Client, hear: Callable[[GroupResource, str], None]) -> None:
        self._tasks = tasks
        self._client = client
        self._hear = hear
        self._running: set[GroupVersionResource] = set()

    def watch(self, resource: GroupVersionResource) -> None:
        if resource in self._running:
            return
        self._running.add(resource)
        options = ReflectorOptions(on_error=lambda error: _log.debug("%s can't be watched: %s", resource, error))
        source = MetadataListWatch(self._client.resource(resource))
        store = _Store(resource.group_resource, self._hear)
        self._tasks.create_task(Reflector(source, store, options).run())


class _Store:
    """Keeps nothing but the namespaces, for the day when a list replaces what was seen."""

    def __init__(self, resource: GroupResource, hear: Callable[[GroupResource, str], None]) -> None:
        self._resource = resource
        self._hear = hear
        self._namespaces: set[str] = set()

    def add(self, obj: JSONObject) -> None:
        self._tell(obj)

    def update(self, obj: JSONObject) -> None:
        if self._resource in _MEASURED:
            self._tell(obj)

    def delete(self, obj: JSONObject) -> None:
        self._tell(obj)

    def replacement(self) -> _Replacement:
        return _Replacement(self)

    def hear_of(self, namespaces: set[str]) -> None:
        """The end of a replacement that had objects in these."""
        before, self._namespaces = self._namespaces, namespaces
        for namespace in before | namespaces:
            self._hear(self._resource, namespace)

    def _tell(self, obj: JSONObject) -> None:
        namespace = obj["metadata"].get("namespace", "")
        self._namespaces.add(namespace)
        self._hear(self._resource, namespace)


class _Replacement:
    """See `client.list_watch.Replacement`."""

    def __init__(self, store: _Store) -> None:
        self._store = store
        self._namespaces: set[str] = set()

    def add(self, obj: JSONObject) -> None:
        self._namespaces.add(obj["metadata"].get("namespace", ""))

    def discard(self, obj: JSONObject) -> None:
        """Its namespace is counted again, and nothing worse."""

    def finish(self) -> None:
        self._store.hear_of(self._namespaces)
