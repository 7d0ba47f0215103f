"""The objects that a query means, one after another. Kubernetes: Builder.Do and the visitors.

Whole collections, in pages. Kubernetes: cli-runtime/pkg/resource, Selector and EnhanceListError.

`everything`: every type that can be listed. A word for verbs that only look; nobody should delete everything.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from kctl.errors import KctlError, raise_all
from kctl.objects import arguments, files, manifests
from kctl.objects.arguments import Query, Words
from kctl.objects.info import Info
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, BadRequest, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.light_typing import Any
from localplane.client.errors import ClientError, NoMatch
from localplane.client.rest.discovery import APIResource
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.statuses import Subject

MISSING_RESOURCE = """\
You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'"""
LOCAL_ONLY_FILES = """\
error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'"""


class Result:
    """What a query leads to. Iterate `visit` once; with `keep_going` what failed is in `errors` afterwards.

    `single_item_implied`: the user named one object, so one object should be printed and not a list of one.
    """

    def __init__(self, session: Session, query: Query, names: tuple[str, ...] = ()) -> None:
        self._session = session
        self._query = query
        self.errors: list[Exception] = []
        self.single_item_implied = False
        self._names = names
        self._places: list[Info] = []
        self._mappings: list[RESTMapping] = []
        self._by_selector = False

    async def prepare(self) -> None:
        """Find out what is meant, without fetching it. Raises what is wrong with the command line."""
        query = self._query
        words = await self._words()
        names = self._sources()
        if names:
            self._check_paths(words)
            if query.label_selector:
                manifests.check_selector(query.label_selector)
            self._names = names
        elif query.label_selector or query.field_selector or query.select_all or self._means_all(words):
            await self._prepare_selector(words)
        elif words.pairs:
            await self._prepare_pairs(words)
        elif words.names:
            await self._prepare_names(words)
        elif words.types:
            for one in words.types:
                await self._mapping_for(one)
            raise KctlError("resource(s) were provided, but no name was specified")
        else:
            raise KctlError(LOCAL_ONLY_FILES if query.local else MISSING_RESOURCE)

    async def visit(self) -> AsyncIterator[Info]:
        """Every Info, fetched if the query says so."""
        if self._names:
            generator = self._from_files()
        elif self._by_selector:
            generator = self._from_lists()
        else:
            generator = self._from_places()
        async for info in generator:
            yield info

    def by_source(self, session: Session | None = None) -> list[Result]:
        """One for each file, so that what is wrong with one is no matter of the others'."""
        return [Result(session or self._session, self._query, (name,)) for name in self._names]

    async def infos(self) -> list[Info]:
        return [info async for info in self.visit()]

    async def each(self, act: Callable[[Info], Awaitable[None]]) -> None:
        """Do it to every object. With `keep_going` one that fails does not keep the others from it."""
        async for info in self.visit():
            try:
                await act(info)
            except _expected_errors() as error:
                self._failed(error)
        raise_all(self.errors)

    @property
    def lists_errors(self) -> bool:
        """Whether even a single error is shown as one of a list, for verbs that find all objects before they begin:
        what comes out of files and selectors is."""
        return bool(self._names) or self._by_selector

    def raise_errors(self) -> None:
        raise_all(self.errors, listed=self.lists_errors)

    # What is meant.

    async def _words(self) -> Words:
        expanded: dict[str, str] = {}
        if self._query.arguments and not self._query.local:
            first = self._query.arguments[0]
            if "/" not in first:
                for one in first.split(","):
                    expanded[one] = await self._session.discovery.expand(one)
        return arguments.read(self._query.arguments, lambda one: expanded.get(one, one))

    def _sources(self) -> tuple[str, ...]:
        query = self._query
        problems: list[Exception] = []
        if query.filenames and query.kustomize:
            problems.append(KctlError("only one of -f or -k can be specified"))
        if query.kustomize and query.recursive:
            problems.append(KctlError("the -k flag can't be used with -f or -R"))
        raise_all(problems)
        if query.kustomize:
            self.single_item_implied = True
            return (query.kustomize,)
        if not query.filenames:
            return ()
        found = files.sources(query.filenames, recursive=query.recursive)
        self.single_item_implied = found.single
        return found.names

    def _check_paths(self, words: Words) -> None:
        if words.types:
            raise KctlError(
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well"
            )
        if words.pairs:
            raise KctlError("resource/name arguments cannot be provided when a path is specified")

    def _means_all(self, words: Words) -> bool:
        return self._query.types_alone and bool(words.types) and not words.names

    async def _prepare_selector(self, words: Words) -> None:
        if words.names:
            raise KctlError("name cannot be provided when a selector is specified")
        if words.pairs:
            raise KctlError("selectors and the all flag cannot be used when passing resource/name arguments")
        if not words.types:
            raise KctlError("at least one resource must be specified to use a selector")
        if self._query.subresource:
            raise KctlError("subresource cannot be used when bulk resources are specified")
        self._mappings = await self._distinct_mappings(words.types)
        self._by_selector = True

    async def _distinct_mappings(self, types: Sequence[str]) -> list[RESTMapping]:
        if len(types) > 1 and self._query.single_type:
            raise KctlError("you may only specify a single resource type")
        found: dict[GroupVersionKind, RESTMapping] = {}
        for one in types:
            mapping = await self._mapping_for(one)
            found.setdefault(mapping.kind, mapping)
        return list(found.values())

    async def _prepare_pairs(self, words: Words) -> None:
        self.single_item_implied = self.single_item_implied or len(words.pairs) == 1
        mappings = {one: await self._mapping_for(one) for one in dict.fromkeys(pair[0] for pair in words.pairs)}
        if self._query.single_type and len({mapping.resource for mapping in mappings.values()}) > 1:
            raise KctlError("you may only specify a single resource type")
        self._places = [self._place(mappings[one], name) for one, name in words.pairs]

    async def _prepare_names(self, words: Words) -> None:
        self.single_item_implied = len(words.names) == 1
        if len(words.types) > 1:
            raise KctlError("you must specify only one resource")
        mapping = await self._mapping_for(words.types[0])
        self._places = [self._place(mapping, name) for name in words.names]

    def _place(self, mapping: RESTMapping, name: str) -> Info:
        if mapping.namespaced and self._query.all_namespaces:
            raise KctlError("a resource cannot be retrieved by name across all namespaces")
        return Info(
            self._session,
            mapping,
            namespace=self._session.namespace if mapping.namespaced else "",
            name=name,
            subresource=self._query.subresource,
            accept=self._query.accept,
        )

    async def _mapping_for(self, argument: str) -> RESTMapping:
        try:
            return await self._session.discovery.mapping_for(argument)
        except NoMatch as error:
            raise KctlError(str(error)) from error

    # Where it is.

    def _failed(self, error: Exception) -> None:
        if not self._query.keep_going:
            raise error
        self.errors.append(error)

    async def _from_places(self) -> AsyncIterator[Info]:
        for info in self._places:
            if self._query.needs_object or self._query.latest:
                try:
                    await info.get()
                except _expected_errors() as error:
                    self._failed(error)
                    continue
            yield info

    async def _from_lists(self) -> AsyncIterator[Info]:

        for mapping in self._mappings:
            try:
                async for page in pages(self._session, mapping, self._query):
                    for info in await self._flattened(page, mapping):
                        yield info
            except _expected_errors() as error:
                self._failed(error)

    async def _flattened(self, page: Info, mapping: RESTMapping) -> list[Info]:
        obj = page.object or {}
        if not self._query.flatten or not isinstance(obj.get("items"), list):
            return [page]
        return [
            Info(
                self._session,
                mapping,
                namespace=(item.get("metadata") or {}).get("namespace", page.namespace),
                name=(item.get("metadata") or {}).get("name", ""),
                obj=item,
                accept=self._query.accept,
            )
            for item in obj["items"]
        ]

    async def _from_files(self) -> AsyncIterator[Info]:
        for name in self._names:
            try:
                async for info in manifests.from_source(self._session, self._query, name):
                    if isinstance(info, Info):
                        yield info
                    else:
                        self._failed(info)
            except _expected_errors() as error:
                self._failed(error)


