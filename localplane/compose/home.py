"""A server's home: what it stores its objects in, and a directory for what it keeps beside them."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apiserver.server.options import InvalidOptions
from localplane.apiserver.storage.errors import StorageError
from localplane.client.workqueue.supervision import Background
from localplane.files import write_atomically
from localplane.temporary import temporary_directory

from .options import StorageKind, StorageOptions
from .storage import OpenStorage, branch_storage, default_data_dir, encryption_rules, holds_objects, open_storage

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from localplane.apiserver.storage.etcd.backend import EtcdBackend
    from localplane.apiserver.storage.etcd.registration import RegisteredServer

    from .identity.establishing import Establishing

_log = logging.getLogger(__name__)
_IDENTITY_LENGTH = 32
_KEYS = "pki"
_CLUSTER_KEYS = "pki-cluster"
"""Where the data directory is that of a store of our own: its keys are not the cluster's."""


@dataclass(frozen=True, slots=True)
class Home:
    """The directory may be a temporary one; `keys` is where in it those are. `clock` is what goes on here goes by, if
    it is not the machine's."""

    storage: OpenStorage
    directory: Path
    keys: Path
    clock: VirtualClock | None = None


@asynccontextmanager
async def open_home(
    options: StorageOptions,
    *,
    registers: bool = False,
    clock: VirtualClock | None = None,
    shared: SharedIdentity | None = None,
) -> AsyncIterator[Home]:
    """A server that `registers` tells others on the same prefix of an etcd cluster that it is there: raises
    ServerReplaced, also later. With `shared` keys, those are the ones that the store holds: raises IdentityUnusable
    where they can't be."""
    with ExitStack() as stack:
        directory = options.data_dir if options.etcd_servers else None
        if shared is not None and directory is None:
            directory = stack.enter_context(temporary_directory())
        common = _CommonIdentity(shared, options, directory) if shared is not None and directory is not None else None
        async with open_storage(options, check=common.check if common is not None else None) as storage:
            directory = directory or storage.data_dir
            if directory is None:
                directory = stack.enter_context(temporary_directory())
            async with _registered(storage, directory) if registers else nullcontext(()) as others:
                keys = await common.establish(storage, others) if common is not None else directory / _KEYS
                yield Home(storage, directory, keys, clock)


@dataclass(frozen=True, slots=True)
class SharedIdentity:
    """What a server says of itself that has its keys in common with others on the same prefix. The `spare_key` is being
    made."""

    agreement: Mapping[str, str]
    adopts: bool
    spare_key: asyncio.Task[RSAPrivateKey | None]


class _CommonIdentity:
    """The keys that all servers on a prefix have in common, on their way into this server's directory. What it takes is
    imported here: a plane with a store of its own needs none of it."""

    def __init__(self, shared: SharedIdentity, options: StorageOptions, directory: Path) -> None:
        self._shared = shared
        self._options = options
        self._keys = directory / (_CLUSTER_KEYS if holds_objects(directory) else _KEYS)
        self._establishing: Establishing | None = None

    async def check(self, backend: EtcdBackend) -> None:
        from .identity.establishing import Establishing, Start

        spare_key = await self._shared.spare_key
        start = Start(
            keys=self._keys,
            agreement=self._shared.agreement,
            rules=encryption_rules(self._options),
            adopts=self._shared.adopts,
            spare_key=spare_key,
        )
        self._establishing = Establishing(backend, self._options.etcd_prefix, start)
        await self._establishing.check()

    async def establish(self, storage: OpenStorage, others: Sequence[RegisteredServer]) -> Path:
        from .identity.establishing import OtherServer

        assert self._establishing is not None, "it was checked before"
        established = await self._establishing.establish([OtherServer(str(each), each.since) for each in others])
        storage.hints += established.notes
        storage.identities = self._establishing.identities
        storage.identities.installed = established.record.keys
        return self._keys


@asynccontextmanager
async def branch_home(
    trunk: Home, options: StorageOptions, *, clock: VirtualClock | None = None
) -> AsyncIterator[Home]:
    """A home that begins with all that is stored in another one, which has to outlast it. They share the directory: to
    make another one takes as long as the rest of a branch."""
    async with branch_storage(trunk.storage, options) as storage:
        yield Home(storage, trunk.directory, trunk.keys, clock)


@asynccontextmanager
async def _registered(storage: OpenStorage, directory: Path) -> AsyncIterator[Sequence[RegisteredServer]]:
    """Who else is there. A data directory is one process's alone; a prefix of a cluster is not."""
    if storage.registration is None:
        yield ()
        return
    registration = storage.registration(_identity(directory / "server-id"))
    await registration.take()
    try:
        async with Background(registration.keep):
            yield await registration.others()
    except ExceptionGroup as group:
        lost = group.exceptions[0]
        if not isinstance(lost, StorageError):
            raise
        _log.critical("this server has to end: %s", lost)
        raise lost from None
    finally:
        await registration.release()


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
