"""The storage: a store (etcd as a supervised subprocess, an etcd cluster somewhere, SQLite or memory), the cache over
it, and what keeps them."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.server.monitoring.health import HealthCheck, Unhealthy, ping
from localplane.apiserver.server.options import InvalidOptions
from localplane.apiserver.storage.backend import Backend, prefix_end
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.cacher.chronicle import Chronicle
from localplane.apiserver.storage.compaction import Compactor
from localplane.apiserver.storage.data_directory import DataDirectory, DataDirectoryUnusable, is_data_directory
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.etcd.program.binary import (
    MINIMUM_VERSION,
    EtcdBinary,
    EtcdNotFound,
    EtcdUnusable,
    find_etcd,
    version_numbers,
)
from localplane.apiserver.storage.etcd.program.faults import EtcdFailed, EtcdFault, FaultCause
from localplane.apiserver.storage.etcd.program.health import EtcdOptions
from localplane.apiserver.storage.etcd.space import DEFAULT_QUOTA_BYTES, SpaceKeeper
from localplane.apiserver.storage.high_water import DataWentBack, HighWaterDamaged, HighWaterMark
from localplane.apiserver.storage.renumbered import RenumberedBackend
from localplane.apiserver.storage.store.certain_writes import CertainWrites, Fence

from .options import ETCD_PASSWORD, StorageKind, StorageOptions

if TYPE_CHECKING:
    from localplane.apiserver.storage.encryption import EncryptionRules
    from localplane.apiserver.storage.etcd.backend import EtcdBackend
    from localplane.apiserver.storage.etcd.program.supervisor import EtcdSupervisor
    from localplane.apiserver.storage.etcd.registration import Registration

    from .identity.record import Identities

_log = logging.getLogger(__name__)

ClusterCheck: TypeAlias = "Callable[[EtcdBackend], Awaitable[None]]"

_HEALTH_WITHIN = timedelta(seconds=2)
_NOTE_REVISION_EVERY = timedelta(seconds=1)


@dataclass(slots=True)
class OpenStorage:
    """Running storage. `store` is one line for people: which store, and where it came from. `observe_calls` lets
    somebody hear the name and the seconds of every call to etcd. `registration`, given an identity, is how servers
    on the prefix know of one another; it is there where others could come. `identities` is where the keys are that this
    server has in common with them."""

    backend: Backend
    cacher: Cacher
    store: str
    data_dir: Path | None = None
    supervisor: EtcdSupervisor | None = None
    hints: list[str] = field(default_factory=list)
    observe_calls: Callable[[Callable[[str, float], None]], None] = lambda _: None
    etcd: EtcdBackend | None = None
    space: SpaceKeeper | None = None
    registration: Callable[[str], Registration] | None = None
    identities: Identities | None = None

    @property
    def etcd_pid(self) -> int | None:
        """The supervised etcd's; None while it is down, or when there is none."""
        return self.supervisor.pid if self.supervisor else None

    def readiness(self) -> list[HealthCheck]:
        return [
            HealthCheck("ping", ping),
            HealthCheck(self.backend.name, self._check_store),
            HealthCheck("watch-cache", self._check_cache),
        ]

    async def facts(self) -> dict[str, Any]:
        """What is stored where; raises an APIError when the store can't be asked."""
        try:
            status = await self.backend.status()
            await self.cacher.catch_up()
        except StorageError as error:
            raise interpret_list(error) from error
        return {
            "store": self.store,
            "version": status.version,
            "revision": status.revision,
            "sizeBytes": status.size_bytes,
            "objects": len(self.cacher.index),
            "watchers": len(self.cacher.watchers),
            "alarms": list(status.alarms),
            "badObjects": sorted(each.key for each in self.cacher.judgement.bad_objects),
        }

    async def _check_store(self) -> None:
        try:
            async with asyncio.timeout(_HEALTH_WITHIN.total_seconds()):
                status = await self.backend.status()
                await self.backend.current_revision()  # a status tells nothing about a store that went back
        except (StorageError, TimeoutError) as error:
            raise Unhealthy(self._trouble() or str(error) or "no answer in time") from error
        if status.alarms:
            raise Unhealthy(self._trouble() or "; ".join(status.alarms))

    def _trouble(self) -> str:
        """What those say who look after an etcd of our own, and know better than its client what is the matter."""
        fault = self.supervisor.health.fault if self.supervisor else None
        return fault.sentence if fault else self.space.trouble if self.space else ""

    async def _check_cache(self) -> None:
        if not self.cacher.ready:
            raise Unhealthy(self.cacher.why_not_ready)


