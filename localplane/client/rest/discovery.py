"""Which groups, versions and resources a server has: asked in two requests where it can answer so (aggregated
discovery), one by one where it can't. Kubernetes: client-go/discovery.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, Final
from localplane.apimachinery.records import field, record
from localplane.client.errors import ClientError, DiscoveryFailed
from localplane.client.transport.interface import header

from .names import GroupVersionResource

if TYPE_CHECKING:
    from .client import Client

_AGGREGATED: Final = {"g": "apidiscovery.k8s.io", "v": "v2", "as": "APIGroupDiscoveryList"}
ACCEPT: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
_AT_ONCE: Final = 20
_TIMEOUT: Final = "32s"
"""What kubectl gives a server for each of these answers."""


@record
class APIResource:
    """One resource or subresource (`pods/log`) of a version. `kind` is what it answers with, in whatever group."""

    resource: GroupVersionResource
    kind: GroupVersionKind
    namespaced: bool
    singular: str = ""
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @property
    def is_subresource(self) -> bool:
        return "/" in self.resource.resource


@record
class APIVersion:
    group_version: GroupVersion
    resources: tuple[APIResource, ...]


@record
class APIGroup:
    """Versions in the server's order. `preferred` is a version's name."""

    name: str
    preferred: str
    versions: tuple[APIVersion, ...]


@record
class Discovered:
    """Groups in the server's order, the core group first; versions that could not be asked are in `failures`."""

    groups: tuple[APIGroup, ...]
    failures: Mapping[GroupVersion, Exception] = field(default_factory=dict)

    def resources(self) -> Iterable[APIResource]:
        for group in self.groups:
            for version in group.versions:
                yield from version.resources

    def preferred_resources(self) -> list[APIResource]:
        """Each resource once: in its group's preferred version if it is there, in the first that has it otherwise."""
        found: dict[tuple[str, str], APIResource] = {}
        for group in self.groups:
            for version in sorted(group.versions, key=lambda one: one.group_version.version != group.preferred):
                for resource in version.resources:
                    found.setdefault((group.name, resource.resource.resource), resource)
        return list(found.values())

    def raise_for_failures(self) -> None:
        if self.failures:
            listed = sorted(f"{version}: {error}" for version, error in self.failures.items())
            message = f"unable to retrieve the complete list of server APIs: {', '.join(listed)}"
            raise DiscoveryFailed(message)


