"""gzip, as it comes. It has an end of its own: one that was cut before it may still be framed well."""

from __future__ import annotations

import zlib

from localplane.apimachinery.light_typing import Final

from .errors import InvalidAnswer

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
