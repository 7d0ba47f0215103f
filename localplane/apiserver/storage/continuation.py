"""Continue tokens: where the next page of a list begins, and at which revision.

The form is Kubernetes' own and public: unpadded base64url of `{"v":"meta.k8s.io/v1","rv":N,"start":"..."}`. A client
can write any token it likes, so a decoded key is checked never to leave the prefix it is continued under. What is
wrong with a token is told in Go's words. Kubernetes: apiserver/pkg/storage/continue.go.
"""

from __future__ import annotations

import base64
import posixpath
from dataclasses import dataclass
from typing import Any

import orjson

from localplane.apimachinery.golang.text import json_type
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import number_text, parse_json

from .errors import InvalidContinueToken

_VERSION = "meta.k8s.io/v1"

AT_THE_PRESENT = -1
"""The revision in a token that goes on after its own was compacted: the rest as it is now."""


@dataclass(frozen=True, slots=True)
class Continuation:
    start: str
    revision: int


def encode_continue(start: str, prefix: str, revision: int) -> str:
    token = orjson.dumps({"v": _VERSION, "rv": revision, "start": start.removeprefix(prefix)})
    return base64.urlsafe_b64encode(token).rstrip(b"=").decode()


def decode_continue(token: str, prefix: str) -> Continuation:
    bad = _first_bad_byte(token)
    if bad is not None:
        raise InvalidContinueToken(f"continue key is not valid: illegal base64 data at input byte {bad}")
    fields = _Fields.parse(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    if fields.version != _VERSION:
        raise InvalidContinueToken(
            f"continue key is not valid: server does not recognize this encoded version {fields.version}"
        )
    if fields.revision == 0:
        raise InvalidContinueToken(
            f"continue key is not valid: incorrect encoded start resourceVersion (version {_VERSION})"
        )
    if not fields.start:
        raise InvalidContinueToken(f"continue key is not valid: encoded start key empty (version {_VERSION})")
    key = fields.start if fields.start.startswith("/") else "/" + fields.start
    if posixpath.normpath(key) != key or key.startswith("//"):
        raise InvalidContinueToken(f"continue key is not valid: {fields.start}")
    return Continuation(prefix + key[1:], fields.revision)


@dataclass(frozen=True, slots=True)
class _Fields:
    """What stands in a token, each of the type that it must have; null counts as nothing, as in Go."""

    version: str
    revision: int
    start: str

    @classmethod
    def parse(cls, token: bytes) -> _Fields:
        try:
            fields = orjson.loads(token)
        except orjson.JSONDecodeError:
            fields = _parse_patiently(token)
        if fields is None:
            fields = {}
        if not isinstance(fields, dict):
            raise _wrong_type(fields, "value of type storage.continueToken")
        return cls(_text(fields, "v"), _revision(fields, token), _text(fields, "start"))


def _parse_patiently(token: bytes) -> Any:
    """Go takes a little more for JSON, and has its own words for the rest. Imported when it comes to that."""
    try:
        return parse_json(token).value
    except SerializationError as error:
        raise InvalidContinueToken(f"continue key is not valid: {error}") from error


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong_type(value, f"struct field continueToken.{name} of type string")
    return value or ""


def _revision(fields: dict[str, Any], token: bytes) -> int:
    value = fields.get("rv")
    if value is None:
        return 0
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return value
    raise _wrong_type(value, "struct field continueToken.rv of type int64", number_in=token)


def _wrong_type(value: Any, into: str, *, number_in: bytes | None = None) -> InvalidContinueToken:
    """Go quotes a number, as it is written, only where another number would be right."""
    what = json_type(value)
    if what == "number" and number_in is not None:
        what = f"number {number_text(number_in, ('rv',))}"
    return InvalidContinueToken(f"continue key is not valid: json: cannot unmarshal {what} into Go {into}")


def _first_bad_byte(token: str) -> int | None:
    """Where a strict decoder stops: the first character outside the alphabet, or a last one that stands alone."""
    for index, character in enumerate(token):
        if not (character.isascii() and (character.isalnum() or character in "-_")):
            return index
    return len(token) - 1 if len(token) % 4 == 1 else None
