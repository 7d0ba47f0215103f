"""JSON bodies in, checked as Go checks them, at the price of orjson where it can be trusted.

orjson takes nothing that Go refuses. What it refuses and Go takes (bytes that are no UTF-8, half of a surrogate pair,
more than 1024 levels) is mended or read by `json_scanner`, which also finds Go's words for what both refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from .errors import JSONValueError
from .json_diagnosis import resumed
from .json_duplicates import duplicate_fields
from .json_scanner import Scanner, too_great
from .parsed import Parsed

_ESCAPES = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_GREAT_NUMBER = re.compile(r"[0-9]{300,}|(?<=[eE])\+?[0-9]{3,}|(?<=[eE]\+)[0-9]{3,}")


def parse_json(body: bytes, *, find_duplicates: bool = False) -> Parsed:
    """The value of a body. Of a key that comes twice the last counts; `find_duplicates` reports the others.

    Whole numbers between -2**63 and 2**64 are exact; all others are floats. Raises JSONSyntaxError, JSONValueError.
    """
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _parse_patiently(body, find_duplicates=find_duplicates)
    if not find_duplicates:
        return Parsed(value)
    duplicates = duplicate_fields(body, value)
    return Parsed(value, duplicates, duplicates)


def parse_json_stream(body: bytes) -> Iterator[tuple[Any, int]]:
    """The values that follow one another in `body`, each with the position behind it."""
    scanner = Scanner(body)
    while not scanner.at_end():
        value = scanner.read()
        scanner.check_numbers()
        yield value, scanner.position


def _parse_patiently(body: bytes, *, find_duplicates: bool) -> Parsed:
    """In `text` a byte that is no UTF-8 is one character, so places in it can be found again in the body."""
    text = body.decode("utf-8", "surrogateescape")
    mended = _ESCAPES.sub(_without_half_pairs, _NOT_UTF8.sub("\ufffd", text))
    try:
        value = orjson.loads(mended)
    except orjson.JSONDecodeError as error:
        slow = _parse_slowly(body, text, mended, error.pos)
        return slow if find_duplicates else Parsed(slow.value)
    duplicates = duplicate_fields(mended.encode(), value) if find_duplicates else ()
    return Parsed(value, duplicates, duplicates)


def _parse_slowly(body: bytes, text: str, mended: str, position: int) -> Parsed:
    scanner = resumed(body, len(text[:position].encode("utf-8", "surrogateescape")))
    scanner.take_one_step()
    _refuse_great_number(mended, position)
    scanner = Scanner(body)
    value = scanner.document()
    return Parsed(value, scanner.duplicates, scanner.duplicates)


def _refuse_great_number(mended: str, position: int) -> None:
    """Raise if the number here is the only fault; a fault of syntax further on would go first."""
    great = too_great(mended, position)
    if great is None:
        return
    try:
        orjson.loads(_GREAT_NUMBER.sub("1", mended))
    except orjson.JSONDecodeError:
        return
    raise JSONValueError(f"json: cannot unmarshal number {great} into Go value of type float64")


def _without_half_pairs(match: re.Match[str]) -> str:
    return "\\ufffd" if match[1] else match[0]


def number_text(body: bytes, path: tuple[str | int, ...]) -> str:
    """The number at a place of a JSON body as it is written there, which Go's messages quote.

    Raises LookupError when no number stands there.
    """
    value = _Written(body).document()
    for step in path:
        value = value[step]
    if isinstance(value, _Number):
        return str(value)
    raise LookupError(path)


class _Number(str):
    __slots__ = ()


class _Written(Scanner):
    def _number_of(self, text: str) -> Any:
        return _Number(text)
