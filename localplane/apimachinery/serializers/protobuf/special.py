"""Types whose message is not what their JSON looks like: times, durations, quantities, raw JSON.

Each is a pair, from the JSON value to the content of the message and back, under the name of its codec in the schema.
`read` returns None for a value that is not set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.memoization import remembered
from localplane.apimachinery.schema.structs.codecs import DURATION, QUANTITY, Unreadable
from localplane.apimachinery.serializers.errors import ProtobufError
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.utf8 import decode as text_of
from localplane.apimachinery.times import format_micro_time, format_time, parse_duration

from .wire import Payload, delimited, fields, signed32, signed64, varint

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER: Final = datetime(1, 1, 1, tzinfo=UTC)
_SECOND, _MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Special:
    """`zero` is the content of a value that is not set."""

    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]
    zero: bytes = b""


def _number(payload: Payload) -> int:
    return payload if isinstance(payload, int) else 0


def _bytes(payload: Payload) -> bytes:
    return payload if isinstance(payload, bytes) else b""


@remembered  # an object's times are the same in each of its versions
def _write_time(text: str) -> bytes:
    moment = datetime.fromisoformat(text)
    return b"" if moment == _NEVER else b"\x08" + varint((moment - _EPOCH) // _SECOND) + b"\x10\x00"


def _write_micro_time(text: str) -> bytes:
    moment = datetime.fromisoformat(text)
    nanoseconds = moment.microsecond * 1_000
    return b"" if moment == _NEVER else b"\x08" + varint((moment - _EPOCH) // _SECOND) + b"\x10" + varint(nanoseconds)


def _moment(data: bytes) -> tuple[datetime, int] | None:
    """Whole seconds, and the nanoseconds of a second."""
    if not data:
        return None
    told = {1: 0, 2: 0} | {number: _number(payload) for number, payload in fields(data)}
    try:
        moment = _EPOCH + timedelta(seconds=signed64(told[1]))
    except OverflowError:
        raise ProtobufError("Time.MarshalJSON: year outside of range [0,9999]") from None
    return None if moment == _NEVER else (moment, signed32(told[2]))


def _read_time(data: bytes) -> str | None:
    found = _moment(data)
    return None if found is None else format_time(found[0])


def _read_micro_time(data: bytes) -> str | None:
    found = _moment(data)
    return None if found is None else format_micro_time(found[0] + timedelta(microseconds=found[1] // 1_000))


def _write_duration(text: str) -> bytes:
    return b"\x08" + varint(parse_duration(text) // _MICROSECOND * 1_000)


def _read_duration(data: bytes) -> Any:
    nanoseconds = 0
    for number, payload in fields(data):
        if number == 1:
            nanoseconds = signed64(_number(payload))
    return DURATION.read(f"{nanoseconds}ns")


def _write_quantity(value: Any) -> bytes:
    return delimited(b"\x0a", str(value).encode())


def _read_quantity(data: bytes) -> Any:
    text = "0"
    for number, payload in fields(data):
        if number == 1:
            text = text_of(_bytes(payload))
    try:
        return QUANTITY.read(text)
    except Unreadable as error:
        raise ProtobufError(str(error)) from None


def _write_int_or_string(value: int | str) -> bytes:
    if isinstance(value, str):
        return b"\x08\x01\x10\x00" + delimited(b"\x1a", value.encode())
    return b"\x08\x00\x10" + varint(value) + b"\x1a\x00"


def _read_int_or_string(data: bytes) -> int | str:
    told: dict[int, Payload] = {1: 0, 2: 0, 3: b""}
    told.update(fields(data))
    return text_of(_bytes(told[3])) if _number(told[1]) else signed32(_number(told[2]))


def _write_raw(value: Any) -> bytes:
    return delimited(b"\x0a", to_json(value))


def _read_raw(data: bytes) -> Any:
    raw = b""
    for number, payload in fields(data):
        if number == 1:
            raw = _bytes(payload)
    return parse_json(raw).value if raw else None


def write_texts(values: Any) -> bytes:
    """A list that is a message of its own."""
    return b"".join([delimited(b"\x0a", value.encode()) for value in values])


def read_texts(data: bytes) -> list[str]:
    return [text_of(_bytes(payload)) for number, payload in fields(data) if number == 1]


INT_OR_STRING: Final = Special(_write_int_or_string, _read_int_or_string, _write_int_or_string(0))
RAW_JSON: Final = Special(_write_raw, _read_raw)
TEXTS: Final = Special(write_texts, read_texts)

SPECIAL: Final[Mapping[str, Special]] = {
    "time": Special(_write_time, _read_time),
    "microTime": Special(_write_micro_time, _read_micro_time),
    "duration": Special(_write_duration, _read_duration, b"\x08\x00"),
    "quantity": Special(_write_quantity, _read_quantity, b"\x0a\x010"),
    "intOrString": INT_OR_STRING,
    "rawJSON": RAW_JSON,
    "stringList": TEXTS,
}
