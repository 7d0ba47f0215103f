"""What /metrics says about the storage: how much there is, who watches, and how much of the past is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.server.exposition import Family
from localplane.apiserver.storage.cacher import Cacher


def storage_families(cacher: Cacher, definitions: Iterable[Definition]) -> Iterator[Family]:
    objects = Family("apiserver_storage_objects", "gauge", "Objects that are stored, by resource.")
    for definition in definitions:
        group, resource = definition.resource.group, definition.resource.resource
        objects.add(cacher.count(definition.prefix), group=group, resource=resource)
    yield objects
    for name, text, value in (
        ("apiserver_registered_watchers", "Watches that are open.", len(cacher.watchers)),
        ("watch_cache_capacity", "Events that the watch cache may hold.", cacher.window.capacity),
        ("apiserver_watch_cache_events", "Events that the watch cache holds.", len(cacher.window)),
        ("apiserver_watch_cache_objects", "Objects that the watch cache holds.", len(cacher.index)),
        ("apiserver_storage_discontinuities", "How often the store was another than before.", cacher.discontinuities),
        ("apiserver_watch_cache_resource_version", "How far the watch cache has come.", cacher.revision),
    ):
        family = Family(name, "gauge", text)
        family.add(value)
        yield family
