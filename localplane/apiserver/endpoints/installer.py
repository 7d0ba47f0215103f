"""From declared resources to handlers on paths: scopes are made once, and a request is two look-ups from its handler.

Groups may be installed and removed while the server runs; that is how custom resources come and go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace

from localplane.apimachinery.errors import NotFound, generic
from localplane.apimachinery.groups import GroupVersion
from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.registry.conversion import Converter, VersionRules
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.store import ReadOnlyStore
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Answer, Request, RequestInfo
from localplane.apiserver.resource import APIGroup, Resource, Subresource, Version
from localplane.apiserver.storage.interface import Storage

from .defining import definition_of
from .describing import Place, describe
from .discovery.model import InstalledGroup
from .handlers.connect import connect
from .handlers.create import create
from .handlers.delete import delete, delete_collection
from .handlers.get import get
from .handlers.list import list_collection
from .handlers.patch import patch
from .handlers.update import update
from .handlers.watch import watch
from .routing import is_served
from .scope import Scope

Verb = Callable[[Scope, Request], Awaitable[Answer]]

_HANDLERS: dict[str, Verb] = {
    "create": create,
    "delete": delete,
    "deletecollection": delete_collection,
    "get": get,
    "list": list_collection,
    "patch": patch,
    "update": update,
    "watch": watch,
}


@dataclass(frozen=True, slots=True)
class _Installed:
    """`parts` are the scopes of each resource, with the resource itself: one that is declared anew without a change
    keeps them, and all that was derived from them."""

    group: APIGroup
    scopes: dict[Place, Scope]
    typed: bool
    parts: dict[int, tuple[Resource, dict[Place, Scope]]]


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
        before = self._groups.get(group.name)
        known = before.parts if before else {}
        parts = {id(each): known.get(id(each)) or (each, dict(self._scopes(group, each))) for each in group.resources}
        scopes = {place: scope for _, part in parts.values() for place, scope in part.items()}
        typed = any(resource.typed for resource in group.resources)
        self._groups[group.name] = _Installed(group, scopes, typed, parts)
        self._tell()

    def remove(self, name: str) -> None:
        if self._groups.pop(name, None) is not None:
            self._tell()

    def serves(self, group: str) -> bool:
        return group in self._groups

    def scope(self, group: str, place: Place) -> Scope | None:
        installed = self._groups.get(group)
        return installed.scopes.get(place) if installed else None

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def describe(self) -> list[InstalledGroup]:
        """What is installed, for discovery and OpenAPI."""
        return [describe(installed.group, installed.scopes) for installed in self._groups.values()]

    def definitions(self) -> list[Definition]:
        """The resources that are stored, each once, however many versions it is served in."""
        return list(self._definitions().values())

    def storing_definitions(self) -> list[Definition]:
        """The same, but what two groups serve is as that group has it that stores it."""
        found = self._definitions()
        for name, installed in self._groups.items():
            for definition in _definitions_in(installed):
                if definition.converter.storage_version.group == name:
                    found[definition.prefix] = definition
        return list(found.values())

    def _definitions(self) -> dict[str, Definition]:
        return {each.prefix: each for installed in self._groups.values() for each in _definitions_in(installed)}

    async def handle(self, request: Request) -> Answer | None:
        """Answer a request for a resource of an installed group; None for anything else."""
        info = request.info
        installed = self._groups.get(info.group) if info.is_resource else None
        if installed is None or info.api_prefix != ("apis" if info.group else "api") or request.path.startswith("//"):
            return None
        scope = installed.scopes.get((info.version, info.resource, info.subresource))
        if scope is None:
            _refuse_unknown(installed, info)
            return None
        if not is_served(scope, request):
            return None
        if scope.deprecation_warning:
            request.warnings.append(scope.deprecation_warning)
        handler = connect if scope.connects else _HANDLERS[info.verb]
        return await handler(scope, request)

    def _knows(self, version: GroupVersion, kind: str) -> bool:
        installed = self._groups.get(version.group)
        return installed is not None and any(
            scope.kind == kind and scope.group_version == version for scope in installed.scopes.values()
        )

    def _scopes(self, group: APIGroup, resource: Resource) -> Iterator[tuple[Place, Scope]]:
        definition = definition_of(group, resource, self._storage)
        main = resource.storage(definition)
        status_strategy = resource.status_strategy or StatusStrategy(resource.strategy)
        status = resource.status_storage(definition.with_strategy(status_strategy))
        others = {name: declared.storage(definition) for name, declared in resource.subresources.items()}
        for version in resource.versions:
            if not version.served:
                continue
            scope = self._scope(group, resource, version, definition, main)
            yield (version.name, resource.plural, ""), scope
            if resource.has_status:
                yield (version.name, resource.plural, "status"), replace(scope, storage=status, subresource="status")
            for name, storage in others.items():
                yield (
                    (version.name, resource.plural, name),
                    _below(scope, name, resource.subresources[name], storage),
                )

    def _scope(
        self, group: APIGroup, resource: Resource, version: Version, definition: Definition, storage: object
    ) -> Scope:
        group_version = group.group_version(version.name)
        return Scope(
            group_version=group_version,
            path_version=group_version,
            resource=group.group_resource(resource),
            kind=resource.kind,
            list_kind=resource.list_kind or f"{resource.kind}List",
            namespaced=resource.namespaced,
            storage=storage,
            converter=definition.converter,
            admission=self._admission,
            schema=definition.schemas[version.name],
            authorizer=self._authorizer,
            typed=resource.typed,
            columns=version.columns,
            cells=version.cells,
            list_cells=version.list_cells,
            row_conditions=version.row_conditions,
            printed=version.printed,
            selectable_fields=tuple(resource.selectable_fields),
            deprecation_warning=_deprecation(group_version, resource, version),
            known_kinds=self._knows,
        )


def _definitions_in(installed: _Installed) -> Iterator[Definition]:
    for scope in installed.scopes.values():
        if not scope.subresource and isinstance(scope.storage, ReadOnlyStore):
            yield scope.storage.definition


def _below(scope: Scope, name: str, declared: Subresource, storage: object) -> Scope:
    """The scope of a subresource: it speaks in the resource's own kind unless it says otherwise."""
    kind, version = declared.kind or scope.kind, declared.group_version or scope.group_version
    if (kind, version) == (scope.kind, scope.group_version):
        return replace(scope, storage=storage, subresource=name)
    rules = VersionRules(
        version, default=declared.default, complete=lambda obj: declared.compiled.complete(obj, final=True)
    )
    converter = Converter(kind, {version.version: rules}, stored_as=version.version)
    return replace(
        scope,
        storage=storage,
        subresource=name,
        kind=kind,
        group_version=version,
        converter=converter,
        schema=lambda: declared.compiled,
        columns=declared.columns,
        cells=None,
        list_cells=None,
        row_conditions=None,
    )


def _refuse_unknown(installed: _Installed, info: RequestInfo) -> None:
    """Nothing is served under this name: the router says so, or the custom resource that it would belong to. Where
    there is neither, nobody knows it."""
    main = installed.scopes.get((info.version, info.resource, ""))
    if main is not None and not main.typed:
        raise NotFound.of(main.resource, info.name)
    if installed.typed:
        raise generic(404)


def _deprecation(version: GroupVersion, resource: Resource, declared: Version) -> str:
    if not declared.deprecated:
        return ""
    return declared.deprecation_warning or f"{version} {resource.kind} is deprecated"
