"""Objects as stored bytes and as finished bytes.

An object is written once and read many times, so the work is done when it is written. The stored form is canonical:
`kind`, `apiVersion` and `metadata` first, metadata led by what names the object, every other key sorted. Two equal
objects are therefore equal bytes (a write that changes nothing is seen as such), and the place where
`resourceVersion` belongs can be found without parsing. The finished form has it spliced in; that is what a GET
answers, what a LIST joins and what a watch event carries.

The stored bytes never contain resourceVersion: only the store's revision is the truth about it.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from .errors import CorruptObject

JSONObject = dict[str, Any]

# What names an object leads its metadata, in the order in which Kubernetes writes it.
_NAMING_FIELDS = ("name", "generateName", "namespace", "uid")

# The canonical head of a stored object, up to the point where resourceVersion belongs.
_HEAD = re.compile(
    rb'\{"kind":"[^"\\]*","apiVersion":"[^"\\]*","metadata":\{'
    rb'(?:"name":"[^"\\]*",?)?(?:"generateName":"[^"\\]*",?)?(?:"namespace":"[^"\\]*",?)?(?:"uid":"[^"\\]*",?)?'
)

_DUMP = orjson.OPT_SORT_KEYS
_CLOSING_BRACE = ord("}")
_NO_LABELS: dict[str, str] = {}
_NOTHING: JSONObject = {}


def encode(obj: JSONObject) -> bytes:
    """The canonical stored form, without resourceVersion and without the long-dead selfLink."""
    rest = dict(obj)
    kind, version = rest.pop("kind", ""), rest.pop("apiVersion", "")
    metadata = dict(rest.pop("metadata", None) or _NOTHING)
    metadata.pop("resourceVersion", None)
    metadata.pop("selfLink", None)
    naming = {name: metadata.pop(name) for name in _NAMING_FIELDS if name in metadata}
    head = orjson.dumps({"kind": kind, "apiVersion": version})[:-1]
    joined = _join(orjson.dumps(naming), orjson.dumps(metadata, option=_DUMP))
    if not rest:
        return b"".join((head, b',"metadata":', joined, b"}"))
    return b"".join((head, b',"metadata":', joined, b",", orjson.dumps(rest, option=_DUMP)[1:]))


def _join(left: bytes, right: bytes) -> bytes:
    """Two JSON objects as one."""
    if left == b"{}":
        return right
    return left if right == b"{}" else left[:-1] + b"," + right[1:]


def decode(key: str, data: bytes) -> JSONObject:
    try:
        obj = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise CorruptObject(key, str(error)) from error
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata") or {}, dict):
        raise CorruptObject(key, "it is no JSON object with metadata")
    return obj


class StoredObject:
    """One version of one object: its finished bytes, and the labels that selectors ask for.

    Immutable by convention and shared by all readers; `decode` gives each its own copy. `memo` is where the layers
    above keep what they derived from it (a table row, another version's bytes), so that it lives as long as the
    object and is made once.
    """

    __slots__ = ("_splice", "data", "key", "labels", "memo", "revision")

    def __init__(
        self, key: str, data: bytes, revision: int, labels: dict[str, str], splice: tuple[int, int] | None
    ) -> None:
        self.key = key
        self.data = data
        self.revision = revision
        self.labels = labels
        self.memo: dict[Any, Any] | None = None
        self._splice = splice

    @classmethod
    def from_stored(cls, key: str, value: bytes, revision: int) -> StoredObject:
        """Finish bytes read from a store. Anyone may have written them, so they are parsed once, here.

        Raises CorruptObject when they are no object.
        """
        obj = decode(key, value)
        metadata: JSONObject = obj.get("metadata") or {}
        head = _HEAD.match(value)
        if head is not None and "resourceVersion" not in metadata and "selfLink" not in metadata:
            return cls._spliced(key, value, revision, head.end(), metadata.get("labels"))
        finished = cls.from_object(key, obj, revision)
        # No splice: these are not the bytes in the store, so the next update writes them in canonical form.
        return cls(key, finished.data, revision, finished.labels, None)

    @classmethod
    def from_object(cls, key: str, obj: JSONObject, revision: int) -> StoredObject:
        return cls.from_encoded(key, encode(obj), revision, (obj.get("metadata") or {}).get("labels"))

    @classmethod
    def from_encoded(cls, key: str, value: bytes, revision: int, labels: dict[str, str] | None) -> StoredObject:
        """Finish bytes that `encode` has just made: nothing needs to be looked at again."""
        head = _HEAD.match(value)
        assert head is not None, "encode always writes the canonical head"
        return cls._spliced(key, value, revision, head.end(), labels)

    @classmethod
    def _spliced(cls, key: str, value: bytes, revision: int, at: int, labels: dict[str, str] | None) -> StoredObject:
        if value[at - 1] not in b"{,":
            inserted = b',"resourceVersion":"%d"' % revision
        elif value[at] == _CLOSING_BRACE:
            inserted = b'"resourceVersion":"%d"' % revision
        else:
            inserted = b'"resourceVersion":"%d",' % revision
        splice = (at, at + len(inserted))
        return cls(key, value[:at] + inserted + value[at:], revision, labels or _NO_LABELS, splice)

    @property
    def stored(self) -> bytes | None:
        """The bytes in the store; None when they are not canonical and ought to be written again."""
        if self._splice is None:
            return None
        start, end = self._splice
        return self.data[:start] + self.data[end:]

    def at_revision(self, revision: int) -> StoredObject:
        """The same state under another revision: a delete shows the last state at the delete's revision."""
        stored = self.stored
        if stored is None:
            return StoredObject.from_object(self.key, self.decode(), revision)
        return StoredObject.from_encoded(self.key, stored, revision, self.labels)

    def decode(self) -> JSONObject:
        """A fresh copy, resourceVersion included."""
        return decode(self.key, self.data)

    @property
    def uid(self) -> str:
        return str((self.decode().get("metadata") or {}).get("uid", ""))

    def __repr__(self) -> str:
        return f"StoredObject({self.key!r}, revision={self.revision}, {len(self.data)} bytes)"
