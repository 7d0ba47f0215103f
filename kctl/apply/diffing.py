"""What an apply would change, object by object. Kubernetes: DiffOptions.Run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from localplane.apimachinery.errors import Conflict, NotFound
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
    from kctl.resolve import Info
    from kctl.session import Session

Object = dict[str, Any]

_ATTEMPTS = 4


async def diff(session: Session, given: Given) -> int:
    """Prints the differences; 1 if there are any."""
    from kctl.resolve import Query, resolve

    query = Query.of(given)._replace(flatten=True, needs_object=False)
    visited = Visited(set(), set())
    with Versions() as versions:
        found = await resolve(session, query)
        diffing = _Diffing(session, given, versions, visited)
        async for info in found.visit():
            await diffing.add(info)
        if given.is_on("prune"):
            await _add_pruned(session, given, versions, visited)
        return versions.compare()


class _Diffing:
    def __init__(self, session: Session, given: Given, versions: Versions, visited: Visited) -> None:
        self._session = session
        self._given = given
        self._versions = versions
        self._visited = visited
        self._schemas = PatchSchemas(session)
        self._manager = field_manager(session, server_side=given.is_on("server-side"))

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

    async def _live(self, info: Info) -> Object | None:
        try:
            live = await info.get()
        except NotFound:
            return None
        if info.is_namespaced:
            self._visited.namespaces.add(info.namespace)
        self._visited.uids.add(str((live.get("metadata") or {}).get("uid", "")))
        return live

    async def _merged(self, info: Info, local: Object, live: Object | None, *, pinned: bool) -> Object:
        if self._given.is_on("server-side"):
            return await info.resource.patch(
                info.name,
                local,
                PatchType.APPLY,
                force=self._given.is_on("force-conflicts"),
                dry_run=True,
                field_manager=self._manager,
            )
        if live is None:
            metadata = {key: value for key, value in local["metadata"].items() if key != "resourceVersion"}
            return await info.resource.create(
                {**local, "metadata": metadata}, dry_run=True, field_manager=self._manager
            )
        options = PatcherOptions(self._manager, dry_run="server", pinned=pinned)
        modified = last_applied.encoded(last_applied.bare(local))
        try:
            patched = await Patcher(self._schemas, options).patch(info, live, modified)
        except PatchRefused as refusal:
            raise refusal.error from refusal
        return patched.object

    def _write(self, info: Info, live: Object | None, merged: Object) -> None:
        kind = info.rest_mapping.kind
        if not self._given.is_on("show-managed-fields"):
            from kctl.printers.objects import without_managed_fields

            live = None if live is None else without_managed_fields(live)
            merged = without_managed_fields(merged)
        if not self._given.is_on("show-secrets") and merged.get("kind") == "Secret" and kind.version == "v1":
            live, merged = masked(live, merged)
        self._versions.write(merged, info.namespace, info.name, live=live, merged=merged)


async def _add_pruned(session: Session, given: Given, versions: Versions, visited: Visited) -> None:
    from .pruning import prunable, prunable_types

    types = await prunable_types(session, given.texts("prune-allowlist"))
    for one in await prunable(session, types, given.text("selector"), visited):
        versions.write(one.object, one.namespace, one.name, live=one.object, merged=None)
