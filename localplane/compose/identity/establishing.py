"""What a server on an etcd cluster does at its start: it reads who its cluster is, or is the first and makes it.

Whatever is in the way is found out before anything is written: a prefix with somebody else's objects, a clock that is
behind, options that others of the cluster were not told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

import orjson
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from localplane import __version__
from localplane.apiserver.storage.backend import prefix_end
from localplane.apiserver.storage.encryption import EncryptionRules
from localplane.apiserver.storage.etcd.client.failures import PermissionDenied
from localplane.files import write_atomically

from .agreement import ENCRYPTION, Agreement, differences, unreadable
from .keys import ClusterKeys, KeysIncomplete
from .record import Identities, IdentityRecord, IdentityUnusable, KeyStore

_log = logging.getLogger(__name__)

_MARK: Final = "cluster.json"
_SKEW: Final = timedelta(minutes=5)
_TRUST: Final = "/configmaps/kube-system/extension-apiserver-authentication"


class ObjectStore(KeyStore, Protocol):
    async def count(self, start: str, end: str) -> int: ...
    async def identity(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a server knows of itself: where its copy of the keys lies, what it was told, and whether it takes over
    objects that nobody of ours has stored."""

    keys: Path
    agreement: Agreement
    rules: EncryptionRules | None = None
    adopts: bool = False
    spare_key: RSAPrivateKey | None = None


@dataclass(frozen=True, slots=True)
class OtherServer:
    """One that runs on the same prefix now. `name` is for people, and `since` in RFC 3339."""

    name: str
    since: str = ""


@dataclass(frozen=True, slots=True)
class Established:
    """`notes` are for people: what is unusual about this start."""

    record: IdentityRecord
    notes: tuple[str, ...] = ()


class Establishing:
    """Of one server, on one prefix of a cluster."""

    def __init__(self, store: ObjectStore, prefix: str, start: Start) -> None:
        self._store = store
        self._start = start
        self.identities = Identities(store, prefix)
        self._prefix = prefix

    async def check(self) -> None:
        """Before anything is written. Raises IdentityUnusable for a prefix that is not ours."""
        record = await self._read()
        if record is not None:
            _check_clock(record.created, "this cluster was made")
            _check_authority(record)
            return
        start = self._prefix + "/"
        if (
            self._start.adopts
            or not await self._store.count(start, prefix_end(start))
            or await self._kept() is not None
        ):
            return
        raise IdentityUnusable(
            f"the prefix {self._prefix} of this etcd cluster has objects, but no identity of ours: they are another "
            "control plane's, such as a kube-apiserver's; choose another with --etcd-prefix, or take them over with "
            "--adopt-objects once nobody else serves them"
        )

    async def establish(self, others: Sequence[OtherServer]) -> Established:
        """The identity, with its keys in the directory. Raises IdentityUnusable for options that contradict those of
        the others that run."""
        for other in others:
            with suppress(ValueError):
                _check_clock(datetime.fromisoformat(other.since), f"{other.name} started")
        record = await self._read() or await self._make()
        notes = []
        told = self._start.agreement
        if differing := [*differences(record.agreed, told), *unreadable(record.agreed, self._start.rules)]:
            if others:
                raise IdentityUnusable(
                    f"the servers of this cluster must agree, and {others[0].name} runs with {'; '.join(differing)}: "
                    "start this one with the same, or stop all others first"
                )
            notes.append(f"the cluster ran with {'; '.join(differing)}")
        if record.version != __version__:
            notes.append(f"the cluster was last served by version {record.version}, and this is {__version__}")
        version = max(record.version, __version__, key=_numbers)
        plain = {name: "identity" for name in record.agreed if name.startswith(ENCRYPTION)}
        agreed = {**record.agreed, **plain, **told}
        if (record.version, dict(record.agreed)) != (version, agreed):
            record = await self.identities.write(replace(record, version=version, agreed=agreed))
        await self._install(record)
        return Established(record, tuple(notes))

    async def _read(self) -> IdentityRecord | None:
        try:
            return await self.identities.read()
        except PermissionDenied as error:
            raise IdentityUnusable(
                f"our user of etcd may not read {self.identities.key}, which holds the cluster's identity: grant it "
                f"read and write to all keys that begin with {self._prefix} ({error})"
            ) from error

    async def _make(self) -> IdentityRecord:
        """Of many who do this at once, one is heard, and the others take what it has made."""
        at = datetime.now(UTC)
        keys = await self._kept()
        if keys is None:
            keys = await asyncio.to_thread(lambda: ClusterKeys.make(at, spare=self._start.spare_key))
        record = IdentityRecord(created=at, keys=keys, version=__version__, agreed=self._start.agreement)
        return await self.identities.write(record)

    async def _kept(self) -> ClusterKeys | None:
        """The keys in our directory, if they are those of this prefix: the store has lost them, or it is of a version
        that kept them here alone. That is known by what such a server has published."""
        try:
            keys = ClusterKeys.read(self._start.keys)
        except KeysIncomplete:
            return None
        mark = _mark(self._start.keys)
        if mark:
            same = mark.get("prefix") == self._prefix and mark.get("store") == await self._store.identity()
            return keys if same else None
        published = (await self._store.get(self._prefix + _TRUST)).kv
        with suppress(ValueError, KeyError, TypeError):
            data = orjson.loads(published.value if published else b"")["data"]
            if data["requestheader-client-ca-file"].encode() == keys.files["front-proxy-ca.crt"]:
                return keys
        return None

    async def _install(self, record: IdentityRecord) -> None:
        """Our copy of the keys. What lies there and is somebody else's is moved aside, never overwritten."""
        directory = self._start.keys
        mark = _mark(directory)
        wanted = {"cluster": record.id, "prefix": self._prefix, "store": await self._store.identity()}
        try:
            there: ClusterKeys | None = ClusterKeys.read(directory)
        except KeysIncomplete:
            there = None
        if there is not None and there.document() == record.keys.document():
            if mark != wanted:
                write_atomically(directory / _MARK, orjson.dumps(wanted))
            return
        if there is not None and not mark:
            aside = directory.with_name(f"{directory.name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
            directory.rename(aside)
            _log.warning("keys that are not this cluster's were moved to %s", aside)
        await asyncio.to_thread(record.keys.write, directory)
        write_atomically(directory / _MARK, orjson.dumps(wanted))


def _mark(directory: Path) -> Mapping[str, str]:
    """Whose keys these are; nothing if nobody has said so."""
    try:
        mark = orjson.loads((directory / _MARK).read_bytes())
    except (OSError, ValueError):
        return {}
    return mark if isinstance(mark, dict) else {}


def _check_clock(past: datetime, what: str) -> None:
    now = datetime.now(UTC)
    if past > now + _SKEW:
        raise IdentityUnusable(
            f"this machine's clock says {_written(now)}, and {what} at {_written(past)}, which is later: set the clock"
        )


def _check_authority(record: IdentityRecord) -> None:
    ends = x509.load_pem_x509_certificate(record.keys.files["ca.crt"]).not_valid_after_utc
    if ends < datetime.now(UTC):
        raise IdentityUnusable(
            f"this cluster's authority was good until {_written(ends)}: set the clock if it is wrong; or delete its "
            "identity in etcd, and another one is made"
        )


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
