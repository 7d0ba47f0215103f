"""Where a reflector's objects are, and where they go."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol

from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.options import ListOptions
from localplane.client.rest.resources import ResourceClient
from localplane.client.rest.watch import WatchStream

METADATA: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
"""As `accept` of a ResourceClient: of each object only its metadata."""
METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""The same for lists."""


class ListerWatcher(Protocol):
    """The objects' source; a ResourceClient is one."""

    async def list(self, options: ListOptions) -> JSONObject: ...
    def watch(self, options: ListOptions) -> WatchStream: ...


class Replacement(Protocol):
    """All objects that there are, one after the other as they come, so that nobody has to hold them all. Whatever else
    the store knows was deleted while nobody watched: it goes when the replacement is finished, and if it never is,
    nothing goes. Nothing else is asked of the store meanwhile."""

    def add(self, obj: JSONObject) -> None: ...
    def discard(self, obj: JSONObject) -> None: ...
    def finish(self) -> None: ...


class ReflectorStore(Protocol):
    """Their destination; a DeltaFIFO is one. If a method raises, the reflector ends."""

    def add(self, obj: JSONObject) -> None: ...
    def update(self, obj: JSONObject) -> None: ...
    def delete(self, obj: JSONObject) -> None: ...
    def replacement(self) -> Replacement: ...


class ListWatch:
    """Only the objects that the selectors select."""

    def __init__(self, source: ListerWatcher, *, label_selector: str = "", field_selector: str = "") -> None:
        self._source = source
        self._label_selector = label_selector
        self._field_selector = field_selector

    async def list(self, options: ListOptions) -> JSONObject:
        return await self._source.list(self._selecting(options))

    def watch(self, options: ListOptions) -> WatchStream:
        return self._source.watch(self._selecting(options))

    def _selecting(self, options: ListOptions) -> ListOptions:
        return replace(options, label_selector=self._label_selector, field_selector=self._field_selector)


class MetadataListWatch:
    """Nothing of the objects but their metadata: enough for whoever asks who owns whom, and small."""

    def __init__(self, source: ResourceClient) -> None:
        self._source = source

    async def list(self, options: ListOptions) -> JSONObject:
        return await self._source.list(options, accept=METADATA_LIST)

    def watch(self, options: ListOptions) -> WatchStream:
        return self._source.watch(options, accept=METADATA)
