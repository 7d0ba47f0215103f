"""PEM as Go's encoding/pem reads it: whatever is no block is passed over."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(
    rb"^-----BEGIN ([^\r\n]*?)-----[ \t]*\r?\n(.*?)^-----END \1-----[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
_HEADER = re.compile(rb"[^\r\n:]*:[^\r\n]*\r?\n")


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    data: bytes
    has_headers: bool = False


def blocks(text: bytes) -> Iterator[Block]:
    """Every well-formed block, in order."""
    for match in _BLOCK.finditer(text):
        rest, has_headers = match[2], False
        while header := _HEADER.match(rest):
            rest, has_headers = rest[header.end() :], True
        try:
            data = base64.b64decode(re.sub(rb"\s", b"", rest), validate=True)
        except binascii.Error:
            continue
        yield Block(match[1].decode("utf-8", "replace"), data, has_headers)
