"""The one key of an etcd cluster that holds a cluster's identity, and its compare-and-swap.

It stands beside the objects and not among them: `/registry.localplane/identity` for the prefix `/registry`. So it is no
object for anybody who reads those, a snapshot that is put back leaves it alone, and whoever deletes everything that
begins with the prefix deletes it too. It is one key so that it is there as a whole or not at all. It holds private
keys: whoever can read it is the cluster's administrator, as is whoever can write the objects.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, Self

import orjson

from localplane.apiserver.storage.backend import Found
from localplane.apiserver.storage.errors import CompareFailed, StorageError

from .keys import ClusterKeys, KeysIncomplete


class KeyStore(Protocol):
    """What is needed of a backend."""

    async def get(self, key: str, *, revision: int = 0) -> Found: ...
    async def put(self, key: str, value: bytes, *, expected: int) -> int: ...


class IdentityUnusable(StorageError):
    """One sentence: why a server can't be one of this cluster's, and what to do."""


def identity_key(prefix: str) -> str:
    return f"{prefix}.localplane/identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRecord:
    """`id` is the cluster's from its first start on. `version` is the newest that served it, and `agreed` what the last
    server that was alone was told. `revision` is 0 for one that is not stored."""

    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: datetime
    keys: ClusterKeys
    version: str
    agreed: Mapping[str, str]
    revision: int = 0

    @classmethod
    def parse(cls, content: bytes, *, key: str, revision: int) -> Self:
        """Raises IdentityUnusable."""
        try:
            document: Any = orjson.loads(content)
            return cls(
                id=document["id"],
                created=datetime.fromisoformat(document["created"]),
                keys=ClusterKeys.of_document(document["keys"]),
                version=document["version"],
                agreed={str(flag): str(value) for flag, value in document["agreed"].items()},
                revision=revision,
            )
        except (KeysIncomplete, ValueError, KeyError, TypeError, AttributeError) as error:
            raise IdentityUnusable(
                f"the cluster's identity under the key {key} of etcd can't be read ({error}): put it back from a "
                "backup; or delete that key, and another one is made, but then all of its tokens and certificates are "
                "refused"
            ) from error

    def content(self) -> bytes:
        return orjson.dumps(
            {
                "id": self.id,
                "created": self.created.isoformat(),
                "version": self.version,
                "agreed": dict(self.agreed),
                "keys": self.keys.document(),
            }
        )


class Identities:
    """The identity of one prefix. `installed` are the keys that this server runs with."""

    def __init__(self, store: KeyStore, prefix: str) -> None:
        self._store = store
        self.prefix = prefix
        self.key = identity_key(prefix)
        self.installed: ClusterKeys | None = None

    async def read(self) -> IdentityRecord | None:
        """Raises IdentityUnusable, or another StorageError."""
        found = (await self._store.get(self.key)).kv
        return None if found is None else IdentityRecord.parse(found.value, key=self.key, revision=found.revision)

    async def write(self, record: IdentityRecord) -> IdentityRecord:
        """What is there afterwards: the record, or what somebody else has written since it was read."""
        try:
            await self._store.put(self.key, record.content(), expected=record.revision)
        except CompareFailed:
            pass
        except StorageError as error:
            if not getattr(error, "may_have_happened", False):
                raise
        there = await self.read()
        if there is None:
            raise IdentityUnusable(f"the key {self.key} of etcd was deleted while this server started: start it again")
        return there
