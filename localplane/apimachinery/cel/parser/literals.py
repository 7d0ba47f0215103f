"""The values of literal tokens. Upstream: parser/unescape.go."""

from __future__ import annotations

import re
from typing import Final

_SIMPLE: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}
_ESCAPES: Final = re.compile(
    r"\\(?:[xX](?P<hex>..)|u(?P<four>.{4})|U(?P<eight>.{8})|(?P<octal>[0-3]..)|(?P<simple>.))", re.DOTALL
)
_DIGITS_MAX: Final = 32  # no 64 bits need more, and Python reads thousands of them slowly


class InvalidLiteral(ValueError):
    pass


def text_of(token: str) -> str:
    body, is_raw = _body(token)
    return body if is_raw or "\\" not in body else _ESCAPES.sub(_character, body)


def bytes_of(token: str) -> bytes:
    """Of a token without its b: escapes by number are bytes, everything else is written in UTF-8."""
    body, is_raw = _body(token)
    if is_raw or "\\" not in body:
        return body.encode("utf-8", "surrogatepass")
    pieces: list[bytes] = []
    position = 0
    for match in _ESCAPES.finditer(body):
        pieces.append(body[position : match.start()].encode("utf-8", "surrogatepass"))
        pieces.append(_byte(match))
        position = match.end()
    pieces.append(body[position:].encode("utf-8", "surrogatepass"))
    return b"".join(pieces)


def _body(token: str) -> tuple[str, bool]:
    token = token.replace("\r\n", "\n").replace("\r", "\n")
    is_raw = token[0] in "rR"
    if is_raw:
        token = token[1:]
    quotes = 3 if len(token) >= 6 and token.startswith(("'''", '"""')) else 1
    return token[quotes:-quotes], is_raw


def _character(match: re.Match[str]) -> str:
    if match["simple"] is not None:
        return _SIMPLE[match["simple"]]
    if match["octal"] is not None:
        return chr(int(match["octal"], 8))
    code = int(match["hex"] or match["four"] or match["eight"], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise InvalidLiteral("invalid unicode code point")
    return chr(code)


def _byte(match: re.Match[str]) -> bytes:
    if match["simple"] is not None:
        return _SIMPLE[match["simple"]].encode()
    if match["octal"] is not None:
        return bytes([int(match["octal"], 8)])
    if match["hex"] is not None:
        return bytes([int(match["hex"], 16)])
    raise InvalidLiteral("unable to unescape string")


def integer(text: str, *, negative: bool) -> int:
    if len(text.lstrip("0")) > _DIGITS_MAX:
        raise InvalidLiteral("invalid int literal")
    number = int(text, 16) if text.startswith("0x") else int(text.lstrip("0") or "0")
    number = -number if negative else number
    if not -(2**63) <= number < 2**63:
        raise InvalidLiteral("invalid int literal")
    return number


def unsigned(text: str) -> int:
    if len(text.lstrip("0")) > _DIGITS_MAX:
        raise InvalidLiteral("invalid uint literal")
    number = int(text[2:-1], 16) if text.startswith("0x") else int(text[:-1].lstrip("0") or "0")
    if number >= 2**64:
        raise InvalidLiteral("invalid uint literal")
    return number


def double(text: str, *, negative: bool) -> float:
    number = float(text)
    if number == float("inf"):
        raise InvalidLiteral("invalid double literal")
    return -number if negative else number
