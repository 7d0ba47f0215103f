"""One plane from open to closed: its data, the server, its manifests, its context, and how it is told to stop.

Everything happens in one task, because what is opened in a task is closed in it. A signal during the start cancels it;
later ones end the wait. The record in the run file is kept true all the while.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from localplane import __version__
from localplane.apimachinery.errors import Conflict, NotFound
from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.server.listener import CannotListen
from localplane.apiserver.server.monitoring.health import HealthCheck, ping
from localplane.apiserver.server.version import version_document
from localplane.apiserver.storage.errors import StorageError
from localplane.client.errors import ConfigError
from localplane.client.workqueue.supervision import Background
from localplane.compose.cluster import open_cluster
from localplane.compose.kubeconfig import reachable
from localplane.compose.options import ClusterOptions, StorageKind
from localplane.temporary import temporary_directory

from .context import Merged, SwitchContext, add_context, context_name, remove_context
from .errors import PlaneError
from .leftovers import TEMPORARY_PREFIX, empty, take_away
from .logs import FILE_ONLY
from .manifests.applier import Applier
from .manifests.reader import STDIN, Manifest, read_what_can_be
from .manifests.watcher import follow
from .options import UpOptions
from .ports import free_port
from .report import StartReport
from .run_file import READY, STARTING, STOPPING, Claim, record_of_this_process

if TYPE_CHECKING:
    from localplane.compose.identity.record import Identities
    from localplane.compose.server import Plane

T = TypeVar("T")
_log = logging.getLogger(__name__)

_LONGEST_SOCKET_PATH = 100  # the kernel takes 104 to 108 bytes
_PORT_ATTEMPTS = 5


class RunningPlane:
    """`ready` is called each time the plane becomes ready: after the start, and after it was emptied. `began` is the
    moment, in perf_counter's seconds, from which the first start is counted."""

    def __init__(
        self,
        options: UpOptions,
        claim: Claim,
        manifests: Sequence[Manifest],
        *,
        ready: Callable[[StartReport], None],
        began: float,
    ) -> None:
        self._options = options
        self._claim = claim
        self._manifests = manifests
        self._ready = ready
        self._end_of_round = asyncio.Event()
        self._emptying = False
        self._changing = False
        self._began = began
        left = claim.left_behind
        self.record = replace(
            record_of_this_process(options.name),
            context=context_name(options.name),
            # What a killed plane has put into a kubeconfig is ours to replace, or to take out.
            merged_into=left.merged_into if left else "",
            detached=options.detach,
            ephemeral=options.keeps_nothing,
            external=bool(options.storage.etcd_servers),
        )

    @property
    def is_ready(self) -> bool:
        return self.record.phase == READY

    def stop(self) -> None:
        self._emptying = self._changing = False
        self._end_of_round.set()

    def empty(self) -> None:
        """Begin again with no data; while it starts there is nothing to empty."""
        if self.is_ready:
            self._emptying = True
            self._began = perf_counter()
            self._end_of_round.set()

    def begin_with_new_keys(self) -> None:
        """Begin again with the same data: everything that was made of the old keys is made anew."""
        if self.is_ready:
            self._changing = True
            self._began = perf_counter()
            self._end_of_round.set()

    async def run(self) -> None:
        if self._claim.left_behind is not None:
            # Its context is written over; that somebody chose a namespace in it should not be lost.
            take_away(self._claim.left_behind, context=False)
        with self._data_directory() as data_dir:
            try:
                self._note(phase=STARTING)
                port = await self._one_round(data_dir, self._options.port)
                while self._emptying or self._changing:
                    self._begin_again(data_dir)
                    port = await self._one_round(data_dir, port)
            finally:
                if self.record.merged_into:
                    remove_context(Path(self.record.merged_into), self.record.context)

    def _begin_again(self, data_dir: Path | None) -> None:
        empties, self._emptying, self._changing = self._emptying, False, False
        self._end_of_round.clear()
        if empties:
            _log.info("emptying %s", self._options.name)
            if data_dir is not None:
                empty(data_dir)
        else:
            _log.info("%s begins again with new keys", self._options.name)
            storage = replace(self._options.storage, begin_with=None)
            self._options = replace(self._options, cluster=replace(self._options.cluster, storage=storage))
        self._manifests = self._manifests_now()
        self._note(phase=STARTING, round=self.record.round + 1)

    def _manifests_now(self) -> Sequence[Manifest]:
        """What the files say by now; what was piped in is what it was. One that can't be read is no reason to end."""
        files = [name for name in (*map(str, self._options.crds), *self._options.filenames) if name != STDIN]
        manifests, problems = read_what_can_be(files)
        for problem in problems:
            _log.warning("%s", problem)
        return [*(manifest for manifest in self._manifests if manifest.source == "stdin"), *manifests]

    async def _one_round(self, data_dir: Path | None, port: int | None) -> int:
        """Serve until somebody ends it. Returns the port, for the next round to have the same."""
        async with AsyncExitStack() as stack:
            plane, notes = await stack.enter_async_context(_opened(self._options, data_dir, port))
            _log.debug("%s listens after %.0f ms", plane.url, self._milliseconds())
            socket = await self._listen_to_ourselves(plane, stack)
            applier = Applier(plane.client)
            applied = await self._apply(applier)
            merged = self._merge(plane)
            self._note_ready(plane, socket, merged)
            notes += plane.storage.hints
            self._report(merged, applied, notes)
            if plane.storage.identities is not None:
                await stack.enter_async_context(Background(partial(self._follow_keys, plane.storage.identities)))
            if self._options.watch:
                await stack.enter_async_context(Background(partial(follow, self._options.filenames, applier)))
            await self._end_of_round.wait()
            self._note(phase=STOPPING)
            return plane.server.port

    async def _follow_keys(self, identities: Identities) -> None:
        from localplane.compose.identity.changing import changed_elsewhere

        await changed_elsewhere(identities)
        self.begin_with_new_keys()

    async def _joining(self) -> dict[str, Any]:
        from .join import joining

        told = joining(self._options)
        return {"words": told.words, "files": told.files, "notes": told.notes}

    async def _change_keys(self, plane: Plane, what: str) -> None:
        """Raises APIErrors."""
        from localplane.compose.identity.changing import change_keys

        if what not in ("renew", "retire"):
            raise NotFound("the server could not find the requested resource")
        if self._options.storage.kind is StorageKind.MEMORY:
            raise Conflict(f'plane "{self.record.name}" keeps nothing, so it has new keys whenever it is started')
        try:
            await change_keys(plane.storage.identities, plane.kubeconfig.parent / "pki", what)
        except StorageError as error:
            raise interpret_list(error) from error
        self.begin_with_new_keys()

    async def _apply(self, applier: Applier) -> int:
        outcome = await applier.apply(self._manifests)
        if outcome.problems and not self._options.watch and not self.record.round:
            raise PlaneError("not everything could be applied:\n" + "\n".join(f"* {one}" for one in outcome.problems))
        for problem in outcome.problems:
            _log.warning("%s", problem)
        for applied in outcome.applied:
            _log.debug("%s is applied", applied)
        return len(outcome.applied)

    def _merge(self, plane: Plane) -> Merged | None:
        if not self._options.merge_context:
            return None
        try:
            merged = add_context(plane.kubeconfig, switch=self._options.switching, into=self._options.kubeconfig)
        except ConfigError as error:
            # Going on would be worse: whoever uses kubectl now would use it on another cluster.
            raise PlaneError(
                f"its context can't be added: {error}: mend that, or name another file with --kubeconfig"
            ) from error
        if self.record.merged_into not in ("", str(merged.into)):
            remove_context(Path(self.record.merged_into), self.record.context)
        return merged

    def _note_ready(self, plane: Plane, socket: Path, merged: Merged | None) -> None:
        storage = plane.storage
        self._note(
            phase=READY,
            url=reachable(plane.url),
            kubeconfig=str(plane.kubeconfig),
            merged_into=str(merged.into) if merged else "",
            data_dir=str(storage.data_dir or ""),
            store=storage.store,
            socket=str(socket),
            versions={"kctl": f"v{__version__}", "kubernetes": version_document()["gitVersion"]},
        )

    def _report(self, merged: Merged | None, applied: int, notes: list[str]) -> None:
        milliseconds = self._milliseconds()
        logging.getLogger(FILE_ONLY).info(
            "%s is up at %s with %s, ready in %.0f ms",
            self.record.name,
            self.record.url,
            self.record.store,
            milliseconds,
        )
        self._ready(
            StartReport(
                self.record,
                milliseconds,
                switched=self._options.switching is not SwitchContext.NEVER,
                before=merged.before if merged else "",
                applied=applied,
                nodes=self._options.cluster.simulated_nodes,
                notes=notes,
            )
        )

    def _milliseconds(self) -> float:
        return (perf_counter() - self._began) * 1000

    def _note(self, **changes: Any) -> None:
        self.record = replace(self.record, **changes)
        self._claim.write(self.record)

    async def _listen_to_ourselves(self, plane: Plane, stack: AsyncExitStack) -> Path:
        """Where `kctl status` asks: a socket of the user's own, so that it needs no keys."""
        # Imported here: they come with the server, which is imported while the store starts.
        from localplane.apiserver.server.monitoring.health_socket import HealthHandler, listening
        from localplane.compose.doctor import Doctor

        async def facts() -> dict[str, Any]:
            return {**await plane.storage.facts(), "etcdPid": plane.storage.etcd_pid}

        doctor = Doctor(plane.storage)

        async def bad_objects() -> dict[str, Any]:
            found = await _as_api_error(doctor.examine())
            listed = [{"key": each.key, "problem": each.verdict.why, "shown": each.verdict.is_shown} for each in found]
            return {"badObjects": listed}

        async def remove_bad(key: str) -> None:
            await _as_api_error(doctor.remove(key))

        handler = HealthHandler(
            live=[HealthCheck("ping", ping)],
            ready=plane.server.checks.of("readyz"),
            facts=facts,
            bad_objects=bad_objects,
            remove_bad=remove_bad,
            change_keys=partial(self._change_keys, plane),
            join=self._joining,
        )
        path = self._claim.places.directory / "socket"
        if len(os.fsencode(path)) > _LONGEST_SOCKET_PATH:
            path = stack.enter_context(temporary_directory(TEMPORARY_PREFIX)) / "socket"
        await stack.enter_async_context(listening(path, handler))
        return path

    @contextmanager
    def _data_directory(self) -> Iterator[Path | None]:
        options = self._options
        if options.storage.kind is StorageKind.MEMORY:
            yield None
        elif options.ephemeral:
            with temporary_directory(TEMPORARY_PREFIX) as path:
                self.record = replace(self.record, data_dir=str(path))
                yield path
        else:
            yield options.storage.data_dir or self._claim.places.data


