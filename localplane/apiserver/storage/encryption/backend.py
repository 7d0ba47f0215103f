"""A backend on another that encrypts values on their way in and decrypts them on their way out.

What can't be decrypted is passed on as it is: no JSON, so nobody takes it for an object, and it is named as unreadable
while everything else is served.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

from localplane.apiserver.storage.backend import (
    Backend,
    BackendStatus,
    BackendWatch,
    Batch,
    Change,
    Found,
    KeyValue,
    Page,
    Wanted,
)
from localplane.apiserver.storage.errors import CompareFailed

from .configuration import EncryptionRules
from .providers import WITHOUT_ENCRYPTION, Providers

T = TypeVar("T")


class EncryptedBackend:
    """A Backend. `root` is the registry's prefix, and `resources` are those whose place below it does not tell their
    name: `/minions/` is `nodes`, `/deployments/` is `deployments.apps`."""

    def __init__(self, inner: Backend, rules: EncryptionRules, *, root: str, resources: Mapping[str, str]) -> None:
        self._inner = inner
        self._rules = rules
        self._root = root + "/"
        self._places = {place: _parts(name) for place, name in resources.items()}
        self.name = inner.name
        self.exclusive = inner.exclusive

    @property
    def observed_revision(self) -> int:
        return self._inner.observed_revision

    @property
    def compacted_revision(self) -> int:
        return self._inner.compacted_revision

    async def get(self, key: str, *, revision: int = 0) -> Found:
        found = await self._inner.get(key, revision=revision)
        return Found(self._plain(found.kv), found.revision)

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        page = await self._inner.range(start, end, limit=limit, revision=revision)
        return Page([self._decrypted(kv) for kv in page.kvs], page.count, page.revision)

    async def count(self, start: str, end: str) -> int:
        return await self._inner.count(start, end)

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        encrypted = self._providers(key).encrypt(value, key)
        return await self._understood(self._inner.put(key, encrypted, expected=expected, ttl=ttl))

    async def delete(self, key: str, *, expected: int) -> int:
        return await self._understood(self._inner.delete(key, expected=expected))

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        """What is there already stays as it is: its bytes differ each time that they are encrypted."""
        stored = {kv.key: kv.value for kv in (await self._inner.range(start, end)).kvs}
        return await self._inner.replace(start, end, [self._kept(each, stored) for each in wanted])

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> BackendWatch:
        return _DecryptedWatch(self._inner.watch(start, end, after=after, previous=previous), self._plain)

    async def current_revision(self) -> int:
        return await self._inner.current_revision()

    async def compact(self, revision: int) -> None:
        await self._inner.compact(revision)

    async def advance_revision(self, to: int) -> int:
        return await self._inner.advance_revision(to)

    async def identity(self) -> str:
        return await self._inner.identity()

    async def status(self) -> BackendStatus:
        return await self._inner.status()

    async def close(self) -> None:
        await self._inner.close()

    def _kept(self, wanted: Wanted, stored: Mapping[str, bytes]) -> Wanted:
        providers, there = self._providers(wanted.key), stored.get(wanted.key)
        if there is not None:
            known = providers.decrypt(there, wanted.key)
            if known is not None and known.value == wanted.value and not known.stale:
                return Wanted(wanted.key, there, wanted.ttl)
        return Wanted(wanted.key, providers.encrypt(wanted.value, wanted.key), wanted.ttl)

    async def _understood(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except CompareFailed as error:
            raise CompareFailed(error.key, self._plain(error.current)) from error

    def _plain(self, kv: KeyValue | None) -> KeyValue | None:
        return None if kv is None else self._decrypted(kv)

    def _decrypted(self, kv: KeyValue) -> KeyValue:
        providers = self._providers(kv.key)
        if providers is WITHOUT_ENCRYPTION:
            return kv
        decrypted = providers.decrypt(kv.value, kv.key)
        return kv if decrypted is None else KeyValue(kv.key, decrypted.value, kv.revision, decrypted.stale)

    def _providers(self, key: str) -> Providers:
        """Custom resources lie in /GROUP/RESOURCE/; what is in no table is Kubernetes' own, and of no group."""
        if not key.startswith(self._root):
            return WITHOUT_ENCRYPTION
        first, _, rest = key[len(self._root) :].partition("/")
        known = self._places.get(f"/{first}/")
        if known is None:
            second = rest.partition("/")[0]
            known = self._places.get(f"/{first}/{second}/") or ((second, first) if "." in first else (first, ""))
        return self._rules.of(*known)


class _DecryptedWatch:
    def __init__(self, inner: BackendWatch, plain: Callable[[KeyValue | None], KeyValue | None]) -> None:
        self._inner = inner
        self._plain = plain

    def __aiter__(self) -> AsyncIterator[Batch]:
        return self

    async def __anext__(self) -> Batch:
        batch = await anext(self._inner)
        return Batch([self._change(change) for change in batch.changes], batch.revision)

    def _change(self, change: Change) -> Change:
        value = change.value
        if value is not None:
            kv = self._plain(KeyValue(change.key, value, change.revision))
            value = kv.value if kv is not None else None
        return Change(change.key, value, change.revision, self._plain(change.previous))

    async def request_progress(self) -> None:
        await self._inner.request_progress()

    async def close(self) -> None:
        await self._inner.close()


def _parts(name: str) -> tuple[str, str]:
    resource, _, group = name.partition(".")
    return resource, group
