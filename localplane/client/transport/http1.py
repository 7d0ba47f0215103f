"""HTTP/1.1 as bytes: requests out, answers in, whatever pieces they come in. It knows no socket."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from localplane.apimachinery.light_typing import Final
from localplane.client.errors import InvalidAnswer

from .interface import Pairs, header

# gzip, as it comes. It has an end of its own: one that was cut before it may still be framed well.

_GZIP: Final = zlib.MAX_WBITS | 16


class Unpacking:
    """Of several members, one after the other, it makes one."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._is_within = False

    def unpack(self, packed: bytes) -> bytes:
        """Raises InvalidAnswer."""
        pieces = []
        try:
            while packed:
                if not self._is_within:
                    self._member, self._is_within = zlib.decompressobj(_GZIP), True
                pieces.append(self._member.decompress(packed))
                packed = self._member.unused_data
                self._is_within = not self._member.eof
        except zlib.error as error:
            raise InvalidAnswer(f"gzip: {error}") from error
        return b"".join(pieces)

    def finish(self) -> None:
        """Raises InvalidAnswer in the middle of a member."""
        if self._is_within:
            raise InvalidAnswer("gzip: unexpected EOF")


_LONGEST_HEAD: Final = 1024 * 1024
_LONGEST_SIZE: Final = 16
_NO_BODY: Final = (204, 304)


class IncompleteAnswer(Exception):
    """The connection ended in the middle of an answer."""


class Head:
    __slots__ = ("headers", "status")

    def __init__(self, status: int, headers: Sequence[tuple[str, str]]) -> None:
        self.status = status
        self.headers = headers


def request_bytes(method: str, target: str, headers: Pairs, body: bytes | None) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {_one_line(value)}" for name, value in headers)]
    if body is not None or method in ("POST", "PUT", "PATCH"):
        lines.append(f"Content-Length: {len(body or b'')}")
    return "\r\n".join((*lines, "", "")).encode("utf-8", "surrogateescape") + (body or b"")


def _one_line(value: str) -> str:
    """A header can't have an end of line in it; what came from outside must not make a second header."""
    return value.replace("\r", " ").replace("\n", " ")


class Incoming:
    """An answer on its way. Feed it; `head` is there when it has come, `body` gives what came since it was asked."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._raw = bytearray()
        self._body: list[bytes] = []
        self._left: int | None = 0
        """Bytes of the body, or of its chunk, that are missing; None until the connection ends."""
        self._chunked = False
        self._in_trailer = False
        self._unpacking: Unpacking | None = None
        self.head: Head | None = None
        self.complete = False

    @property
    def started(self) -> bool:
        return self.head is not None or bool(self._raw)

    def feed(self, data: bytes) -> None:
        self._raw += data
        if self.head is None and not self._read_head():
            return
        if self._chunked:
            self._read_chunks()
        elif self._left is None:
            self._take(len(self._raw))
        elif not self.complete:
            self._left -= self._take(min(self._left, len(self._raw)))
            self.complete = self._left == 0
        if self.complete and self._unpacking is not None:
            self._unpacking.finish()

    def end(self) -> None:
        """The connection is at its end. Raises IncompleteAnswer, unless that is how the answer ends."""
        if self._left is not None or self._chunked:
            raise IncompleteAnswer("unexpected EOF")
        self.complete = True
        if self._unpacking is not None:
            self._unpacking.finish()

    def body(self) -> bytes:
        pieces, self._body = self._body, []
        return b"".join(pieces)

    def _read_head(self) -> bool:
        while (end := self._raw.find(b"\r\n\r\n")) >= 0:
            first, *lines = bytes(self._raw[:end]).decode("latin-1").split("\r\n")
            del self._raw[: end + 4]
            protocol, _, rest = first.partition(" ")
            if not protocol.startswith("HTTP/1.") or not rest[:3].isdecimal():
                raise InvalidAnswer(f"malformed HTTP response {first[:100]!r}")
            status = int(rest[:3])
            if 100 <= status < 200 and status != 101:
                continue  # the answer itself comes later
            headers = [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
            self.head = Head(
                status, [(name, value.encode("latin-1").decode("utf-8", "replace")) for name, value in headers]
            )
            self._frame(self.head)
            return True
        if len(self._raw) > _LONGEST_HEAD:
            raise InvalidAnswer("the server's answer begins with more than a megabyte of headers")
        return False

    def _frame(self, head: Head) -> None:
        self._chunked = header(head.headers, "transfer-encoding").lower() == "chunked"
        length = header(head.headers, "content-length")
        if self._method == "HEAD" or head.status in _NO_BODY:
            self._chunked, self._left = False, 0
        elif not self._chunked:
            self._left = int(length) if length.isdecimal() else None
        self.complete = not self._chunked and self._left == 0
        if header(head.headers, "content-encoding").lower() == "gzip":
            self._unpacking = Unpacking()

    def _read_chunks(self) -> None:
        while self._raw and not self.complete:
            if self._left is not None and self._left > 0:
                self._left -= self._take(min(self._left, len(self._raw)))
                if self._left == 0:
                    self._left = -2  # the end of line behind it
                continue
            end = self._raw.find(b"\r\n")
            if end < 0:
                return
            line = bytes(self._raw[:end])
            if self._left == -2:
                self._left = 0
            elif self._in_trailer:
                self.complete = not line
            else:
                self._left = _chunk_size(line)
                self._in_trailer = self._left == 0
            del self._raw[: end + 2]

    def _take(self, count: int) -> int:
        data = bytes(self._raw[:count])
        del self._raw[:count]
        if self._unpacking is not None:
            data = self._unpacking.unpack(data)
        if data:
            self._body.append(data)
        return count


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    if not digits or len(digits) > _LONGEST_SIZE or digits.strip(b"0123456789abcdefABCDEF"):
        raise InvalidAnswer("malformed chunked encoding")
    return int(digits, 16)
