"""Where a fault in a large body is, without reading all that stands before it one token at a time.

The fast parser says where it stopped. What is open there can be seen from the brackets alone, once strings are out of
the way; a scanner that starts there finds the words.
"""

from __future__ import annotations

import re
from typing import Any

from .json_scanner import Scanner

# One that never ends is one match, too: were it none, the search would begin anew at each quote within it.
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("|\\?\Z)', re.DOTALL)
_SCALAR = b"-+.0123456789" + bytes(range(0x41, 0x5B)) + bytes(range(0x61, 0x7B))
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


def resumed(body: bytes, position: int) -> Scanner:
    """A scanner at the beginning of the token before `position`, up to which the body is JSON."""
    start = _token_start(body, position)
    skeleton = _STRINGS.sub(b'"', body[:start]).rstrip()
    last = skeleton[-1:]
    if last in (b"[", b"{"):
        start = body.rindex(last, 0, start)
        skeleton = skeleton[:-1]
    return Scanner(body, start, _open_containers(skeleton), after_value=last in (b"]", b"}"), at_key=last == b",")


def _token_start(body: bytes, position: int) -> int:
    """Where the string or word that ends or goes on at `position` begins; else the position itself."""
    last_end, start = 0, position
    for match in _STRINGS.finditer(body, 0, position):
        start, last_end = match.start(), match.end()
        if match[1] != b'"':
            return start
    between = body[last_end:position].rstrip()
    if last_end and not between:
        return start
    word = len(between.rstrip(_SCALAR))
    return last_end + word if word < len(between) else position


def _open_containers(skeleton: bytes) -> list[dict[str, Any] | list[Any]]:
    kinds = bytearray()
    for bracket in skeleton.translate(None, _NO_BRACKETS):
        if bracket in b"[{":
            kinds.append(bracket)
        else:
            kinds.pop()
    return [{} if kind == 0x7B else [] for kind in kinds]
