"""From what people call a resource to where it is: plural, singular, kind or short name, with or without a group and
a version (`po`, `Deployment`, `deploy.apps`, `deployments.v1.apps`).

Of several that match, the core group's v1 counts first, then groups in the server's order, each with its preferred
version first. Kubernetes: client-go/restmapper and apimachinery/pkg/api/meta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupKind, GroupVersion, GroupVersionKind
from localplane.apimachinery.light_typing import TYPE_CHECKING, TypeVar
from localplane.apimachinery.records import record
from localplane.client.errors import AmbiguousMatch, NoMatch

from .discovery import APIResource, Discovered
from .names import GroupVersionResource

if TYPE_CHECKING:
    from .discovery import Discovery

T = TypeVar("T")


@record
class RESTMapping:
    """What a name or a kind stands for on this server."""

    resource: GroupVersionResource
    kind: GroupVersionKind
    namespaced: bool


class RESTMapper:
    """Over one discovery. `warn` hears of short names that stand for more than one resource.

    A `GroupVersionResource` that is asked for may leave its group and its version empty: any will do.
    """

    def __init__(self, discovered: Discovered, *, warn: Callable[[str], None] | None = None) -> None:
        self._warn = warn
        self._lists: dict[str, list[APIResource]] | None = None
        self._discovered = discovered
        self._resources = [resource for resource in discovered.resources() if not resource.is_subresource]
        self._rank = {version: rank for rank, version in enumerate(_by_preference(discovered))}
        self._by_name: dict[str, list[APIResource]] = {}
        for resource in self._resources:
            for name in dict.fromkeys((resource.resource.resource, _singular(resource))):
                self._by_name.setdefault(name, []).append(resource)

    def resource_for(self, wanted: GroupVersionResource) -> GroupVersionResource:
        """Raises NoMatch, or AmbiguousMatch if one version has several."""
        return self._best(wanted, self.resources_for(wanted), "resources", lambda found: found.group_version)

    def kind_for(self, wanted: GroupVersionResource) -> GroupVersionKind:
        return self._best(wanted, self.kinds_for(wanted), "kinds", lambda found: found.group_version)

    def resources_for(self, wanted: GroupVersionResource) -> list[GroupVersionResource]:
        return _unique(match.resource for match in self._matches(wanted))

    def kinds_for(self, wanted: GroupVersionResource) -> list[GroupVersionKind]:
        # The path decides about the version, not the kind: a resource may answer with one of another group.
        return _unique(_kind_in_path(match) for match in self._matches(wanted))

    def mapping(self, kind: GroupKind, *versions: str) -> RESTMapping:
        """Where a kind is, in the first of these versions that has it; without any, in the preferred one."""
        found = [resource for resource in self._resources if _is_kind(resource, kind)]
        if not found and kind.kind.endswith("List"):
            named = self._lists_named(f"{kind.kind.lower()}s")
            found = [each for each in named if each.resource.group == kind.group and each.kind.kind == kind.kind]
        wanted = [version for version in versions if version]
        for version in wanted:
            if chosen := [resource for resource in found if resource.resource.version == version]:
                return _mapping(chosen[-1])
        if wanted or not found:
            raise NoMatch(_no_kind(kind, wanted))
        return _mapping(min(found, key=lambda resource: self._rank[resource.resource.group_version]))

    def mapping_for(self, argument: str) -> RESTMapping:
        """What somebody typed. Raises NoMatch in kubectl's words. Kubernetes: cli-runtime, Builder.mappingFor."""
        kind = self._kind_of_resource(argument)
        if kind is not None:
            return self.mapping(kind.group_kind, kind.version)
        name, _, group = argument.partition(".")
        version, dot, rest = group.partition(".")
        attempts = [(GroupKind(rest, name), version)] if dot else []  # `pods.v1.` is the core group's v1
        for attempt, in_version in [*attempts, (GroupKind(group, name), "")]:
            try:
                return self.mapping(attempt, in_version)
            except NoMatch:
                continue
        where = f" in group {go_quote(group)}" if group else ""
        known = [one.resource.resource for one in self._resources]
        raise NoMatch(f"the server doesn't have a resource type {go_quote(name)}{where}", (name, known))

    def _kind_of_resource(self, argument: str) -> GroupVersionKind | None:
        name, _, group = argument.partition(".")
        version, dot, rest = group.partition(".")
        attempts = [GroupVersionResource(rest, version, name)] if dot else []
        for wanted in [*attempts, GroupVersionResource(group, "", name)]:
            try:
                return self.kind_for(wanted)
            except (NoMatch, AmbiguousMatch):
                continue
        return None

    def _matches(self, wanted: GroupVersionResource) -> list[APIResource]:
        expanded = self._expand_short_name(wanted)
        named = self._by_name.get(expanded.resource.lower()) or self._lists_named(expanded.resource.lower())
        if expanded.version:
            named = [match for match in named if match.resource.version == expanded.version]
        if expanded.group:
            exact = [match for match in named if match.resource.group == expanded.group]
            # `deploy.ext` is enough for deployments.extensions, but not if a version is given.
            loose = [] if expanded.version else named
            named = exact or [match for match in loose if match.resource.group.startswith(expanded.group)]
        if not named:
            raise NoMatch(f"no matches for {expanded}")
        return named

    def _lists_named(self, name: str) -> list[APIResource]:
        """`lists` and `podlists`: no server has them, but a list in a file is looked up as any other object is.

        Kubernetes: client-go/restmapper, NewDiscoveryRESTMapper.
        """
        if not name.removesuffix("s").endswith("list"):
            return []
        if self._lists is None:
            self._lists = _list_resources(self._discovered)
        return self._lists.get(name, [])

    def _expand_short_name(self, wanted: GroupVersionResource) -> GroupVersionResource:
        """Real names go before short ones; of short ones, those of the server's first groups."""
        in_group = [one for one in self._resources if wanted.group in ("", one.resource.group)]
        if any(wanted.resource in (one.resource.resource, one.singular) for one in in_group):
            return wanted
        shortened = [one.resource for one in in_group if wanted.resource in one.short_names]
        if shortened:
            self._warn_of_others(wanted.resource, shortened)
            return GroupVersionResource(shortened[0].group, "", shortened[0].resource)
        for one in self._resources if wanted.group else ():
            if one.resource.group.startswith(wanted.group) and wanted.resource in one.short_names:
                return GroupVersionResource(one.resource.group, wanted.version, one.resource.resource)
        return wanted

    def _warn_of_others(self, name: str, matches: Sequence[GroupVersionResource]) -> None:
        if self._warn is not None:
            for other in _unique(match.group_resource for match in matches)[1:]:
                self._warn(f"short name {go_quote(name)} could also match lower priority resource {other}")

    def _best(
        self, wanted: GroupVersionResource, found: Sequence[T], what: str, version_of: Callable[[T], GroupVersion]
    ) -> T:
        best = min(self._rank[version_of(one)] for one in found)
        chosen = [one for one in found if self._rank[version_of(one)] == best]
        if len(chosen) > 1:
            raise AmbiguousMatch(f"{wanted} matches multiple {what} [{' '.join(map(str, found))}]")
        return chosen[0]


