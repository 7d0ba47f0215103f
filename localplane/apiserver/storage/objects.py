"""Objects as stored bytes and as finished bytes.

An object is written once and read many times, so the work is done when it is written. The stored form is canonical:
`kind`, `apiVersion` and `metadata` first, metadata led by what names the object, every other key sorted. Two equal
objects are therefore equal bytes (a write that changes nothing is seen as such), and the place where
`resourceVersion` belongs, behind what names the object, is known. The finished form has it spliced in; that is what a
GET answers, what a LIST joins and what a watch event carries.

The stored bytes never contain resourceVersion: only the store's revision is the truth about it.

Others may write to the same store, in any form. What they wrote is read if it could be written again, so that the
finished bytes are always of our own making.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import orjson

from localplane.apimachinery.objects import JSONObject

from .errors import CorruptObject, InvalidObject

# What names an object leads its metadata, in the order in which Kubernetes writes it.
_NAMING_FIELDS = ("name", "generateName", "namespace", "uid")

_DUMP = orjson.OPT_SORT_KEYS
_ENCRYPTED = b"k8s:enc:"
_LONGEST_ENCRYPTION = 200
IS_ENCRYPTED = "it is encrypted"
"""How the reason begins why an encrypted object can't be read."""

_OPENING_BRACE, _CLOSING_BRACE = b"{}"
_METADATA = b'"metadata":'  # only kind and apiVersion stand before it, and no value has a quote that is not escaped
_NO_LABELS: dict[str, str] = {}
_NOTHING: JSONObject = {}


class Encoded(NamedTuple):
    """The canonical stored form of an object, where in it resourceVersion belongs, its labels, and where in it its
    metadata ends."""

    value: bytes
    at: int
    labels: dict[str, str]
    metadata_end: int

    @classmethod
    def of(cls, obj: JSONObject) -> Encoded:
        """Without resourceVersion and without the long-dead selfLink.

        Raises InvalidObject for what could not be read again: nothing else that is wrong with an object matters here.
        """
        encoded = cls.of_json(obj)
        if b"null" in encoded.value:  # also what the encoder makes of a number that JSON has no word for
            _check_numbers(obj)
        return encoded

    @classmethod
    def of_json(cls, obj: JSONObject) -> Encoded:
        """The same for an object that was read from JSON, whose numbers are known to be numbers."""
        rest = dict(obj)
        kind, version = rest.pop("kind", ""), rest.pop("apiVersion", "")
        metadata = rest.pop("metadata", None) or _NOTHING
        if not (isinstance(kind, str) and isinstance(version, str)):
            raise InvalidObject("its kind and apiVersion must be text")
        if not isinstance(metadata, dict):
            raise InvalidObject("its metadata must be an object")
        metadata = dict(metadata)
        metadata.pop("resourceVersion", None)
        metadata.pop("selfLink", None)
        naming = {name: metadata.pop(name) for name in _NAMING_FIELDS if name in metadata}
        try:
            head = orjson.dumps({"kind": kind, "apiVersion": version, "metadata": naming})[:-2]
            described = orjson.dumps(metadata, option=_DUMP)[1:]
            tail = b"," + orjson.dumps(rest, option=_DUMP)[1:] if rest else b"}"
        except orjson.JSONEncodeError as error:
            raise InvalidObject(str(error)) from error
        comma = b"," if naming and metadata else b""
        end = len(head) + len(comma) + len(described)
        return cls(b"".join((head, comma, described, tail)), len(head), _selectable(metadata.get("labels")), end)


def encode(obj: JSONObject) -> bytes:
    """The bytes of an object in the store; raises InvalidObject."""
    return Encoded.of(obj).value