async def _as_api_error(asked: Awaitable[T]) -> T:
    from localplane.compose.doctor import NotBad

    try:
        return await asked
    except NotBad as error:
        raise NotFound(str(error)) from error
    except StorageError as error:
        raise interpret_list(error) from error


@asynccontextmanager
async def _opened(
    options: UpOptions, data_dir: Path | None, port: int | None
) -> AsyncIterator[tuple[Plane, list[str]]]:
    """The server and what is to be said about its port. Somebody may take a port between our look and our bind."""
    for attempt in range(_PORT_ATTEMPTS):
        chosen = free_port(options, wanted=port)
        async with AsyncExitStack() as stack:
            try:
                opened = open_cluster(_cluster(options, data_dir=data_dir, port=chosen.number))
                plane = await stack.enter_async_context(opened)
            except CannotListen:
                if options.port is not None or attempt + 1 == _PORT_ATTEMPTS:
                    raise
                continue
            yield plane, list(chosen.notes)
            return


def _cluster(options: UpOptions, *, data_dir: Path | None, port: int) -> ClusterOptions:
    """The server's name is the context's: its kubeconfig calls everything so."""
    cluster = options.cluster
    return replace(
        cluster,
        name=context_name(options.name),
        server=replace(cluster.server, port=port),
        storage=replace(cluster.storage, data_dir=data_dir),
    )