class DiscoveryMapper:
    """A RESTMapper that asks the server when it is first needed, and again when a name is unknown: it may be new."""

    def __init__(self, discovery: Discovery, *, warn: Callable[[str], None] | None = None) -> None:
        self._discovery = discovery
        self._warn = warn
        self._mapper: RESTMapper | None = None

    async def mapper(self) -> RESTMapper:
        if self._mapper is None:
            self._mapper = RESTMapper(await self._discovery.discover(), warn=self._warn)
        return self._mapper

    def reset(self) -> None:
        self._mapper = None

    async def mapping(self, kind: GroupKind, *versions: str) -> RESTMapping:
        return await self._freshly(lambda mapper: mapper.mapping(kind, *versions))

    async def mapping_for(self, argument: str) -> RESTMapping:
        return await self._freshly(lambda mapper: mapper.mapping_for(argument))

    async def resource_for(self, wanted: GroupVersionResource) -> GroupVersionResource:
        return await self._freshly(lambda mapper: mapper.resource_for(wanted))

    async def _freshly(self, ask: Callable[[RESTMapper], T]) -> T:
        is_fresh = self._mapper is None
        try:
            return ask(await self.mapper())
        except NoMatch:
            if is_fresh:
                raise
        self.reset()
        return ask(await self.mapper())


def _by_preference(discovered: Discovered) -> list[GroupVersion]:
    ordered = [GroupVersion("", "v1")]
    for group in discovered.groups:
        versions = [version.group_version for version in group.versions]
        ordered += sorted(versions, key=lambda version: version.version != group.preferred)
    return _unique(ordered)


def _list_resources(discovered: Discovered) -> dict[str, list[APIResource]]:
    found: dict[str, list[APIResource]] = {}
    for group in discovered.groups:
        for version in group.versions:
            scopes = {"List": False}
            scopes |= {f"{one.kind.kind}List": one.namespaced for one in version.resources if not one.is_subresource}
            for kind, namespaced in scopes.items():
                at, name = version.group_version, kind.lower()
                resource = GroupVersionResource(at.group, at.version, f"{name}s")
                each = APIResource(resource, at.kind(kind), namespaced, singular=name)
                for called in (name, f"{name}s"):
                    found.setdefault(called, []).append(each)
    return found


def _unique(items: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(items))


def _singular(resource: APIResource) -> str:
    return resource.singular or resource.kind.kind.lower()


def _kind_in_path(resource: APIResource) -> GroupVersionKind:
    return resource.resource.group_version.kind(resource.kind.kind)


def _is_kind(resource: APIResource, kind: GroupKind) -> bool:
    name = resource.kind.kind
    return resource.resource.group == kind.group and kind.kind in (name, name.lower())


def _mapping(resource: APIResource) -> RESTMapping:
    return RESTMapping(resource.resource, _kind_in_path(resource), resource.namespaced)


def _no_kind(kind: GroupKind, versions: Sequence[str]) -> str:
    searched = sorted({str(GroupVersion(kind.group, version)) for version in versions})
    what = f"no matches for kind {go_quote(kind.kind)}"
    match searched:
        case []:
            return f"{what} in group {go_quote(kind.group)}"
        case [one]:
            return f"{what} in version {go_quote(one)}"
        case _:
            return f"{what} in versions [{' '.join(map(go_quote, searched))}]"