async def resolve(session: Session, query: Query) -> Result:
    result = Result(session, query)
    await result.prepare()
    return result


def _expected_errors() -> tuple[type[Exception], ...]:
    return APIError, ClientError, KctlError


async def pages(session: Session, mapping: RESTMapping, query: Query) -> AsyncIterator[Info]:
    """An Info for each page, its object the list or Table as it came."""
    namespace = "" if query.all_namespaces or not mapping.namespaced else session.namespace
    token = ""
    while True:
        parameters = {
            "continue": token,
            "fieldSelector": query.field_selector,
            "includeObject": "Object" if query.include_object else "",
            "labelSelector": query.label_selector,
            "limit": str(query.chunk_size) if query.chunk_size > 0 else "",
        }
        resource = mapping.resource
        try:
            answer = await session.client.request(
                "GET",
                _path(mapping, namespace),
                query=[(name, value) for name, value in parameters.items() if value],
                headers=[("Accept", query.accept)],
                subject=Subject("GET", resource.group_resource),
            )
        except APIError as error:
            raise _explained(error, mapping, query) from error
        page = _with_kinds(answer.json())
        yield Info(session, mapping, namespace=namespace, obj=page, accept=query.accept)
        token = str((page.get("metadata") or {}).get("continue") or "")
        if not token:
            return


