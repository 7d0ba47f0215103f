"""JSON bodies in, checked as Go checks them, at the price of orjson where it can be trusted.

orjson takes nothing that Go refuses. What it refuses and Go takes (bytes that are no UTF-8, half of a surrogate pair,
more than 1024 levels) is mended or read by `json_scanner`, which also finds Go's words for what both refuse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from localplane.apimachinery.golang.text import go_quote

from .errors import JSONValueError
from .json_scanner import MAX_DUPLICATES, Scanner, too_great
from .json_writer import escape_html
from .parsed import Parsed

# Where a fault in a large body is, without reading all that stands before it one token at a time.
#
# The fast parser says where it stopped. What is open there can be seen from the brackets alone, once strings are out of
# the way; a scanner that starts there finds the words.

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


# Keys that come twice in one JSON object, found without reading most bodies a second time.

Pairs = list[tuple[str, Any]]


class _Repeating(list[Any]):
    """The pairs of an object that has a key twice; a list, so that nothing of it is lost."""

    __slots__ = ()


def duplicate_fields(body: bytes, value: Any) -> tuple[str, ...]:
    """A sentence for each key that comes again in its object; `value` is what the body parsed to.

    A body that is the same when it is written anew has none, and most clients send such. The body is valid UTF-8.
    """
    try:
        written, sent = orjson.dumps(value), body.rstrip()
        if written == sent or (b"\\u00" in sent and escape_html(written) == sent):
            return ()
    except orjson.JSONEncodeError:
        pass
    return _found(body)


def _found(body: bytes) -> tuple[str, ...]:
    repeating: list[_Repeating] = []

    def remember(pairs: Pairs) -> Any:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        repeating.append(_Repeating(pairs))
        return repeating[-1]

    try:
        tree = json.loads(body.decode(), object_pairs_hook=remember)
    except RecursionError:
        scanner = Scanner(body)
        scanner.document()
        return scanner.duplicates
    return tuple(f"duplicate field {go_quote(path)}" for path in _paths(tree)) if repeating else ()


def _paths(tree: Any) -> tuple[str, ...]:
    """The paths of repeated keys, in the order in which Go meets them: a key before what it holds."""
    paths: dict[str, None] = {}
    stack: list[tuple[Iterator[tuple[str, Any]], set[str] | None]] = [(iter([("", tree)]), None)]
    while stack and len(paths) < MAX_DUPLICATES:
        items, seen = stack[-1]
        path, value = next(items, ("", _END))
        if value is _END:
            stack.pop()
            continue
        if seen is not None:
            if path in seen:
                paths[path.removeprefix(".")] = None
            seen.add(path)
        if isinstance(value, (dict, list)):
            stack.append(_entries(value, path))
    return tuple(paths)


_END = object()


def _entries(value: dict[str, Any] | list[Any], path: str) -> tuple[Iterator[tuple[str, Any]], set[str] | None]:
    if isinstance(value, dict):
        return ((f"{path}.{key}", item) for key, item in value.items()), None
    if isinstance(value, _Repeating):
        return ((f"{path}.{key}", item) for key, item in value), set()
    return ((f"{path}[{index}]", item) for index, item in enumerate(value)), None


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