def default_data_dir(name: str = "default") -> Path:
    """Under the user's state directory, as the XDG base directory specification has it."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "kctl" / name


@asynccontextmanager
async def open_storage(options: StorageOptions, *, check: ClusterCheck | None = None) -> AsyncIterator[OpenStorage]:
    """Storage that is ready when the block is entered, and stopped in order when it is left. `check` looks at an etcd
    cluster before anything is written to it, and raises StorageErrors."""
    async with AsyncExitStack() as stack:
        opened = await _open(options, stack, check)
        if options.begin_with is not None:
            from .archives import begin_with

            await begin_with(opened.backend, options.begin_with, options.etcd_prefix)
        await opened.cacher.start()
        stack.push_async_callback(opened.cacher.close)
        compactor = Compactor(opened.backend, seen=lambda: opened.cacher.revision, interval=options.compaction_interval)
        if opened.etcd is not None:
            opened.space = SpaceKeeper(
                opened.etcd, compactor, quota_bytes=options.etcd_quota_bytes or DEFAULT_QUOTA_BYTES
            )
            await opened.space.look()  # before anything is written: a start has much to write
            _in_background(stack, opened.space.run())
        _in_background(stack, compactor.run())
        yield opened


@asynccontextmanager
async def branch_storage(trunk: OpenStorage, options: StorageOptions) -> AsyncIterator[OpenStorage]:
    """What another storage has at this moment, in memory, and open as long as the block lasts. Objects and history are
    shared until they are changed. Raises Unavailable when the other one is."""
    from localplane.apiserver.storage.memory import MemoryBackend

    await trunk.cacher.catch_up()
    while not trunk.cacher.has_caught_up:
        await trunk.cacher.catch_up()
    assert isinstance(trunk.backend, MemoryBackend)
    backend = trunk.backend.branch()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(backend.close)
        cacher = _cacher(backend, options)
        cacher.start_as(trunk.cacher)
        stack.push_async_callback(cacher.close)
        compactor = Compactor(backend, seen=lambda: cacher.revision, interval=options.compaction_interval)
        _in_background(stack, compactor.run())
        yield OpenStorage(backend, cacher, trunk.store)


async def _open(options: StorageOptions, stack: AsyncExitStack, check: ClusterCheck | None) -> OpenStorage:
    encryption_rules(options)  # what is wrong with them is said before anything is touched
    if options.etcd_servers:
        return await _open_cluster(options, stack, check)
    if options.kind is StorageKind.MEMORY:
        from localplane.apiserver.storage.memory import MemoryBackend

        memory = MemoryBackend()
        stack.push_async_callback(memory.close)
        return OpenStorage(memory, _cacher(memory, options), "memory: gone when this process ends")
    path = options.data_dir or default_data_dir()
    chosen = _choose(options, path)
    # The binary is looked at before the directory is touched: a wrong etcd must not leave traces.
    directory = stack.enter_context(DataDirectory(path, command="kctl up"))
    if chosen.etcd is None:
        return await _open_sqlite(options, stack, directory, chosen)
    return await _open_etcd(options, stack, directory, chosen.etcd)


@dataclass(frozen=True, slots=True)
class _Choice:
    etcd: EtcdBinary | None
    why_not_etcd: str = ""


def _choose(options: StorageOptions, path: Path) -> _Choice:
    held = _held(path)
    kind = options.kind or held
    if kind and held and kind is not held:
        raise DataDirectoryUnusable(
            f"data directory {path} holds {held} data: leave out --storage, or choose another directory with --data-dir"
        )
    if kind is StorageKind.SQLITE:
        return _Choice(None)
    try:
        return _Choice(find_etcd(explicit=options.etcd_path, allow_unsafe=options.allow_unsafe_etcd))
    except EtcdUnusable as error:
        named = options.etcd_path is not None or "KCTL_ETCD" in os.environ
        if kind is StorageKind.ETCD or (named and not isinstance(error, EtcdNotFound)):
            raise
        return _Choice(None, str(error))


def holds_objects(path: Path) -> bool:
    """Whether a store of ours is in the directory; it may hold keys alone."""
    return is_data_directory(path) and _held(path) is not None


def _held(path: Path) -> StorageKind | None:
    """Which store the directory already belongs to: its data must never seem to have vanished."""
    if (path / "etcd" / "member").exists():
        return StorageKind.ETCD
    return StorageKind.SQLITE if (path / _SQLITE_FILE).exists() else None


_SQLITE_FILE = "sqlite.db"
_NUMBERING = "revisions.json"


async def _open_sqlite(
    options: StorageOptions, stack: AsyncExitStack, directory: DataDirectory, choice: _Choice
) -> OpenStorage:
    from localplane.apiserver.storage.sqlite.backend import SQLiteBackend

    backend = await SQLiteBackend.open(directory.path / _SQLITE_FILE)
    stack.push_async_callback(backend.close)
    await _guard_against_going_back(options, stack, HighWaterMark(directory.high_water), backend)
    version = (await backend.status()).version
    encrypted = _encrypted(backend, options)
    hints = [f"etcd is not used: {choice.why_not_etcd}"] if choice.why_not_etcd else []
    return OpenStorage(encrypted, _cacher(encrypted, options), version, directory.path, hints=hints)


async def _open_etcd(
    options: StorageOptions, stack: AsyncExitStack, directory: DataDirectory, binary: EtcdBinary
) -> OpenStorage:
    from localplane.apiserver.storage.etcd.program.supervisor import EtcdSupervisor

    mark = HighWaterMark(directory.high_water)
    probe = _SameData(mark)
    supervisor = EtcdSupervisor(
        binary=binary.path,
        version=binary.version,
        data_directory=directory,
        probe=probe,
        options=EtcdOptions(quota_backend_bytes=options.etcd_quota_bytes or DEFAULT_QUOTA_BYTES),
    )
    await stack.enter_async_context(supervisor)
    etcd = etcd_backend(f"unix://{supervisor.client_socket}", exclusive=True, options=options)
    stack.push_async_callback(etcd.close)
    await etcd.finish_replacement(*_registry(options))
    probe.difference = await _difference(options, directory, mark, etcd)
    backend: Backend = RenumberedBackend(etcd, difference=probe.difference) if probe.difference else etcd
    probe.client = backend
    await _guard_against_going_back(options, stack, mark, backend)
    store = f"etcd {binary.version} ({binary.path})"
    backend = _encrypted(backend, options)
    cacher = _cacher(backend, options, fence=etcd.fence)
    opened = OpenStorage(backend, cacher, store, directory.path, supervisor, observe_calls=etcd.observe_calls)
    opened.etcd = etcd
    return opened


class _SameData:
    """Whether an etcd that was started answers, and still has the data that it had when it ended.

    Its files may be emptied or replaced while it is down, and it would start without a word. `client` is who uses it
    and knows how far it had come; None until the first start has succeeded.
    """

    def __init__(self, mark: HighWaterMark) -> None:
        self._mark = mark
        self.client: Backend | None = None
        self.difference = 0

    async def __call__(self, socket: Path) -> bool:
        known = self._mark.reached(self.client.observed_revision) if self.client is not None else None
        backend = etcd_backend(f"unix://{socket}", exclusive=True)
        try:
            revision = await backend.current_revision() + self.difference
            if known is not None:
                self._mark.verify(known, identity=await backend.identity(), revision=revision)
        except DataWentBack as error:
            raise EtcdFailed(EtcdFault(FaultCause.WENT_BACK, str(error))) from error
        finally:
            await backend.close()
        return True


async def _difference(options: StorageOptions, directory: DataDirectory, mark: HighWaterMark, etcd: EtcdBackend) -> int:
    """What etcd's revisions are raised by: an earlier loss has made it, or one that is accepted now makes it larger."""
    identity, revision = await etcd.identity(), await etcd.current_revision()
    note = directory.read_note(_NUMBERING) or {}
    noted = note.get("difference") if note.get("identity") == identity else 0
    difference = noted if type(noted) is int and noted > 0 else 0
    if options.begin_with is not None and not difference and not await etcd.count(*_registry(options)):
        difference = options.begin_with.header.revision
        directory.write_note(_NUMBERING, {"identity": identity, "difference": difference})
    missing = mark.revision_to_exceed() + 1 - revision - difference
    if options.accept_data_loss and missing > 0 and not mark.permits(identity, revision + difference):
        difference += missing
        directory.write_note(_NUMBERING, {"identity": identity, "difference": difference})
        _log.warning("revisions are counted on from %d, above all that were ever seen", revision + difference)
    return difference


