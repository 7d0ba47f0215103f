"""Which definitions there are, and serving what they define.

Whoever writes a definition waits for `written`, and finds it served when the answer comes. Others may write too:
another server on the same store, or the status subresource; the loop sees what they did. Both do the same to one
definition, one after the other. Kubernetes: the controllers of apiextensions-apiserver, and its crdHandler.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.outbound import Obstacle, WebhookClient
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.resource import APIGroup, Resource
from localplane.apiserver.storage.errors import CorruptObject, KeyNotFound, StorageError
from localplane.apiserver.storage.interface import EventType, ListOptions, Storage, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from localplane.client.workqueue.supervision import Contained

from .acceptance import settled
from .conversion.webhook import Resolve, WebhookConverter
from .finalizer import Finalizer, needs_finalizing
from .kind import make_group
from .name_claims import PREFIX as NAMES
from .name_claims import NameClaims
from .names import TakenNames, accepted_names, has_its_names
from .objects.store import OpenWatches
from .resources import ResourceContext, is_served, is_terminating, resources_of
from .rules import RuleCompiler, warm_up
from .status import write_status

StorageOf = Callable[[str], Storage]

_DEFINITIONS: Final = "apiextensions.k8s.io/customresourcedefinitions"
_PAUSE_SECONDS: Final = 1.0
_GROUP_PRIORITY, _VERSION_PRIORITY = 1000, 100


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """A version of a group that there are custom resources in, and its rank among all versions."""

    group: str
    version: str
    group_priority: int = _GROUP_PRIORITY
    version_priority: int = _VERSION_PRIORITY


@dataclass(frozen=True, slots=True)
class _Known:
    """What is kept of a definition. `revision` is that of the state that it was taken from, `identity` is different
    when something else is to be served, and `has_names` is false while another definition has some of them."""

    revision: int
    identity: tuple[Any, ...]
    group: str
    names: JSONObject
    watches: OpenWatches
    resources: tuple[Resource, ...]
    served: tuple[str, ...]
    has_names: bool


class CustomResources:
    """The server of custom resources. It installs the kind that defines them, its `group`, and nothing else before it
    has loaded what is stored. `storage_of` gives the storage of a resource by its prefix, and `resolve` finds the
    Services that conversion webhooks stand behind; `obstacle` is asked before one is called. One that `has_companions`
    is not the only server on its store, which decides then who has which names."""

    def __init__(
        self,
        installer: Installer,
        objects: Lookup,
        storage_of: StorageOf,
        resolve: Resolve,
        obstacle: Obstacle | None = None,
        *,
        has_companions: bool = False,
    ) -> None:
        self._installer = installer
        self._storage_of = storage_of
        self._resolve = resolve
        self._rules = RuleCompiler()
        self._webhooks = WebhookClient(obstacle)
        self.group = make_group(self.written, self._rules)
        installer.install(self.group)
        self._kind = objects.definition(_DEFINITIONS)
        self._claims = NameClaims(storage_of(NAMES), self._kind) if has_companions else None
        self._finalizer = Finalizer(self._kind, self._instances, self.written)
        self._loads = False
        self._known: dict[str, _Known] = {}
        self._own_groups: set[str] = set()
        self._ending: asyncio.Queue[OpenWatches] = asyncio.Queue()
        self._lock = asyncio.Lock()
        self._revision = 0
        self.versions_changed = asyncio.Event()

    def versions(self) -> list[ServedVersion]:
        found = {ServedVersion(each.group, name) for each in self._known.values() for name in each.served}
        return sorted(found, key=lambda each: (each.group, each.version))

    async def load(self) -> None:
        """Serve all definitions that are stored. Raises StorageError."""
        self._loads = True
        async with self._lock:
            listed = await self._kind.storage.list(self._kind.place(""), ListOptions(only_readable=True))
            there = {each.key.rpartition("/")[2]: each for each in listed.items}
            for name in self._known.keys() - there.keys():
                self._forget(name)
            groups = {self._take_or_leave(name, stored) for name, stored in there.items()}
            for group in groups | self._own_groups:
                self._install(group)
            for name in [name for name, known in self._known.items() if not known.has_names]:
                await self._settle(name)
            self._revision = listed.revision

    async def written(self, name: str) -> None:
        """Bring one definition up to date: it was written, or is gone. Until all are loaded, `load` will find it."""
        if not self._loads:
            return
        async with self._lock:
            await self._settle(name)

    async def run(self) -> None:
        """Follow what others write, and finish what is being deleted."""
        async with self._webhooks, asyncio.TaskGroup() as tasks:
            tasks.create_task(self._finalizer.run())
            tasks.create_task(self._follow())
            tasks.create_task(self._end_old_watches())
            tasks.create_task(asyncio.to_thread(warm_up))

    async def _follow(self) -> None:
        while True:
            try:
                await self._watch()
                await self.load()
            except StorageError:
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _watch(self) -> None:
        """Until the watch ends. What we have seen already, because we wrote it, is passed over."""
        options = WatchOptions(resource_version=str(self._revision), only_readable=True)
        watch = await self._kind.storage.watch(self._kind.place(""), options)
        try:
            while events := await watch.take():
                for event in events:
                    if event.type is EventType.ERROR:
                        return
                    if event.object is not None:
                        await self._see(event.object, event.revision)
        finally:
            await watch.stop()

    async def _see(self, stored: StoredObject, revision: int) -> None:
        name = stored.key.rpartition("/")[2]
        known = self._known.get(name)
        if known is None or known.revision < revision:
            await self.written(name)

    async def _settle(self, name: str) -> None:
        """One definition, and then those that waited for its names."""
        waiting = [name]
        while waiting:
            current = waiting.pop(0)
            before = self._known.get(current)
            group = before.group if before else ""
            with _contained(current):
                group = await self._settle_one(current)
            after = self._known.get(current)
            if (before.names if before else {}) != (after.names if after else {}):
                waiting += self._without_names(group, current)

    async def _settle_one(self, name: str) -> str:
        """The group of the definition."""
        try:
            stored = await self._kind.storage.get(self._kind.key("", name))
            obj = self._kind.converter.hub_of(stored)
            taken = self._taken(obj["spec"]["group"])
            if self._claims is not None and not has_its_names(obj):
                taken = await self._claims.taken(obj, self._taken(obj["spec"]["group"], but=name))
            if settled(obj, taken) is not None:
                stored = await write_status(self._kind, name, lambda live: settled(live, taken))
        except (KeyNotFound, CorruptObject):
            group = self._forget(name)
        else:
            group = self._take(name, stored)
        self._install(group)
        return group

    def _taken(self, group: str, *, but: str = "") -> TakenNames:
        return TakenNames.by(each.names for name, each in self._known.items() if each.group == group and name != but)

    def _without_names(self, group: str, but: str) -> Iterable[str]:
        found = [name for name, each in self._known.items() if each.group == group and not each.has_names]
        return [name for name in found if name != but]

    def _take_or_leave(self, name: str, stored: StoredObject) -> str:
        """One that nothing can be made of is not served; all others are."""
        with _contained(name):
            return self._take(name, stored)
        return self._forget(name)

    def _take(self, name: str, stored: StoredObject) -> str:
        """Keep what is needed of a definition."""
        obj = self._kind.converter.hub_of(stored)
        metadata, spec, names = obj["metadata"], obj["spec"], accepted_names(obj)
        serves = is_served(obj)
        identity = (metadata["uid"], metadata.get("generation"), names, serves, is_terminating(obj))
        known = self._known.get(name)
        if known is not None and known.identity == identity:
            self._known[name] = replace(known, revision=stored.revision)
        else:
            watches = OpenWatches()
            found = self._resources(obj, stored, watches) if serves else []
            self._end_watches(known)
            self._known[name] = _Known(
                revision=stored.revision,
                identity=identity,
                group=spec["group"],
                names=names,
                watches=watches,
                resources=tuple(found),
                served=tuple(each["name"] for each in spec["versions"] if each.get("served")) if serves else (),
                has_names=has_its_names(obj),
            )
            self.versions_changed.set()
        if needs_finalizing(obj):
            self._finalizer.add(name)
        return str(spec["group"])

    def _resources(self, obj: JSONObject, stored: StoredObject, watches: OpenWatches) -> list[Resource]:
        around = ResourceContext(lambda: self._kind.converter.hub_of(stored), self._converter, self._rules, watches)
        return resources_of(obj, around)

    def _end_watches(self, known: _Known | None) -> None:
        """When the new state is served, which is in this very turn of the loop."""
        if known is not None:
            self._ending.put_nowait(known.watches)

    async def _end_old_watches(self) -> None:
        while True:
            await (await self._ending.get()).stop()

    def _converter(self, webhook: Mapping[str, Any]) -> WebhookConverter:
        return WebhookConverter(self._webhooks, self._resolve, webhook)

    def _forget(self, name: str) -> str:
        known = self._known.pop(name, None)
        self._end_watches(known)
        if known is not None:
            self.versions_changed.set()
        return known.group if known else ""

    def _install(self, group: str) -> None:
        """A group of built-in kinds is not ours, whatever definitions there are in it."""
        if not group or (self._installer.serves(group) and group not in self._own_groups):
            return
        members = sorted(
            (each.names.get("plural", ""), each.resources) for each in self._known.values() if each.group == group
        )
        resources = [resource for _, each in members for resource in each]
        if resources:
            self._own_groups.add(group)
            self._installer.install(_api_group(group, resources))
        elif group in self._own_groups:
            self._own_groups.discard(group)
            self._installer.remove(group)

    def _instances(self, name: str) -> Definition | None:
        known = self._known.get(name)
        if known is None or not known.resources:
            return None
        stored_one = known.resources[-1]
        return _api_group(known.group, [stored_one]).definition(stored_one, self._storage_of)


def _contained(name: str) -> Contained:
    """Whatever somebody has stored as a definition, all others are served. That the store does not answer is no fault
    of it."""
    return Contained(lambda: f"serving CustomResourceDefinition {name}", passes=(StorageError,))


def _api_group(name: str, resources: list[Resource]) -> APIGroup:
    priorities = {version.name: _VERSION_PRIORITY for resource in resources for version in resource.versions}
    return APIGroup(name, resources, priority=_GROUP_PRIORITY, version_priorities=priorities)
