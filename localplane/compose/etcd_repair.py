"""Making room in an etcd that is full, when somebody asks for it: a plane's that runs, one of others, or only files.

What is stored stays as it is; only its history goes. Whoever watches from before may be told to list again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from localplane.apiserver.storage.data_directory import (
    DataDirectory,
    DataDirectoryInUse,
    DataDirectoryUnusable,
    is_data_directory,
)
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.etcd.program.binary import find_etcd
from localplane.apiserver.storage.etcd.program.health import EtcdOptions
from localplane.apiserver.storage.etcd.program.socket_directory import client_socket_of
from localplane.apiserver.storage.etcd.space import DEFAULT_QUOTA_BYTES, Reclaimed, reclaim

from .options import StorageOptions
from .storage import etcd_backend

if TYPE_CHECKING:
    from localplane.apiserver.storage.etcd.backend import EtcdBackend


@dataclass(frozen=True, slots=True)
class MemberRepair:
    """What became of one member: what its file was and is, or why it could not be defragmented."""

    url: str
    file: Reclaimed | None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """`disarmed` counts the members that were full; `alarms` are sentences about what is still wrong."""

    revision: int
    members: tuple[MemberRepair, ...]
    disarmed: int
    alarms: tuple[str, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        return (*(f"{member.url}: {member.failure}" for member in self.members if member.failure), *self.alarms)


async def repair_servers(options: StorageOptions) -> Repair:
    """Of the cluster that the options name; raises StorageError when it can't be asked at all."""
    return await _repair(options.etcd_servers, options)


async def repair_directory(path: Path, *, etcd: Path | None = None) -> Repair:
    """Of a plane's own data: through its etcd if that runs, else with one that is started for it."""
    if not is_data_directory(path):
        raise DataDirectoryUnusable(f"{path} is no data directory of a plane: name it with --data-dir")
    if not (path / "etcd" / "member").exists():
        raise DataDirectoryUnusable(
            f"data directory {path} holds no etcd: only etcd has a quota, and only its file has to be repaired"
        )
    async with _running(path, etcd) as socket:
        return await _repair([f"unix://{socket}"], StorageOptions())


@asynccontextmanager
async def _running(path: Path, etcd: Path | None) -> AsyncIterator[Path]:
    """The socket of the etcd that has this data open, or is started to have it."""
    from localplane.apiserver.storage.etcd.program.supervisor import EtcdSupervisor

    async with AsyncExitStack() as stack:
        try:
            directory = stack.enter_context(DataDirectory(path, command="kctl etcd repair"))
        except DataDirectoryInUse:
            socket = client_socket_of(path)
            if socket is None:
                raise
            yield socket
            return
        binary = find_etcd(explicit=etcd)
        supervisor = EtcdSupervisor(
            binary=binary.path,
            version=binary.version,
            data_directory=directory,
            probe=_answers,
            options=EtcdOptions(quota_backend_bytes=DEFAULT_QUOTA_BYTES),
        )
        await stack.enter_async_context(supervisor)
        yield supervisor.client_socket


async def _answers(socket: Path) -> bool:
    backend = etcd_backend(f"unix://{socket}", exclusive=True)
    try:
        await backend.current_revision()
    finally:
        await backend.close()
    return True


async def _repair(urls: Sequence[str], options: StorageOptions) -> Repair:
    """The history of all members goes at once, their files one after another: each blocks while it is rewritten."""
    async with _backend(urls, options) as cluster:
        revision = await cluster.current_revision()
        await cluster.compact(revision)
        members = [await _defragmented(url, options) for url in urls]
        disarmed = await cluster.disarm()
        alarms = (await cluster.status()).alarms
    return Repair(revision, tuple(members), disarmed, alarms)


async def _defragmented(url: str, options: StorageOptions) -> MemberRepair:
    async with _backend([url], options) as member:
        try:
            return MemberRepair(url, await reclaim(member))
        except StorageError as error:
            return MemberRepair(url, None, str(error))


@asynccontextmanager
async def _backend(urls: Sequence[str], options: StorageOptions) -> AsyncIterator[EtcdBackend]:
    backend = etcd_backend(*urls, exclusive=False, options=options)
    try:
        yield backend
    finally:
        await backend.close()