def _registry(options: StorageOptions) -> tuple[str, str]:
    """The first key of all that we store, and the first behind it."""
    start = options.etcd_prefix + "/"
    return start, prefix_end(start)


def etcd_backend(*endpoints: str, exclusive: bool, options: StorageOptions | None = None) -> EtcdBackend:
    """Imported here: protobuf costs a third of a start, and only etcd needs it."""
    from localplane.apiserver.storage.etcd.backend import EtcdBackend
    from localplane.apiserver.storage.etcd.client import EtcdClient, EtcdTLSFiles, EtcdUser

    options = options or StorageOptions()
    client = EtcdClient(
        endpoints,
        tls=EtcdTLSFiles(options.etcd_cafile, options.etcd_certfile, options.etcd_keyfile),
        user=EtcdUser(options.etcd_user, partial(_etcd_password, options)) if options.etcd_user else None,
        timeout=options.etcd_timeout,
        connect_timeout=options.etcd_connect_timeout,
    )
    return EtcdBackend(client, exclusive=exclusive)


def _etcd_password(options: StorageOptions) -> str:
    """Never an argument: other users of the machine can read those. Raises OSError."""
    if options.etcd_password_file is None:
        return os.environ.get(ETCD_PASSWORD, "")
    return options.etcd_password_file.read_text().rstrip("\r\n")


