"""What an apply would change, object by object. Kubernetes: DiffOptions.Run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.errors import KctlError
from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ClientError
from localplane.client.resources import PatchType

from . import last_applied
from .client_side import warn_if_deleting
from .masking import masked
from .options import field_manager
from .patcher import Patcher, PatcherOptions, PatchRefused
from .pruning import Visited
from .schemas import PatchSchemas
from .versions import Versions

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Found, Info
    from kctl.session import Session
    from localplane.client.mapper import RESTMapping


_ATTEMPTS = 4


async def diff(session: Session, given: Given) -> int:
    """Prints the differences; 1 if there are any. Every file is looked at before the first error is raised."""
    from kctl.resolve import Query, resolve

    query = Query.of(given)._replace(flatten=True, needs_object=False)
    visited = Visited(set(), set())
    types = await _prunable_types(session, given)
    with Versions() as versions:
        found = await resolve(session, query)
        if given.number("concurrency") > 1:
            errors = _at_once(session, given, found, versions, visited)
        else:
            diffing = _Diffing(session, given, versions, visited)
            errors = [error for part in found.by_source() if (error := await diffing.add_all(part))]
        if types is not None:
            await _add_pruned(session, given, types, versions, visited)
        for error in errors:
            raise error
        return versions.compare()


def _at_once(session: Session, given: Given, found: Found, versions: Versions, visited: Visited) -> list[Exception]:
    """As many files at a time as --concurrency says, each in a thread with a connection of its own."""
    from concurrent.futures import ThreadPoolExecutor

    from localplane.client.driving import drive

    async def add_all(index: int) -> Exception | None:
        own = session.another()
        try:
            return await _Diffing(own, given, versions, visited).add_all(found.by_source(own)[index])
        finally:
            await own.close()

    with ThreadPoolExecutor(given.number("concurrency")) as threads:
        done = threads.map(lambda index: drive(lambda: add_all(index)), range(len(found.by_source())))
        return [error for error in done if error is not None]


class _Diffing:
    def __init__(self, session: Session, given: Given, versions: Versions, visited: Visited) -> None:
        self._session = session
        self._given = given
        self._versions = versions
        self._visited = visited
        self._schemas = PatchSchemas(session)
        self._manager = field_manager(session, server_side=given.is_on("server-side"))

    async def add_all(self, found: Found) -> Exception | None:
        """What one file has, up to what goes wrong, which is the answer."""
        try:
            async for info in found.visit():
                await self.add(info)
        except (KctlError, APIError, ClientError) as error:
            return error
        return None

    async def add(self, info: Info) -> None:
        assert info.object is not None
        local = info.object
        for attempt in range(1, _ATTEMPTS + 1):
            live = await self._live(info)
            try:
                merged = await self._merged(info, local, live, pinned=attempt < _ATTEMPTS)
            except Conflict:
                if attempt == _ATTEMPTS or self._given.is_on("server-side"):
                    raise
                continue
            break
        self._write(info, live, merged)
        warn_if_deleting(self._session, live)

    async def _live(self, info: Info) -> JSONObject | None:
        try:
            live = await info.get()
        except NotFound:
            return None
        if info.is_namespaced:
            self._visited.namespaces.add(info.namespace)
        self._visited.uids.add(str((live.get("metadata") or {}).get("uid", "")))
        return live

    async def _merged(self, info: Info, local: JSONObject, live: JSONObject | None, *, pinned: bool) -> JSONObject:
        if self._given.is_on("server-side"):
            return await info.resource.patch(
                info.name,
                last_applied.written(local),
                PatchType.APPLY,
                force=self._given.is_on("force-conflicts"),
                dry_run=True,
                field_manager=self._manager,
            )
        if live is None:
            metadata = {key: value for key, value in local["metadata"].items() if key != "resourceVersion"}
            return await info.resource.create(
                last_applied.written({**local, "metadata": metadata}), dry_run=True, field_manager=self._manager
            )
        options = PatcherOptions(self._manager, dry_run="server", pinned=pinned)
        modified = last_applied.encoded(last_applied.bare(local))
        try:
            patched = await Patcher(self._schemas, options).patch(info, live, modified)
        except PatchRefused as refusal:
            raise refusal.error from refusal
        return patched.object

    def _write(self, info: Info, live: JSONObject | None, merged: JSONObject) -> None:
        kind = info.rest_mapping.kind
        if not self._given.is_on("show-managed-fields"):
            from kctl.printers.objects import without_managed_fields

            live = None if live is None else without_managed_fields(live)
            merged = without_managed_fields(merged)
        if not self._given.is_on("show-secrets") and merged.get("kind") == "Secret" and kind.version == "v1":
            live, merged = masked(live, merged)
        self._versions.write(merged, info.namespace, info.name, live=live, merged=merged)


async def _prunable_types(session: Session, given: Given) -> list[RESTMapping] | None:
    if not given.is_on("prune"):
        return None
    from .pruning import prunable_types

    return await prunable_types(session, given.texts("prune-allowlist"))


async def _add_pruned(
    session: Session, given: Given, types: list[RESTMapping], versions: Versions, visited: Visited
) -> None:
    from .pruning import prunable

    for one in await prunable(session, types, given.text("selector"), visited):
        versions.write(one.object, one.namespace, one.name, live=one.object, merged=None)
