"""The Stages there are. Their definition is a custom one that somebody may install: until then one watch waits for it,
and nothing is copied."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, SharedInformer
from localplane.client.informers.list_watch import ListWatch
from localplane.controllers.events import EventRecorder
from localplane.controllers.worker import hearing

from .stage import InvalidStage, Stage, read

_DEFINITIONS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_STAGES: Final = GroupVersionResource("kwok.x-k8s.io", "v1alpha1", "stages")


class Stages:
    """`changed` is called whenever there are others."""

    def __init__(self, client: Client, events: EventRecorder, changed: Callable[[], None]) -> None:
        self._client = client
        self._events = events
        self._changed = changed
        self._by_name: dict[str, Stage] = {}
        self._is_served = False
        self._news = asyncio.Event()

    def of(self, kind: str) -> list[Stage]:
        return [stage for stage in self._by_name.values() if stage.kind == kind]

    async def run(self) -> None:
        """Until it is cancelled."""
        named = f"metadata.name={_STAGES.resource}.{_STAGES.group}"
        definitions = SharedInformer(ListWatch(self._client.resource(_DEFINITIONS), field_selector=named))
        with hearing(definitions, lambda _: self._look(definitions)):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(definitions.run())
                while True:
                    await self._until(served=True)
                    watching = tasks.create_task(self._watch())
                    await self._until(served=False)
                    watching.cancel()
                    self._by_name = {}
                    self._changed()

    def _look(self, definitions: SharedInformer) -> None:
        self._is_served = any(map(_is_served, definitions.indexer.list()))
        self._news.set()

    async def _until(self, *, served: bool) -> None:
        while self._is_served is not served:
            self._news.clear()
            await self._news.wait()

    async def _watch(self) -> None:
        stages = SharedInformer(ListWatch(self._client.resource(_STAGES)))
        with hearing(stages, lambda obj: self._hear(stages, obj)):
            await stages.run()

    def _hear(self, stages: SharedInformer, obj: JSONObject) -> None:
        name = obj["metadata"]["name"]
        self._by_name.pop(name, None)
        if stages.lister.get(name) is not None:
            try:
                self._by_name[name] = read(obj)
            except InvalidStage as error:
                self._events.warn(obj, "InvalidSimulation", f"the stage counts for nothing: {error}")
        self._changed()


def _is_served(definition: Mapping[str, Any]) -> bool:
    spec, status = definition.get("spec") or {}, definition.get("status") or {}
    served = any(each["name"] == _STAGES.version and each.get("served") for each in spec.get("versions") or ())
    conditions = {each["type"]: each["status"] for each in status.get("conditions") or ()}
    return served and conditions.get("Established") == "True" and "deletionTimestamp" not in definition["metadata"]
