"""Flags that apply and diff share.

What the command line says about an apply, checked. Kubernetes: ApplyOptions.

How far a large apply is, on a terminal and nowhere else.

A whole apply, from files to what is said about it. Kubernetes: ApplyOptions.Run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kctl.changes.apply import apply_set
from kctl.changes.apply.batch import Batch, print_list
from kctl.changes.apply.client_side import ClientSide
from kctl.changes.apply.options import ApplyOptions
from kctl.changes.apply.prune import Prunable, Visited, prunable, prunable_types
from kctl.changes.apply.schemas import PatchSchemas
from kctl.changes.apply.server_side import ServerSide
from kctl.changes.change_cause import recorded, with_annotations
from kctl.changes.deletion import wait_until_gone
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, resolve
from kctl.objects import info as objects_info
from kctl.printers import results
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.mapper import RESTMapping

if TYPE_CHECKING:
    from rich import progress

_A_HANDFUL = 10


class ProgressBar:
    """A bar on stderr below what is printed meanwhile. It is gone when all is done."""

    def __init__(self, session: Session) -> None:
        self._shown = session.is_terminal and sys.stderr.isatty()
        self._bar: progress.Progress | None = None

    def begin(self, total: int) -> None:
        if not self._shown or total <= _A_HANDFUL:
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress

        # What is printed goes through the bar while it stands there, so that the two don't get in each other's way.
        self._bar = Progress(
            BarColumn(), MofNCompleteColumn(), console=Console(stderr=True), transient=True, auto_refresh=False
        )
        self._bar.add_task("apply", total=total)
        self._bar.start()
        self._bar.refresh()

    def step(self) -> None:
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])
            self._bar.refresh()

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class Applying:
    def __init__(self, session: Session, flags: FlagSet, options: ApplyOptions) -> None:
        self._session = session
        self._flags = flags
        self._options = options
        self._visited = Visited(set(), set())
        self._recorded = recorded(session)
        self._progress = ProgressBar(session)
        self._way: ClientSide | ServerSide
        if options.server_side:
            self._way = ServerSide(session, options)
        else:
            self._way = ClientSide(session, options, PatchSchemas(session))

    async def run(self) -> None:
        prunable = await self._prunable_types()
        apply_set = await self._apply_set()
        query = self._query()
        batch = Batch(self._session, query, self._apply_one)
        result = await resolve(self._session, query)
        await batch.read(result)
        batch.settle(dry_run=self._options.dry_run != "none")
        if batch.is_empty and not batch.errors:
            raise KctlError("no objects passed to apply")
        if self._session.namespace_is_explicit:
            self._visited.namespaces.add(self._session.namespace)
        if apply_set is not None:
            await apply_set.begin(batch.infos)
        self._progress.begin(batch.size)
        try:
            await batch.run()
        finally:
            self._progress.end()
        raise_all(batch.errors)
        self._print_all(batch.infos)
        if apply_set is not None:
            await apply_set.finish(self._visited.uids, self._printed)
        elif self._options.prune:
            await self._prune(prunable)

    def _query(self) -> Query:
        return Query.of(self._flags)._replace(
            flatten=True,
            keep_going=True,
            needs_object=False,
            subresource="",
            validates=self._options.field_validation != "Ignore",
        )

    async def _apply_one(self, info: Info) -> None:
        if self._recorded:
            info.object = with_annotations(info.object or {}, self._recorded)
        metadata = (info.object or {}).get("metadata") or {}
        if info.is_namespaced:
            self._visited.namespaces.add(info.namespace)
        if not info.name and metadata.get("generateName"):
            raise KctlError(f"from {metadata['generateName']}: cannot use generate name with apply")
        done = await self._way.apply(info)
        applied = info.object or {}
        self._visited.uids.add(str((applied.get("metadata") or {}).get("uid", "")))
        self._progress.step()
        if not self._options.prints_objects:
            self._printed(applied, done)

    def _printed(self, obj: JSONObject, done: str) -> None:
        printer = results.printer_for(self._flags, done, dry_run=self._options.dry_run)
        printer.print(obj, self._session.write_object)

    def _print_all(self, infos: Sequence[Info]) -> None:
        if not self._options.prints_objects or not infos:
            return
        objects = [info.object or {} for info in infos]
        if len(objects) == 1:
            self._printed(objects[0], "")
        else:
            print_list(self._session, self._flags, objects)

    async def _prunable_types(self) -> list[RESTMapping]:
        if not self._options.prune or self._flags.text("applyset"):
            return []
        return await prunable_types(self._session, self._flags.texts("prune-allowlist"))

    async def _apply_set(self) -> apply_set.ApplySet | None:
        if not self._flags.text("applyset"):
            return None
        return await apply_set.find_parent(self._session, self._flags.text("applyset"), self._options)

    async def _prune(self, types: Sequence[RESTMapping]) -> None:
        pruned = await prunable(self._session, types, self._options.selector, self._visited)
        for one in pruned:
            if self._options.dry_run != "client":
                resource = self._session.client.resource(one.mapping.resource, one.namespace)
                await self._options.deletion.delete_named(resource, one.name)
            self._printed(one.object, "pruned")
        if self._flags.is_on("wait") and self._options.dry_run == "none":
            await self._wait_for(pruned)

    async def _wait_for(self, pruned: Sequence[Prunable]) -> None:
        for one in pruned:
            info = objects_info.Info(self._session, one.mapping, namespace=one.namespace, name=one.name)
            await wait_until_gone(info, self._options.deletion.timeout, uid=one.object["metadata"].get("uid", ""))