class Discovery:
    """Nothing is kept: every call asks the server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def server_version(self) -> dict[str, Any]:
        headers, query = [("Accept", "application/json, */*")], [("timeout", _TIMEOUT)]
        version: dict[str, Any] = (await self._client.request("GET", "/version", query=query, headers=headers)).json()
        return version

    async def discover(self, *, at_once: bool = True) -> Discovered:
        """Everything that the server has. Raises APIError and ClientError only if it can't be asked at all.

        A server that does not answer in one piece is asked for many `at_once`, in tasks; or for one after another.
        """
        core, named = await self._root("/api"), await self._root("/apis")
        if core.aggregated and named.aggregated:
            return aggregated_groups([*core.items(), *named.items()])
        groups = legacy_groups(core.document, named.document)
        return await self._one_by_one(groups, at_once=_AT_ONCE if at_once else 1)

    async def resource_list(self, version: GroupVersion) -> dict[str, Any]:
        """The APIResourceList of one version."""
        path = f"/apis/{version}" if version.group else f"/api/{version}"
        headers, query = [("Accept", "application/json, */*")], [("timeout", _TIMEOUT)]
        document: dict[str, Any] = (await self._client.request("GET", path, query=query, headers=headers)).json()
        return document

    async def _root(self, path: str) -> _Root:
        try:
            headers, query = [("Accept", ACCEPT)], [("timeout", _TIMEOUT)]
            answer = await self._client.request("GET", path, query=query, headers=headers)
        except NotFound:
            if path == "/api":  # a server need not have the core group
                return _Root({}, aggregated=True)
            raise
        return _Root(answer.json(), aggregated=_is_aggregated(header(answer.headers, "content-type")))

    async def _one_by_one(self, groups: list[dict[str, Any]], *, at_once: int) -> Discovered:
        wanted = [version for group in groups for version in legacy_versions(group)]
        found: dict[GroupVersion, APIVersion] = {}
        failures: dict[GroupVersion, Exception] = {}

        async def ask(version: GroupVersion) -> None:
            try:
                found[version] = legacy_version(version, await self.resource_list(version))
            except (APIError, ClientError) as error:
                failures[version] = error

        if at_once == 1:
            for version in wanted:
                await ask(version)
        else:
            await _in_tasks(ask, wanted, at_once)
        return one_by_one(groups, found, failures)


async def _in_tasks(
    ask: Callable[[GroupVersion], Awaitable[None]], versions: Iterable[GroupVersion], at_once: int
) -> None:
    import asyncio  # which few need: servers mostly answer in one piece

    gate = asyncio.Semaphore(at_once)

    async def ask_in_turn(version: GroupVersion) -> None:
        async with gate:
            await ask(version)

    async with asyncio.TaskGroup() as tasks:
        for version in versions:
            tasks.create_task(ask_in_turn(version))


@record
class _Root:
    document: dict[str, Any]
    aggregated: bool

    def items(self) -> list[dict[str, Any]]:
        return self.document.get("items") or []


def _is_aggregated(content_type: str) -> bool:
    pairs = (part.partition("=") for part in content_type.split(";")[1:])
    given = {name.strip(): value.strip().strip('"') for name, _, value in pairs}
    return all(given.get(name) == value for name, value in _AGGREGATED.items())


def aggregated_groups(items: list[dict[str, Any]]) -> Discovered:
    """From the items of an APIGroupDiscoveryList. What a server only remembers of another is a failure."""
    groups, failures = [], dict[GroupVersion, Exception]()
    for item in items:
        name = item.get("metadata", {}).get("name", "")
        versions = []
        for version in item.get("versions") or ():
            group_version = GroupVersion(name, version["version"])
            if version.get("freshness") == "Stale":
                failures[group_version] = DiscoveryFailed(f"stale GroupVersion discovery: {group_version}")
                continue
            versions.append(_aggregated_version(group_version, version))
        preferred = versions[0].group_version.version if versions else ""
        groups.append(APIGroup(name, preferred, tuple(versions)))
    return Discovered(tuple(groups), failures)


def _aggregated_version(version: GroupVersion, document: Mapping[str, Any]) -> APIVersion:
    found = []
    for item in document.get("resources") or ():
        parent = _aggregated_resource(version, item["resource"], item)
        singular, namespaced = item.get("singularResource", ""), item.get("scope") == "Namespaced"
        if parent is not None:
            found.append(parent)
        for part in item.get("subresources") or ():
            name = f"{item['resource']}/{part['subresource']}"
            inherited = {**part, "singularResource": singular, "scope": "Namespaced" if namespaced else "Cluster"}
            if (child := _aggregated_resource(version, name, inherited)) is not None:
                found.append(child)
    return APIVersion(version, tuple(found))


def _aggregated_resource(version: GroupVersion, name: str, item: Mapping[str, Any]) -> APIResource | None:
    """None for what has no kind: there is nothing to be said about it."""
    kind = item.get("responseKind") or {}
    if not any(kind.values()):
        return None
    return APIResource(
        resource=GroupVersionResource(version.group, version.version, name),
        kind=GroupVersionKind(
            kind.get("group") or version.group, kind.get("version") or version.version, kind.get("kind", "")
        ),
        namespaced=item.get("scope") == "Namespaced",
        singular=item.get("singularResource", ""),
        verbs=tuple(item.get("verbs") or ()),
        short_names=tuple(item.get("shortNames") or ()),
        categories=tuple(item.get("categories") or ()),
    )


def legacy_groups(core: Mapping[str, Any], named: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of the answers of /api and /apis, one of which may be aggregated."""
    items = [_legacy_form(item) for item in named.get("items") or ()]
    return [*_legacy_core(core), *(items or named.get("groups") or ())]


def one_by_one(
    groups: Iterable[Mapping[str, Any]],
    found: Mapping[GroupVersion, APIVersion],
    failures: Mapping[GroupVersion, Exception],
) -> Discovered:
    """From `legacy_groups`, and what each of their versions has."""
    return Discovered(tuple(_legacy_group(group, found) for group in groups), failures)


def _legacy_form(item: Mapping[str, Any]) -> dict[str, Any]:
    versions = [{"version": version["version"]} for version in item.get("versions") or ()]
    name = item.get("metadata", {}).get("name", "")
    return {"name": name, "versions": versions, "preferredVersion": versions[0] if versions else {}}


def _legacy_core(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answer of /api, in the form of a group."""
    if "items" in document:  # one root is aggregated and the other is not
        names = [version["version"] for item in document["items"] for version in item.get("versions") or ()]
    else:
        names = document.get("versions") or []
    versions = [{"groupVersion": name, "version": name} for name in names]
    return [{"name": "", "versions": versions, "preferredVersion": versions[0]}] if versions else []


def legacy_versions(group: Mapping[str, Any]) -> list[GroupVersion]:
    return [GroupVersion(group["name"], version["version"]) for version in group.get("versions") or ()]


def _legacy_group(group: Mapping[str, Any], found: Mapping[GroupVersion, APIVersion]) -> APIGroup:
    versions = tuple(found[version] for version in legacy_versions(group) if version in found)
    return APIGroup(group["name"], (group.get("preferredVersion") or {}).get("version", ""), versions)


def legacy_version(version: GroupVersion, document: Mapping[str, Any]) -> APIVersion:
    """From an APIResourceList."""
    return APIVersion(version, tuple(_legacy_resource(version, item) for item in document.get("resources") or ()))


def _legacy_resource(version: GroupVersion, item: Mapping[str, Any]) -> APIResource:
    return APIResource(
        resource=GroupVersionResource(version.group, version.version, item["name"]),
        kind=GroupVersionKind(item.get("group") or version.group, item.get("version") or version.version, item["kind"]),
        namespaced=bool(item.get("namespaced")),
        singular=item.get("singularName", ""),
        verbs=tuple(item.get("verbs") or ()),
        short_names=tuple(item.get("shortNames") or ()),
        categories=tuple(item.get("categories") or ()),
    )