def _path(mapping: RESTMapping, namespace: str) -> str:
    try:
        return mapping.resource.path(namespace=namespace)
    except ValueError as error:
        raise KctlError(str(error)) from error


def _with_kinds(page: dict[str, Any]) -> dict[str, Any]:
    """Items that leave out what their list says."""
    kind, items = str(page.get("kind", "")), page.get("items")
    if kind.endswith("List") and kind != "List" and isinstance(items, list):
        named = {"apiVersion": page.get("apiVersion"), "kind": kind.removesuffix("List")}
        page["items"] = [item if item.get("kind") else named | item for item in items]
    return page


def _explained(error: APIError, mapping: RESTMapping, query: Query) -> APIError:
    if not isinstance(error, (BadRequest, NotFound)):
        return error
    subject = go_quote(str(mapping.resource))
    if query.label_selector or query.field_selector:
        selectors = f"label selector {go_quote(query.label_selector)}, field selector {go_quote(query.field_selector)}"
        error.message = f"Unable to find {subject} that match {selectors}: {error.message}"
    else:
        error.message = f"Unable to list {subject}: {error.message}"
    error.args = (error.message,)
    return error


WORD = "everything"
_SAID_TWICE = {("events.k8s.io", "events"), ("", "endpoints"), ("", "componentstatuses")}
"""Events are in the core group as well, endpoints have become endpointslices; the deprecated make the server warn."""


async def listable(session: Session, *, cluster_wide: bool, verb: str = "list") -> list[APIResource]:
    """Types that the server can list, by group and name. Those without namespaces only if it is about the whole."""
    discovered = await session.discovery.discover()
    found = [
        one
        for one in discovered.preferred_resources()
        if verb in one.verbs
        and not one.is_subresource
        and (one.namespaced or cluster_wide)
        and (one.resource.group, one.resource.resource) not in _SAID_TWICE
    ]
    return sorted(found, key=lambda one: (one.resource.group, one.resource.resource))


async def with_everything(session: Session, arguments: Sequence[str], *, cluster_wide: bool, verb: str) -> list[str]:
    """The words of a command line, with what `everything` stands for among its types."""
    if not arguments or WORD not in arguments[0].split(","):
        return list(arguments)
    types = [str(one.resource.group_resource) for one in await listable(session, cluster_wide=cluster_wide, verb=verb)]
    words = (one for word in arguments[0].split(",") for one in (types if word == WORD else [word]))
    return [",".join(dict.fromkeys(words)), *arguments[1:]]
