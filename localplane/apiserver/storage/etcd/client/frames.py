"""HTTP/2 frames as bytes (RFC 9113, sections 4, 6 and 7); only what a client without server push needs."""

from __future__ import annotations

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

# length (16 + 8 bits), type, flags, stream
HEAD = struct.Struct(">HBBBL")
HEAD_SIZE = 9

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)

ACK = 0x1
END_STREAM = 0x1
END_HEADERS = 0x4
PADDED = 0x8
HAS_PRIORITY = 0x20

HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = range(1, 6)

NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR = 0x0, 0x1, 0x3, 0x6
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 0x7, 0x8, 0x9, 0xB

DEFAULT_WINDOW = 65_535
DEFAULT_FRAME_SIZE = 16_384
LARGEST_WINDOW = 2**31 - 1
LAST_STREAM_ID = 2**31 - 1

_SETTING = struct.Struct(">HL")
_NUMBER = struct.Struct(">L")
_TWO_NUMBERS = struct.Struct(">LL")


class ProtocolError(Exception):
    """The peer broke the rules of HTTP/2; the connection can't go on."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    length = len(payload)
    return HEAD.pack(length >> 8, length & 0xFF, kind, flags, stream) + payload


def settings(values: dict[int, int]) -> bytes:
    return frame(SETTINGS, 0, 0, b"".join(_SETTING.pack(*item) for item in values.items()))


def parse_settings(payload: bytes) -> dict[int, int]:
    if len(payload) % _SETTING.size:
        raise ProtocolError(FRAME_SIZE_ERROR, "a SETTINGS frame of an odd size")
    return dict(_SETTING.iter_unpack(payload))


def window_update(stream: int, increment: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, _NUMBER.pack(increment))


def rst_stream(stream: int, code: int) -> bytes:
    return frame(RST_STREAM, 0, stream, _NUMBER.pack(code))


def goaway(last_stream: int, code: int) -> bytes:
    return frame(GOAWAY, 0, 0, _TWO_NUMBERS.pack(last_stream, code))


def parse_number(payload: bytes) -> int:
    """The payload of RST_STREAM and, but for its first bit, of WINDOW_UPDATE."""
    if len(payload) != _NUMBER.size:
        raise ProtocolError(FRAME_SIZE_ERROR, "a frame of the wrong size")
    number: int = _NUMBER.unpack(payload)[0]
    return number


def parse_goaway(payload: bytes) -> tuple[int, int]:
    """The last stream that the peer will answer, and its error code."""
    if len(payload) < _TWO_NUMBERS.size:
        raise ProtocolError(FRAME_SIZE_ERROR, "a GOAWAY frame that is too short")
    last_stream, code = _TWO_NUMBERS.unpack_from(payload)
    return last_stream & LAST_STREAM_ID, code


def unpadded(flags: int, payload: bytes) -> bytes:
    """A DATA or HEADERS payload without its padding and, in HEADERS, its priority."""
    start, end = 0, len(payload)
    if flags & PADDED:
        if not payload:
            raise ProtocolError(PROTOCOL_ERROR, "a padded frame without a pad length")
        start, end = 1, end - payload[0]
    if flags & HAS_PRIORITY:
        start += 5
    if start > end:
        raise ProtocolError(PROTOCOL_ERROR, "a frame with more padding than content")
    return payload[start:end]
