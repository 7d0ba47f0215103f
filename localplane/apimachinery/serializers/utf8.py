"""Bytes to text as Go does it: every byte that is no UTF-8 becomes a replacement character of its own."""

from __future__ import annotations

import codecs

_REPLACE_EACH_BYTE = "localplane-replace-each-byte"


def _replace_each_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error(_REPLACE_EACH_BYTE, _replace_each_byte)


def decode(data: bytes) -> str:
    """Text that can always be encoded again."""
    return data.decode("utf-8", _REPLACE_EACH_BYTE)