async def _open_cluster(options: StorageOptions, stack: AsyncExitStack, check: ClusterCheck | None) -> OpenStorage:
    directory = stack.enter_context(DataDirectory(options.data_dir, command="kctl up")) if options.data_dir else None
    backend = etcd_backend(*options.etcd_servers, exclusive=False, options=options)
    stack.push_async_callback(backend.close)
    version = (await backend.status()).version
    where = ", ".join(options.etcd_servers)
    if (version_numbers(version) or MINIMUM_VERSION) < MINIMUM_VERSION and not options.allow_unsafe_etcd:
        wanted = ".".join(map(str, MINIMUM_VERSION))
        raise EtcdUnusable(f"etcd {version} runs at {where}, and {wanted} or later is needed; earlier ones lose data")
    if check is not None:
        await check(backend)
    await backend.finish_replacement(*_registry(options))
    encrypted = _encrypted(backend, options)
    cacher = _cacher(encrypted, options, fence=backend.fence)
    backend.observe_discontinuities(cacher.start_over)
    return OpenStorage(
        encrypted,
        cacher,
        f"etcd {version} at {where}",
        directory.path if directory else None,
        observe_calls=backend.observe_calls,
        registration=partial(backend.registration, options.etcd_prefix),
    )


def encryption_rules(options: StorageOptions) -> EncryptionRules | None:
    """What is encrypted how; None if nothing is. Imported here: most need nothing of it. Raises InvalidOptions."""
    if options.encryption is None:
        return None
    from localplane.apiserver.storage.encryption import ConfigurationInvalid, read_configuration

    try:
        return read_configuration(options.encryption)
    except ConfigurationInvalid as error:
        raise InvalidOptions([f"--encryption-provider-config: {error}"]) from error


def _encrypted(backend: Backend, options: StorageOptions) -> Backend:
    rules = encryption_rules(options)
    if rules is None:
        return backend
    from localplane.apiserver.storage.encryption import EncryptedBackend
    from localplane.catalog.declarations import storage_places

    return EncryptedBackend(backend, rules, root=options.etcd_prefix, resources=storage_places())


def _cacher(backend: Backend, options: StorageOptions, *, fence: Fence | None = None) -> Cacher:
    return Cacher(
        backend,
        root=options.etcd_prefix,
        certain_writes=CertainWrites(backend, fence=fence),
        chronicle=Chronicle(most_bytes=options.history.most_bytes, longest=options.history.longest),
    )


async def _guard_against_going_back(
    options: StorageOptions, stack: AsyncExitStack, mark: HighWaterMark, backend: Backend
) -> None:
    """Refuse data that is older than it was, unless the user has said that it is all right."""
    stack.callback(mark.close)
    identity, revision = await backend.identity(), await backend.current_revision()
    try:
        mark.check(identity, revision)
    except (DataWentBack, HighWaterDamaged):
        if not options.accept_data_loss:
            raise
        mark.accept(identity, await backend.advance_revision(mark.revision_to_exceed() + 1))
    _in_background(stack, _note_revisions(mark, backend))


async def _note_revisions(mark: HighWaterMark, backend: Backend) -> None:
    while True:
        await asyncio.sleep(_NOTE_REVISION_EVERY.total_seconds())
        mark.advance(backend.observed_revision)


def _in_background(stack: AsyncExitStack, work: Coroutine[Any, Any, None]) -> None:
    """Run until the stack is left. It handles its own troubles; what it can't is a fault of ours, and logged."""
    task = asyncio.create_task(work)
    task.add_done_callback(_log_fault)
    stack.push_async_callback(_ended, task)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait((task,))


def _log_fault(task: asyncio.Task[None]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _log.error("a task of the storage has ended", exc_info=error)
