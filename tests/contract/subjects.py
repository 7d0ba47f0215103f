"""What the contract is held against: a storage for pods, and the backend behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from localplane.apiserver.storage.backend import Backend
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.encryption import EncryptedBackend, EncryptionRules
from localplane.apiserver.storage.encryption.providers import AESGCMProvider
from localplane.apiserver.storage.interface import Storage
from localplane.apiserver.storage.keys import KeySchema
from localplane.apiserver.storage.memory import MemoryBackend
from localplane.apiserver.storage.renumbered import RenumberedBackend
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from localplane.apiserver.storage.store import Store
from tests.contract.etcd_server import EtcdServer
from tests.contract.recording import RecordingBackend

LARGEST_RESOURCE_VERSION = str(2**63 - 1)

# Long enough for a cache that is behind, short enough for tests that ask for the future.
FRESHNESS_TIMEOUT = timedelta(seconds=0.5)


@dataclass(frozen=True, slots=True)
class Subject:
    """`storage` is what is tested; `resource` makes the storage of another resource on the same store."""

    storage: Storage
    backend: RecordingBackend
    cached: bool
    root: str
    resource: Callable[[str], Storage]

    def absolute(self, key: str) -> str:
        return self.root + key

    @asynccontextmanager
    async def restarted(self) -> AsyncIterator[Storage]:
        """The storage as a server that starts now on the same store would have it."""
        async with _serving(self.backend, self.root, cached=self.cached) as resource:
            yield resource("/pods/")

    async def plant(self, key: str, value: bytes) -> int:
        """Put bytes under a key behind the storage's back."""
        absolute = self.absolute(key)
        found = await self.backend.get(absolute)
        return await self.backend.put(absolute, value, expected=found.kv.revision if found.kv else 0)

    async def corrupt(self, key: str) -> int:
        return await self.plant(key, b"\x00 no object")

    async def write_elsewhere(self) -> int:
        """Take a revision outside the registry: the storage's keys don't change, the store's revision does."""
        key = f"elsewhere{self.root}"
        found = await self.backend.get(key)
        return await self.backend.put(key, b"ok", expected=found.kv.revision if found.kv else 0)


async def open_backend(name: str, directory: Path, etcd: EtcdServer | None) -> Backend:
    """What is renumbered is encrypted too: either stands between a store and its users in the same way."""
    if name == "memory":
        return MemoryBackend()
    if name == "renumbered":
        encrypting = EncryptionRules({"*.*": [AESGCMProvider("key", b"k" * 32)]})
        inner = RenumberedBackend(MemoryBackend(), difference=1_000_000)
        return EncryptedBackend(inner, encrypting, root="", resources={})
    if name == "sqlite":
        return await SQLiteBackend.open(directory / "store.db")
    assert etcd is not None
    return etcd.backend()


@asynccontextmanager
async def opened(backend: Backend, root: str, *, cached: bool) -> AsyncIterator[Subject]:
    """The subject on a backend, which is closed with it."""
    recording = RecordingBackend(backend)
    try:
        async with _serving(recording, root, cached=cached) as resource:
            recording.ranges.clear()
            yield Subject(resource("/pods/"), recording, cached, root, resource)
    finally:
        await recording.close()


@asynccontextmanager
async def _serving(backend: Backend, root: str, *, cached: bool) -> AsyncIterator[Callable[[str], Storage]]:
    if not cached:
        yield lambda prefix: Store(backend, KeySchema(root, prefix))
        return
    cacher = Cacher(backend, root=root, freshness_timeout=FRESHNESS_TIMEOUT, bookmark_tick=timedelta(seconds=0.05))
    await cacher.start()
    try:
        yield cacher.resource
    finally:
        await cacher.close()
