"""PEM as Go's encoding/pem reads it: whatever is no block is passed over."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

_BEGIN = re.compile(rb"^-----BEGIN ([^\r\n]*?)-----[ \t]*+\r?\n", re.MULTILINE)
_END = re.compile(rb"^-----END ([^\r\n]*?)-----[ \t]*+\r?$", re.MULTILINE)
_HEADER = re.compile(rb"[^\r\n:]*+:[^\r\n]*+\r?\n")


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    data: bytes
    has_headers: bool = False


def blocks(text: bytes) -> Iterator[Block]:
    """Every well-formed block, in order."""
    for kind, start, end in _framed(text):
        position = start
        while header := _HEADER.match(text, position, end):
            position = header.end()
        try:
            data = base64.b64decode(re.sub(rb"\s++", b"", text[position:end]), validate=True)
        except binascii.Error:
            continue
        yield Block(kind.decode("utf-8", "replace"), data, has_headers=position > start)


def _framed(text: bytes) -> Iterator[tuple[bytes, int, int]]:
    """What stands between a beginning and the first end of its kind, which is looked up: there may be many beginnings
    that none belongs to."""
    ends: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for end in _END.finditer(text):
        ends[end[1]].append(end.span())
    position = 0
    for beginning in _BEGIN.finditer(text):
        of_kind = ends.get(beginning[1], [])
        place = bisect_left(of_kind, (beginning.end(), 0))
        if beginning.start() >= position and place < len(of_kind):
            end_start, position = of_kind[place]
            yield beginning[1], beginning.end(), end_start
