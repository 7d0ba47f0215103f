"""Names of time zones: which there are, and what is said of others.

Kubernetes: pkg/apis/batch/validation, validateTimeZone, and Go's time.LoadLocation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from localplane.apimachinery.fieldpath import FieldError, Path, invalid

_LONGEST = 255  # of a file's name; a long way of folders is gone step by step
_is_component = re.compile(r"[A-Za-z.\-_0-9+]{1,14}").fullmatch


class UnknownTimeZone(ValueError):
    """The text of Go's error."""


def load_location(name: str) -> tzinfo:
    """Raises UnknownTimeZone if there is no such zone. The empty name and UTC are one, and Local is the machine's own,
    which is UTC too: Kubernetes' programs run in containers, and those have no other."""
    if name in ("", "UTC", "Local"):
        return UTC
    if ".." in name or name.startswith(("/", "\\")):
        raise UnknownTimeZone("time: invalid location name")
    try:
        return ZoneInfo(name if len(name) <= _LONGEST else "")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownTimeZone(f"unknown time zone {name}") from error


def time_zone_errors(name: str, path: Path) -> Iterator[FieldError]:
    if not name:
        yield invalid(path, name, "timeZone must be nil or non-empty string")
        return
    if not all(map(_is_well_named, name.split("/"))):
        yield invalid(path, name, f"unknown time zone {name}")
        return
    if name.lower() == "local":
        told = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        yield invalid(path, name, told)
    try:
        load_location(name)
    except UnknownTimeZone as error:
        yield invalid(path, name, str(error))


def _is_well_named(part: str) -> bool:
    return part not in (".", "..") and not part.startswith("-") and _is_component(part) is not None