def _check_numbers(obj: JSONObject) -> None:
    unseen: list[Any] = [obj]
    while unseen:
        value = unseen.pop()
        if isinstance(value, dict):
            unseen.extend(value.values())
        elif isinstance(value, (list, tuple)):
            unseen.extend(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise InvalidObject(f"{value} is no number in JSON")


def encryption_of(data: bytes) -> str:
    """What is said of a value that somebody has encrypted and nobody here could decrypt; nothing of any other."""
    if not data.startswith(_ENCRYPTED):
        return ""
    provider, name = (*data[:_LONGEST_ENCRYPTION].decode("utf-8", "replace").split(":"), *[""] * 5)[2:5:2]
    return f'{IS_ENCRYPTED}: by provider {provider} with the key "{name}", which this server does not have'


def decode(key: str, data: bytes) -> JSONObject:
    try:
        obj = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise CorruptObject(key, encryption_of(data) or str(error)) from error
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata") or {}, dict):
        raise CorruptObject(key, "it is no JSON object with metadata")
    return obj


class MemoKey:
    """Under what something is kept in a memo: what it is, and the mark of who made it."""

    __slots__ = ("full", "name")

    def __init__(self, name: str, mark: str) -> None:
        self.name = f"{name} by "
        self.full = self.name + mark


class StoredObject:
    """One version of one object: its finished bytes, and the labels that selectors ask for.

    Immutable by convention and shared by all readers; `decode` gives each its own copy. `memo` is where the layers
    above keep what they derived from it (a table row, another version's bytes), so that it lives as long as the
    object and is made once. Texts and bytes by name are best: a memo of nothing else is none of the garbage
    collector's business, which otherwise goes through fifty thousand of them each time.
    """

    __slots__ = ("_splice", "data", "key", "labels", "memo", "revision")

    def __init__(
        self, key: str, data: bytes, revision: int, labels: dict[str, str], splice: tuple[int, int, int] | None
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
        try:
            encoded = Encoded.of_json(obj)
        except InvalidObject as error:
            raise CorruptObject(key, error.why) from error
        finished = cls.from_encoded(key, encoded, revision)
        if encoded.value == value:
            return finished
        # No splice: these are not the bytes in the store, so the next update writes them.
        return cls(key, finished.data, revision, finished.labels, None)

    @classmethod
    def from_object(cls, key: str, obj: JSONObject, revision: int) -> StoredObject:
        return cls.from_encoded(key, Encoded.of(obj), revision)

    @classmethod
    def from_encoded(cls, key: str, encoded: Encoded, revision: int) -> StoredObject:
        """Finish bytes that we have made ourselves: nothing needs to be looked at again."""
        value, at, labels, metadata_end = encoded
        if value[at - 1] != _OPENING_BRACE:
            inserted = b',"resourceVersion":"%d"' % revision
        elif value[at] == _CLOSING_BRACE:
            inserted = b'"resourceVersion":"%d"' % revision
        else:
            inserted = b'"resourceVersion":"%d",' % revision
        splice = (at, at + len(inserted), metadata_end + len(inserted))
        return cls(key, value[:at] + inserted + value[at:], revision, labels, splice)

    @property
    def stored(self) -> bytes | None:
        """The bytes in the store; None when they are not canonical and ought to be written again."""
        if self._splice is None:
            return None
        start, end, _ = self._splice
        return self.data[:start] + self.data[end:]

    @property
    def metadata(self) -> bytes | None:
        """Its metadata as JSON, as it stands in the finished bytes; None when only a parser could find it."""
        if self._splice is None:
            return None
        return self.data[self.data.index(_METADATA) + len(_METADATA) : self._splice[2]]

    def at_revision(self, revision: int) -> StoredObject:
        """The same state under another revision: a delete shows the last state at the delete's revision."""
        if self._splice is None:
            return StoredObject.from_object(self.key, self.decode(), revision)
        start, end, metadata_end = self._splice
        stored = self.data[:start] + self.data[end:]
        encoded = Encoded(stored, start, self.labels, metadata_end - (end - start))
        return StoredObject.from_encoded(self.key, encoded, revision)

    def keep(self, key: MemoKey, value: bytes | str) -> None:
        """In the memo, under `key.full`. What others have kept under the same name goes."""
        memo = self.memo
        if memo is None:
            memo = self.memo = {}
        for other in list(memo):  # in one step, since a thread may keep something too
            if isinstance(other, str) and other.startswith(key.name):
                memo.pop(other, None)
        memo[key.full] = value

    def decode(self) -> JSONObject:
        """A fresh copy, resourceVersion included."""
        return decode(self.key, self.data)

    @property
    def uid(self) -> str:
        return str(self.decode_metadata().get("uid") or "")

    @property
    def is_deleting(self) -> bool:
        return bool(self.decode_metadata().get("deletionTimestamp"))

    def decode_metadata(self) -> JSONObject:
        """Its metadata alone, as a copy of one's own."""
        metadata = self.metadata
        found: JSONObject = (orjson.loads(metadata) if metadata else self.decode().get("metadata")) or {}
        return found

    def __repr__(self) -> str:
        return f"StoredObject({self.key!r}, revision={self.revision}, {len(self.data)} bytes)"


def _selectable(labels: Any) -> dict[str, str]:
    """Labels as selectors can take them: whatever is not texts by name selects like none at all."""
    if labels and isinstance(labels, dict) and all(isinstance(value, str) for value in labels.values()):
        return labels
    return _NO_LABELS
