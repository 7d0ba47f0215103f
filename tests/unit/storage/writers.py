"""Other servers that write to the same store, and the log of what they did."""

from __future__ import annotations

import random

from localplane.apiserver.storage.backend import Change, KeyValue
from localplane.apiserver.storage.memory import MemoryBackend
from tests.unit.storage.samples import absolute, encoded


class Writer:
    """Writes by chance, straight to the store. `log` is the whole truth, even after a compaction."""

    def __init__(self, store: MemoryBackend, chance: random.Random, *, names: int = 6) -> None:
        self._store = store
        self._chance = chance
        self._names = [f"object-{number}" for number in range(names)]
        self.log: list[Change] = []

    async def write(self) -> int:
        """Create, change or delete one object; returns the revision."""
        name, namespace = self._chance.choice(self._names), self._chance.choice(("default", "other"))
        key = absolute(name, namespace=namespace)
        current = (await self._store.get(key)).kv
        if current is not None and self._chance.random() < 0.3:
            revision = await self._store.delete(key, expected=current.revision)
            return self._logged(key, None, revision, current)
        app = self._chance.choice(("", "x"))
        value = encoded(name, namespace=namespace, app=app, data=str(len(self.log)))
        revision = await self._store.put(key, value, expected=current.revision if current else 0)
        return self._logged(key, value, revision, current)

    async def write_elsewhere(self, *, times: int = 1) -> int:
        """Use up revisions outside the registry."""
        revision = 0
        for _ in range(times):
            current = (await self._store.get("elsewhere")).kv
            revision = await self._store.put("elsewhere", b"", expected=current.revision if current else 0)
        return revision

    def after(self, revision: int) -> list[Change]:
        return [change for change in self.log if change.revision > revision]

    def state_at(self, revision: int) -> dict[str, KeyValue]:
        state: dict[str, KeyValue] = {}
        for change in self.log:
            if change.revision > revision:
                break
            if change.value is None:
                del state[change.key]
            else:
                state[change.key] = KeyValue(change.key, change.value, change.revision)
        return state

    def _logged(self, key: str, value: bytes | None, revision: int, previous: KeyValue | None) -> int:
        self.log.append(Change(key, value, revision, previous))
        return revision
