"""Continue tokens: where the next page of a list begins, and at which revision.

The form is Kubernetes' own and public: unpadded base64url of `{"v":"meta.k8s.io/v1","rv":N,"start":"..."}`. A client
can write any token it likes, so a decoded key is checked never to leave the prefix it is continued under.
"""

from __future__ import annotations

import base64
import posixpath
from dataclasses import dataclass

import orjson

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
    try:
        fields = orjson.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except orjson.JSONDecodeError as error:
        raise InvalidContinueToken(f"continue key is not valid: {error}") from error
    if not isinstance(fields, dict):
        raise InvalidContinueToken("continue key is not valid: not a JSON object")
    return _checked(fields, prefix)


def _checked(fields: dict[str, object], prefix: str) -> Continuation:
    version, revision, start = fields.get("v", ""), fields.get("rv", 0), fields.get("start", "")
    if version != _VERSION:
        raise InvalidContinueToken(
            f"continue key is not valid: server does not recognize this encoded version {version}"
        )
    if not isinstance(revision, int) or isinstance(revision, bool) or revision == 0:
        raise InvalidContinueToken(
            f"continue key is not valid: incorrect encoded start resourceVersion (version {_VERSION})"
        )
    if not isinstance(start, str) or not start:
        raise InvalidContinueToken(f"continue key is not valid: encoded start key empty (version {_VERSION})")
    key = start if start.startswith("/") else "/" + start
    if posixpath.normpath(key) != key or key.startswith("//"):
        raise InvalidContinueToken(f"continue key is not valid: {start}")
    return Continuation(prefix + key[1:], revision)


def _first_bad_byte(token: str) -> int | None:
    """Where a strict decoder stops: the first character outside the alphabet, or a last one that stands alone."""
    for index, character in enumerate(token):
        if not (character.isascii() and (character.isalnum() or character in "-_")):
            return index
    return len(token) - 1 if len(token) % 4 == 1 else None
