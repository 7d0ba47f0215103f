"""Times and durations as Go and Kubernetes write, read and shorten them.

metav1.Time is RFC 3339 in UTC with seconds; MicroTime has six digits more. Whatever a client sends is read as Go's
time.Parse reads it, its leniencies and its error texts included.
"""

from __future__ import annotations

import re
import time
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from .clock.reading import RUNNING, present

_LAYOUT = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"


class InvalidTime(ValueError):
    """The text of Go's ParseError."""


class InvalidDuration(ValueError):
    """The text of Go's time.ParseDuration."""


def now() -> str:
    """gmtime() alone reads a coarser clock, which still says the last second in the first milliseconds of the next:
    what was awaited to the second would seem to happen before its time."""
    clock = RUNNING.get()  # not through `timestamp`: every write asks
    return _written_second(int(time.time() if clock is None else clock.timestamp()))


@lru_cache(maxsize=2)  # a write asks more than once, and many writes share a second
def _written_second(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


def micro_now() -> str:
    return format_micro_time(present())


def format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def format_micro_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse_time(text: str) -> datetime:
    """An RFC 3339 time; a fraction of a second may be there, and so may an hour of one digit, as in Go."""
    return _parse(text, _LAYOUT)


def parse_micro_time(text: str) -> datetime:
    """As parse_time, but six digits after the second must be there."""
    return _parse(text, _MICRO_LAYOUT)


def _parse(text: str, layout: str) -> datetime:
    reader = _Reader(text, layout)
    year = reader.year()
    reader.literal("-")
    month = reader.number("01", "month", 1, 12)
    reader.literal("-")
    day = reader.number("02", "day", 0, 99)
    reader.literal("T")
    hour = reader.number("15", "hour", 0, 23, digits=(1, 2))
    reader.literal(":")
    minute = reader.number("04", "minute", 0, 59)
    reader.literal(":")
    second = reader.number("05", "second", 0, 59)
    microsecond = reader.fraction()
    offset = reader.offset()
    reader.end()
    if day < 1 or day > (monthrange(year, month)[1] if year else 31):
        raise reader.out_of_range("day")
    try:
        return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC) - offset
    except (ValueError, OverflowError):  # Go counts years on both sides of ours; nobody's object is that old
        raise reader.out_of_range("year") from None


@dataclass(slots=True)
class _Reader:
    """What is left of the text, read element by element of Go's layout."""

    text: str
    layout: str
    rest: str = ""

    def __post_init__(self) -> None:
        self.rest = self.text

    def year(self) -> int:
        match = re.match("[0-9]{4}", self.rest)
        if match is None:
            raise self.unreadable("2006")
        return int(self._taken(4))

    def literal(self, character: str) -> None:
        if not self.rest.startswith(character):
            raise self.unreadable(character)
        self._taken(1)

    def number(self, element: str, name: str, low: int, high: int, *, digits: tuple[int, int] = (2, 2)) -> int:
        match = re.match(f"[0-9]{{{digits[0]},{digits[1]}}}", self.rest)
        if match is None:
            raise self.unreadable(element)
        value = int(self._taken(match.end()))
        if not low <= value <= high:
            raise self.out_of_range(name)
        return value

    def fraction(self) -> int:
        """Microseconds. Go takes a comma as well, and any number of digits if the layout asks for none."""
        exact = self.layout == _MICRO_LAYOUT
        match = re.match("[.,]([0-9]{6})" if exact else "[.,]([0-9]+)", self.rest)
        if match is None:
            if exact:
                raise self.unreadable(".000000")
            return 0
        self._taken(match.end())
        return int(match.group(1)[:6].ljust(6, "0"))

    def offset(self) -> timedelta:
        if self.rest.startswith("Z"):
            self._taken(1)
            return timedelta()
        match = re.match("([+-])([0-9]{2}):([0-9]{2})", self.rest)
        if match is None:
            raise self.unreadable("Z07:00")
        sign, hours, minutes = match.groups()
        self._taken(match.end())
        if int(hours) > 24:
            raise self.out_of_range("time zone offset hour")
        if int(minutes) > 60:
            raise self.out_of_range("time zone offset minute")
        span = timedelta(hours=int(hours), minutes=int(minutes))
        return -span if sign == "-" else span

    def end(self) -> None:
        if self.rest:
            raise InvalidTime(f"parsing time {_quoted(self.text)}: extra text: {_quoted(self.rest)}")

    def unreadable(self, element: str) -> InvalidTime:
        rest, whole = _quoted(self.rest), _quoted(self.text)
        return InvalidTime(f"parsing time {whole} as {_quoted(self.layout)}: cannot parse {rest} as {_quoted(element)}")

    def out_of_range(self, name: str) -> InvalidTime:
        return InvalidTime(f"parsing time {_quoted(self.text)}: {name} out of range")

    def _taken(self, length: int) -> str:
        taken, self.rest = self.rest[:length], self.rest[length:]
        return taken


