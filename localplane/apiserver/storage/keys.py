"""Where an object lives in the store, and the guard that keeps one resource out of another's keys."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import InvalidKey, InvalidResourceVersion

DEFAULT_ROOT = "/registry"

_MOST_DIGITS = 20  # of a number of 64 bits; Python refuses to read thousands of them


@dataclass(frozen=True, slots=True)
class KeySchema:
    """`root` is the registry's prefix in the store, `resource` that of one resource below it (`/pods/`)."""

    root: str
    resource: str

    @property
    def prefix(self) -> str:
        """All keys of the resource start with this."""
        return self.root + self.resource

    def one(self, key: str) -> str:
        """The absolute key of one object."""
        self._check(key)
        if key.endswith("/"):
            raise InvalidKey(key, "it names no object")
        return self.root + key

    def below(self, key: str) -> str:
        """The absolute prefix of everything below a key. It always ends in `/`: `ns` must not find `ns2`."""
        self._check(key if key.endswith("/") else key + "/")
        return self.root + (key if key.endswith("/") else key + "/")

    def _check(self, key: str) -> None:
        if key.startswith(self.resource) and "/." not in key and "\x00" not in key and key.isascii():
            return  # as nearly all are
        if not key.startswith(self.resource):
            raise InvalidKey(key, f"it does not start with {self.resource}")
        for part in key[len(self.resource) :].split("/"):
            if part in (".", ".."):
                raise InvalidKey(key, f"{part!r} is no part of a key")
            if "\x00" in part:
                raise InvalidKey(key, "it contains a NUL character")
        if not key.isascii() and any("\ud800" <= character <= "\udfff" for character in key):
            raise InvalidKey(key, "it contains half a character")


def parse_resource_version(value: str) -> int:
    """A resourceVersion as a number; "" is 0. Python's int would take signs, spaces, underscores and other digits."""
    if not value:
        return 0
    digits = value[: len(value) - len(value.lstrip("0123456789"))]
    significant = digits.lstrip("0") or "0"
    if len(significant) > _MOST_DIGITS or int(significant) >= 1 << 64:
        raise InvalidResourceVersion(value, why="value out of range")
    if digits != value:
        raise InvalidResourceVersion(value)
    return int(significant)
