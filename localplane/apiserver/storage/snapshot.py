"""A snapshot: everything that is stored below a registry's root at one revision, as one portable file.

    localplane snapshot 1\\n                        the magic, and the format's version
    {"objects": 2, "revision": 41, ...}\\n          the header, one line of JSON: see `Header`
    key length, value length, revision             for each object, in key order: two numbers of 32 bits and one of 64,
    key, value                                     big-endian, then the key below the root in UTF-8, and what is stored
    SHA-256 of all that is before it               32 bytes

It has no keys or certificates of the plane that wrote it, and no history. What can't be trusted to the last byte is not
read at all. Nothing here knows what an object is.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, Final

from .backend import KeyValue

MAGIC: Final = b"localplane snapshot "
VERSION: Final = 1
SUFFIX: Final = ".snapshot"
"""Of a snapshot's file, by custom."""

_HEAD: Final = struct.Struct(">IIQ")
_SUM_BYTES: Final = 32
_MOST_HEADER_BYTES: Final = 64 * 1024
_AT_ONCE: Final = 100


class SnapshotDamaged(ValueError):
    """It is no snapshot, or not all of one, or of a newer release. The message goes on from the file's name."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a snapshot says of itself. `created` is RFC 3339, `plane` the name of the plane and `store` what it stored
    in, both for people; `release` is that of the program that wrote it."""

    revision: int
    objects: int
    created: str = ""
    plane: str = ""
    store: str = ""
    release: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`objects` are in key order; their keys begin below the root, with a slash."""

    header: Header
    objects: Sequence[KeyValue]


def encode(header: Header, objects: Sequence[KeyValue]) -> Iterator[bytes]:
    """Piece by piece; each takes a fraction of a millisecond."""
    digest = hashlib.sha256()
    piece = b"%s%d\n%s\n" % (MAGIC, VERSION, json.dumps(asdict(header)).encode())
    for start in range(0, len(objects), _AT_ONCE):
        digest.update(piece)
        yield piece
        pieces: list[bytes] = []
        for kv in objects[start : start + _AT_ONCE]:
            key = kv.key.encode()
            pieces += (_HEAD.pack(len(key), len(kv.value), kv.revision), key, kv.value)
        piece = b"".join(pieces)
    digest.update(piece)
    yield piece + digest.digest()


def read_header(data: bytes) -> Header:
    """Of a snapshot whose beginning this is; the rest was not looked at. Raises SnapshotDamaged."""
    return _beginning(data)[0]


def check(data: bytes) -> Header:
    """The header of a snapshot that is whole: not a byte of it is another than it was. Raises SnapshotDamaged."""
    header, _ = _beginning(data)
    _check_sum(data)
    return header


def decode(data: bytes) -> Snapshot:
    """All of it. It takes a few microseconds for each object: a server does it in a thread. Raises SnapshotDamaged."""
    header, at = _beginning(data)
    _check_sum(data)
    objects = list(_records(memoryview(data), at, len(data) - _SUM_BYTES))
    if any(before.key >= after.key for before, after in pairwise(objects)):
        raise SnapshotDamaged("is damaged: its objects are not in order")
    if len(objects) != header.objects:
        raise SnapshotDamaged(f"is damaged: it has {len(objects)} objects and says that it has {header.objects}")
    return Snapshot(header, objects)


def _check_sum(data: bytes) -> None:
    # Large inputs are hashed without the interpreter's lock, at more than a gigabyte a second.
    digest = hashlib.sha256(memoryview(data)[:-_SUM_BYTES]).digest()
    if digest != data[-_SUM_BYTES:]:
        raise SnapshotDamaged("is damaged or not complete: its checksum is wrong")


def _beginning(data: bytes) -> tuple[Header, int]:
    """The header, and where it ends."""
    if not data.startswith(MAGIC):
        raise SnapshotDamaged("is not a snapshot")
    end_of_magic = data.find(b"\n", 0, len(MAGIC) + 20)
    version = data[len(MAGIC) : end_of_magic] if end_of_magic > 0 else b""
    if not version.isdigit():
        raise SnapshotDamaged("is not a snapshot")
    if int(version) != VERSION:
        raise SnapshotDamaged(
            f"is a snapshot of version {int(version)}, and this release knows {VERSION}: use the release that wrote it"
        )
    end = data.find(b"\n", end_of_magic + 1, end_of_magic + _MOST_HEADER_BYTES)
    if end < 0 or len(data) < end + 1 + _SUM_BYTES:
        raise SnapshotDamaged("is damaged or not complete")
    return _header(data[end_of_magic + 1 : end]), end + 1


def _header(line: bytes) -> Header:
    known = {field.name: field.type for field in fields(Header)}
    try:
        said: Any = json.loads(line)
        header = Header(**{name: value for name, value in said.items() if name in known})
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise SnapshotDamaged("is damaged: its header can't be read") from error
    numbers = (header.revision, header.objects)
    texts = (header.created, header.plane, header.store, header.release)
    if any(type(number) is not int or number < 0 for number in numbers) or not all(
        isinstance(text, str) for text in texts
    ):
        raise SnapshotDamaged("is damaged: its header can't be read")
    return header


def _records(data: memoryview, at: int, end: int) -> Iterator[KeyValue]:
    while at < end:
        if end - at < _HEAD.size:
            raise SnapshotDamaged("is damaged: its last object is not complete")
        key_length, value_length, revision = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        value_at = at + key_length
        after = value_at + value_length
        if after > end:
            raise SnapshotDamaged("is damaged: its last object is not complete")
        try:
            key = str(data[at:value_at], "utf-8")
        except UnicodeDecodeError as error:
            raise SnapshotDamaged("is damaged: a key in it is no text") from error
        if not key.startswith("/") or "\0" in key or "/../" in key:
            raise SnapshotDamaged("is damaged: a key in it is none of ours")
        yield KeyValue(key, bytes(data[value_at:after]), revision)
        at = after
