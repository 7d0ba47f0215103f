"""From declared resources to handlers on paths: what is served is made once, and a request is two look-ups from its
handler.

Groups may be installed and removed while the server runs; that is how custom resources come and go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from localplane.apimachinery.errors import generic
from localplane.apimachinery.groups import GroupVersion
from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.dialects.scheme import OPTION_KINDS, UNVERSIONED_KINDS
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import (
    CollectionDeleter,
    Connecter,
    Creater,
    Getter,
    GracefulDeleter,
    Lister,
    NamedCreater,
    ResourceStorage,
    Updater,
    Watcher,
)
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Answer, Request, RequestInfo
from localplane.apiserver.resource import APIGroup, Resource
from localplane.apiserver.storage.interface import Storage

from .description import ResourcePath, describe
from .discovery.model import InstalledGroup
from .handlers.connect import connect
from .handlers.create import create, create_named
from .handlers.delete import delete, delete_collection
from .handlers.get import get
from .handlers.list import list_collection
from .handlers.patch import patch
from .handlers.update import update
from .handlers.watch import watch
from .served import Served


@dataclass(frozen=True, slots=True)
class _Installed:
    """`parts` are what is served of each resource, with the resource itself: one that is declared anew without a change
    keeps them, and all that was derived from them. `is_routed`: a router answers for what is not there."""

    group: APIGroup
    served: dict[ResourcePath, Served]
    is_routed: bool
    parts: dict[int, tuple[Resource, dict[ResourcePath, Served]]]


class Installer:
    """`storage` gives the storage of a resource by its prefix (`/configmaps/`). `authorizer` is asked whether an update
    may create: the filter has only asked about the update."""

    def __init__(
        self,
        storage: Callable[[str], Storage],
        admission: AdmissionChain,
        authorizer: Authorizer | None = None,
    ) -> None:
        self._storage = storage
        self._admission = admission
        self._authorizer = authorizer
        self._groups: dict[str, _Installed] = {}
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        """Called whenever other things are served than before."""
        self._listeners.append(listener)

    def install(self, group: APIGroup) -> None:
        """Serve a group, or serve it as it is declared now."""
        installed = self._groups.get(group.name)
        known = installed.parts if installed else {}
        parts = {
            id(resource): known.get(id(resource)) or (resource, dict(self._serve(group, resource)))
            for resource in group.resources
        }
        all_served = {path: served for _, part in parts.values() for path, served in part.items()}
        is_routed = any(resource.dialect.is_routed for resource in group.resources)
        self._groups[group.name] = _Installed(group, all_served, is_routed, parts)
        self._tell()

    def remove(self, name: str) -> None:
        if self._groups.pop(name, None) is not None:
            self._tell()

    def serves(self, group: str) -> bool:
        return group in self._groups

    def served(self, group: str, path: ResourcePath) -> Served | None:
        installed = self._groups.get(group)
        return installed.served.get(path) if installed else None

    def main_resources(self) -> Iterator[Served]:
        """All that is served, in all versions, without subresources."""
        for installed in self._groups.values():
            yield from (served for served in installed.served.values() if not served.subresource)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def describe(self) -> list[InstalledGroup]:
        """What is installed, for discovery and OpenAPI."""
        return [describe(installed.group, installed.served) for installed in self._groups.values()]

    def definitions(self) -> list[Definition]:
        """The resources that are stored, each once, however many versions it is served in."""
        return list(self._definitions().values())

    def storing_definitions(self) -> list[Definition]:
        """The same, but what two groups serve is as that group has it that stores it."""
        definitions = self._definitions()
        for name, installed in self._groups.items():
            for definition in _definitions_in(installed):
                if definition.converter.storage_version.group == name:
                    definitions[definition.prefix] = definition
        return list(definitions.values())

    def _definitions(self) -> dict[str, Definition]:
        return {
            definition.prefix: definition
            for installed in self._groups.values()
            for definition in _definitions_in(installed)
        }

    async def handle(self, request: Request) -> Answer | None:
        """Answer a request for a resource of an installed group; None for anything else."""
        info = request.info
        installed = self._groups.get(info.group) if info.is_resource else None
        if installed is None or info.api_prefix != ("apis" if info.group else "api") or request.path.startswith("//"):
            return None
        served = installed.served.get((info.version, info.resource, info.subresource))
        if served is None:
            _refuse_unknown(installed, info)
            return None
        if not served.dialect.is_served(served, request):
            return None
        if served.deprecation_warning:
            request.warnings.append(served.deprecation_warning)
        handler = served.handlers.get("connect") or served.handlers[info.verb]
        return await handler(request)

    def _knows(self, version: GroupVersion, kind: str) -> bool:
        """Only whoever refuses a body asks, so everything is looked at."""
        if kind in UNVERSIONED_KINDS:
            return True
        structs = [
            served
            for installed in self._groups.values()
            for served in installed.served.values()
            if served.dialect.is_routed
        ]
        if kind in OPTION_KINDS:
            return any(version in served.known_versions for served in structs)
        return (version.group, version.version, kind) == ("", "v1", "List") or any(
            kind in (served.kind, served.list_kind if "list" in served.verbs else "")
            for served in structs
            if version in served.known_versions
        )

    def _serve(self, group: APIGroup, resource: Resource) -> Iterator[tuple[ResourcePath, Served]]:
        definition = group.definition(resource, self._storage)
        storages: dict[str, ResourceStorage] = {"": resource.storage(definition)}
        if resource.has_status:
            strategy = resource.status_strategy or StatusStrategy(resource.strategy)
            storages["status"] = resource.status_storage(definition.with_strategy(strategy))
        for name, declared in resource.subresources.items():
            storages[name] = declared.storage(definition)
        for version in resource.versions:
            if not version.served:
                continue
            for name, storage in storages.items():
                served = Served(
                    group,
                    resource,
                    version,
                    definition,
                    storage,
                    admission=self._admission,
                    authorizer=self._authorizer,
                    knows_kind=self._knows,
                    subresource=name,
                )
                served.make_handlers = partial(_handlers, served, storage)
                yield (version.name, resource.plural, name), served


def _handlers(served: Served, storage: ResourceStorage) -> Mapping[str, Callable[[Request], Awaitable[Answer]]]:
    """By verb: those that the storage can do."""
    if isinstance(storage, Connecter):
        return {"connect": partial(connect, served, storage)}
    handlers: dict[str, Callable[[Request], Awaitable[Answer]]] = {}
    if isinstance(storage, Getter):
        handlers["get"] = partial(get, served, storage)
        if isinstance(storage, Updater):
            handlers["patch"] = partial(patch, served, storage)
    if isinstance(storage, Lister):
        handlers["list"] = partial(list_collection, served, storage)
    if isinstance(storage, Watcher):
        handlers["watch"] = partial(watch, served, storage)
    if isinstance(storage, NamedCreater) and served.subresource:
        handlers["create"] = partial(create_named, served, storage)
    elif isinstance(storage, Creater):
        handlers["create"] = partial(create, served, storage)
    if isinstance(storage, Updater):
        handlers["update"] = partial(update, served, storage)
    if isinstance(storage, GracefulDeleter):
        handlers["delete"] = partial(delete, served, storage)
    if isinstance(storage, CollectionDeleter):
        handlers["deletecollection"] = partial(delete_collection, served, storage)
    return handlers


def _definitions_in(installed: _Installed) -> Iterator[Definition]:
    for served in installed.served.values():
        if served.is_stored:
            yield served.definition


def _refuse_unknown(installed: _Installed, info: RequestInfo) -> None:
    """Nothing is served under this name: the router says so, or the custom resource that it would belong to. Where
    there is neither, nobody knows it."""
    main = installed.served.get((info.version, info.resource, ""))
    if main is not None:
        main.dialect.refuse_subresource(main.resource, info.name)
    if installed.is_routed:
        raise generic(404)
