"""A server's home: what it stores its objects in, and a directory for what it keeps beside them."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apiserver.server.options import InvalidOptions
from localplane.apiserver.storage.errors import StorageError
from localplane.client.workqueue.supervision import Background
from localplane.files import write_atomically
from localplane.temporary import temporary_directory

from .options import StorageKind, StorageOptions
from .storage import OpenStorage, branch_storage, default_data_dir, open_storage

_log = logging.getLogger(__name__)
_IDENTITY_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Home:
    """The directory may be a temporary one. `clock` is what goes on here goes by, if it is not the machine's."""

    storage: OpenStorage
    directory: Path
    clock: VirtualClock | None = None


@asynccontextmanager
async def open_home(
    options: StorageOptions, *, alone: bool = False, clock: VirtualClock | None = None
) -> AsyncIterator[Home]:
    """With `alone`, no other such server uses the same storage: raises PrefixInUse, also later."""
    with ExitStack() as stack:
        async with open_storage(options) as storage:
            directory = storage.data_dir
            if directory is None:
                directory = stack.enter_context(temporary_directory())
            async with _claimed(storage, directory) if alone else nullcontext():
                yield Home(storage, directory, clock)


@asynccontextmanager
async def branch_home(
    trunk: Home, options: StorageOptions, *, clock: VirtualClock | None = None
) -> AsyncIterator[Home]:
    """A home that begins with all that is stored in another one, which has to outlast it. They share the directory: to
    make another one takes as long as the rest of a branch."""
    async with branch_storage(trunk.storage, options) as storage:
        yield Home(storage, trunk.directory, clock)


@asynccontextmanager
async def _claimed(storage: OpenStorage, directory: Path) -> AsyncIterator[None]:
    """A data directory is one process's already; a prefix of a cluster has to be claimed."""
    if storage.claim is None:
        yield
        return
    claim = storage.claim(_identity(directory / "server-id"))
    await claim.take()
    try:
        async with Background(claim.keep):
            yield
    except ExceptionGroup as group:
        lost = group.exceptions[0]
        if not isinstance(lost, StorageError):
            raise
        _log.critical("this server has to end: %s", lost)
        raise lost from None
    finally:
        await claim.release()


def _identity(path: Path) -> str:
    """Who this server is from start to start."""
    try:
        known = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        known = ""
    if len(known) != _IDENTITY_LENGTH:
        known = uuid.uuid4().hex
        write_atomically(path, known.encode("ascii"))
    return known


def storage_named(storage: StorageOptions, name: str) -> StorageOptions:
    """With a data directory of that name where one is needed: servers don't share by accident. Raises InvalidOptions
    for a name that no directory can have."""
    if "/" in name or name in (".", ".."):
        raise InvalidOptions([f"{name!r} can't be a server's name, because a directory can't be called so"])
    if storage.data_dir is None and storage.kind is not StorageKind.MEMORY and not storage.etcd_servers:
        return replace(storage, data_dir=default_data_dir(name))
    return storage
