"""Frames of SPDY/3.1, as far as streams between kubectl and a kubelet need them: bytes in, frames out, and back.

Header blocks are compressed with one dictionary that both sides know, and one state per direction: they must be made
and read in the order in which they travel. Nobody here does flow control: moby/spdystream, which is what all the
others use, doesn't either.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SYN_STREAM, SYN_REPLY, RST_STREAM, SETTINGS, PING, GOAWAY, HEADERS, WINDOW_UPDATE = 1, 2, 3, 4, 6, 7, 8, 9
DATA: Final = 0
"""Our own number: data frames have none."""
FIN: Final = 1
CANCEL: Final = 5
LONGEST: Final = (1 << 24) - 1
_VERSION: Final = 3

_WORDS: Final = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow "
    "authorization cache-control connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect expires from host if-match "
    "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade "
    "user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie "
    "keep-alive origin"
)
_TEXT: Final = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative "
    "Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 "
    "Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec "
    "00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,"
    "application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8"
    "charset=iso-8859-1,utf-,*,enq=0."
)


def _dictionary() -> bytes:
    words = (word.replace("_", " ").encode() for word in _WORDS.split())
    return b"".join(struct.pack("!I", len(word)) + word for word in words) + _TEXT.encode()


class Frame(NamedTuple):
    """`stream` is 0 where none is meant; of a ping it is the ping's own number."""

    type: int
    stream: int
    flags: int
    data: bytes


def data_frame(stream: int, data: bytes, *, last: bool = False) -> bytes:
    return struct.pack("!II", stream, (FIN if last else 0) << 24 | len(data)) + data


def control_frame(kind: int, body: bytes, *, flags: int = 0) -> bytes:
    return struct.pack("!HHI", 0x8000 | _VERSION, kind, flags << 24 | len(body)) + body


def reset_frame(stream: int) -> bytes:
    return control_frame(RST_STREAM, struct.pack("!II", stream, CANCEL))


def ping_frame(number: int) -> bytes:
    return control_frame(PING, struct.pack("!I", number))


def go_away_frame() -> bytes:
    return control_frame(GOAWAY, struct.pack("!II", 0, 0))


class HeaderWriter:
    def __init__(self) -> None:
        self._compressor = zlib.compressobj(zdict=_dictionary())

    def syn_stream(self, stream: int, headers: Sequence[tuple[str, str]]) -> bytes:
        return control_frame(SYN_STREAM, struct.pack("!IIH", stream, 0, 0) + self._block(headers))

    def syn_reply(self, stream: int, headers: Sequence[tuple[str, str]]) -> bytes:
        return control_frame(SYN_REPLY, struct.pack("!I", stream) + self._block(headers))

    def _block(self, headers: Sequence[tuple[str, str]]) -> bytes:
        plain = struct.pack("!I", len(headers))
        for pair in headers:
            name, value = pair[0].lower().encode(), pair[1].encode()
            plain += struct.pack("!I", len(name)) + name + struct.pack("!I", len(value)) + value
        return self._compressor.compress(plain) + self._compressor.flush(zlib.Z_SYNC_FLUSH)


class HeaderReader:
    def __init__(self) -> None:
        self._decompressor = zlib.decompressobj(zdict=_dictionary())

    def read(self, block: bytes) -> dict[str, str]:
        """Raises zlib.error and struct.error for what is none."""
        plain, found = self._decompressor.decompress(block), {}
        (count,), position = struct.unpack_from("!I", plain), 4
        for _ in range(count):
            pair = []
            for _ in range(2):
                (length,) = struct.unpack_from("!I", plain, position)
                pair.append(plain[position + 4 : position + 4 + length].decode("utf-8", "replace"))
                position += 4 + length
            found[pair[0]] = pair[1]
        return found


class FrameReader:
    """Feed it; `frames` gives those that are whole."""

    def __init__(self) -> None:
        self._raw = bytearray()

    def feed(self, data: bytes) -> None:
        self._raw += data

    def frames(self) -> Iterator[Frame]:
        while len(self._raw) >= 8:
            first, second = struct.unpack_from("!II", self._raw)
            flags, length = second >> 24, second & LONGEST
            if len(self._raw) < 8 + length:
                return
            body = bytes(self._raw[8 : 8 + length])
            del self._raw[: 8 + length]
            if not first >> 31:
                yield Frame(DATA, first, flags, body)
                continue
            stream = struct.unpack_from("!I", body)[0] & 0x7FFFFFFF if length >= 4 else 0
            yield Frame(first & 0xFFFF, stream, flags, body[4:])
