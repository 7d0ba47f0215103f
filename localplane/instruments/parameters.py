"""What the parameters of an instrument say. Everything here raises BadRequest for what can't be read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.times import InvalidDuration, InvalidTime, parse_duration, parse_time
from localplane.apiserver.request import Query

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


def expect(query: Query, known: Iterable[str]) -> None:
    """That there is no other."""
    names = sorted(known)
    if unknown := sorted(name for name in query if name not in names):
        raise BadRequest(f"there is no parameter {go_quote(unknown[0])}; there are: {', '.join(names)}")


def switch(query: Query, name: str) -> bool:
    text = query.get(name, "false")
    if text not in ("true", "false"):
        raise BadRequest(f"{name} is true or false, not {go_quote(text)}")
    return text == "true"


def moment(text: str) -> datetime:
    """A time, or how long ago: `2026-01-02T15:04:05Z`, `5m`."""
    try:
        return parse_time(text)
    except InvalidTime:
        pass
    try:
        age = parse_duration(text)
    except InvalidDuration:
        age = timedelta(-1)
    if age < timedelta():
        raise BadRequest(f"{go_quote(text)} is neither a time (2026-01-02T15:04:05Z) nor how long ago (30s, 5m, 2h)")
    try:
        return datetime.now(UTC) - age
    except OverflowError:
        return _BEFORE_ALL