def _quoted(text: str) -> str:
    """The quotes of Go's time package: every byte that is not printable ASCII is told in hexadecimal."""
    pieces = []
    for byte in text.encode("utf-8", "surrogatepass"):
        character = chr(byte)
        if character in '"\\':
            pieces.append(f"\\{character}")
        else:
            pieces.append(character if 0x20 <= byte < 0x80 else f"\\x{byte:02x}")
    return f'"{"".join(pieces)}"'


def age(timestamp: str | None, *, at: datetime | None = None) -> str:
    """The AGE column: how long ago a timestamp was, or `<unknown>` without a readable one."""
    if not timestamp:
        return "<unknown>"
    try:
        return human_duration((at or present()) - parse_time(timestamp))
    except InvalidTime:
        return "<unknown>"


def human_duration(duration: timedelta) -> str:
    """Two or three significant figures: `45s`, `5m10s`, `47h`, `2y170d`. A clock may be a second ahead of ours."""
    seconds = int(duration.total_seconds())
    minutes, hours = seconds // 60, seconds // 3600
    days, years = hours // 24, hours // (24 * 365)
    if seconds < -1:
        return "<invalid>"
    if seconds < 120:
        return f"{max(seconds, 0)}s"
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if years < 2:
        return f"{days}d"
    if years < 8:
        return _two(years, "y", days % 365, "d")
    return f"{years}y"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


_NANOSECONDS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,  # the Greek letter; above it is the micro sign
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_TERM = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^.0-9]*)")
_LONGEST = 2**63


def parse_duration(text: str) -> timedelta:
    """A Go duration such as `1h2m3.5s`. What is finer than a microsecond is cut off."""
    total = duration_nanoseconds(text)
    return timedelta(microseconds=total // 1_000 if total >= 0 else -(-total // 1_000))


def format_duration(duration: timedelta) -> str:
    """As Go's Duration.String, to the microsecond."""
    microseconds = duration // timedelta(microseconds=1)
    sign, rest = ("-", -microseconds) if microseconds < 0 else ("", microseconds)
    if rest == 0:
        return "0s"
    if rest < 1_000_000:
        return f"{sign}{rest}µs" if rest < 1_000 else f"{sign}{_trimmed(rest, 3)}ms"
    minutes, rest = divmod(rest, 60_000_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_trimmed(rest, 6)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{seconds}"
    return f"{sign}{minutes}m{seconds}" if minutes else f"{sign}{seconds}"


def _trimmed(number: int, digits: int) -> str:
    whole, fraction = divmod(number, 10**digits)
    return f"{whole}.{fraction:0{digits}d}".rstrip("0").rstrip(".")


def duration_nanoseconds(text: str) -> int:
    """A Go duration in full. Raises InvalidDuration."""
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    invalid = InvalidDuration(f"time: invalid duration {_quoted(text)}")
    if not rest:
        raise invalid
    total, position = 0, 0
    while position < len(rest):
        match = _TERM.match(rest, position)
        if match is None or not (match.group(1) or match.group(2)):
            raise invalid
        whole, fraction, unit = match.groups()
        total += _nanoseconds(whole, fraction or "", unit, text)
        if total > _LONGEST or (total == _LONGEST and not negative):
            raise invalid
        position = match.end()
    return -total if negative else total


def _nanoseconds(whole: str, fraction: str, unit: str, text: str) -> int:
    # The length comes first: Python refuses to read a number of thousands of digits.
    whole = whole.lstrip("0")
    if len(whole) > 19 or int(whole or 0) > _LONGEST:
        raise InvalidDuration(f"time: invalid duration {_quoted(text)}")
    if not unit:
        raise InvalidDuration(f"time: missing unit in duration {_quoted(text)}")
    factor = _NANOSECONDS.get(unit)
    if factor is None:
        raise InvalidDuration(f"time: unknown unit {_quoted(unit)} in duration {_quoted(text)}")
    fraction = fraction[:18]
    return int(whole or 0) * factor + int(fraction or 0) * factor // int(10 ** len(fraction))
