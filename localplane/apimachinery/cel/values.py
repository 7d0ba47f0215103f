"""Values of expressions.

Most are Python's own: bool, int, float, str, bytes, None, list. The classes here are the rest; `library` adds URLs,
quantities and their like, `objects` what stands in a custom resource. Nothing here changes after it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Final

from .errors import EvaluationError
from .types import BOOL, BYTES, DOUBLE, DURATION, INT, LIST, MAP, NULL, OPTIONAL, STRING, TIMESTAMP, TYPE, UINT, Type

MOST_BUILT: Final = 4_000_000
"""Characters that one evaluation may make where what it costs is not the cost of the result."""
ELEMENT: Final = 8
"""How many characters an element of a list counts for."""


class _Missing(Enum):
    MISSING = "MISSING"


MISSING: Final = _Missing.MISSING
"""What a map answers for a key that it does not have."""


class Unsigned(int):
    """CEL's uint: its own type, equal to an int of the same amount."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    nanoseconds: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """Nanoseconds since 1970, in UTC. `offset` is that of the text it came from, which only printing shows."""

    nanoseconds: int
    offset: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timestamp) and self.nanoseconds == other.nanoseconds

    def __hash__(self) -> int:
        return hash(self.nanoseconds)


@dataclass(frozen=True, slots=True)
class Optional:
    value: Any = MISSING

    def get(self) -> Any:
        if self.value is MISSING:
            raise EvaluationError("optional.none() dereference")
        return self.value


NONE: Final = Optional()


class Mapper:
    """Anything with keys: a map, or an object of a custom resource. A plain class, because every access to a field asks
    whether it has one: a protocol takes ten microseconds to tell."""

    __slots__ = ()

    def find(self, key: Any) -> Any:
        """The value of this key, or MISSING."""
        raise NotImplementedError

    def each_key(self) -> Iterator[Any]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


class Map(Mapper):
    """A map that an expression made. Keys of different number types that are equal are the same key; true is not 1."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Any, tuple[Any, Any]]) -> None:
        self.entries = entries

    @classmethod
    def of(cls, pairs: list[tuple[Any, Any]]) -> Map:
        return cls({map_key(key): (key, value) for key, value in pairs})

    def find(self, key: Any) -> Any:
        entry = self.entries.get(map_key(key))
        return MISSING if entry is None else entry[1]

    def each_key(self) -> Iterator[Any]:
        return (key for key, _ in self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)


def map_key(key: Any) -> Any:
    kind = type(key)
    if kind is str or kind is int:
        return key
    if kind is bool:
        return (bool, key)
    if kind is Unsigned or kind is float:
        return int(key) if kind is Unsigned or key == key // 1 else key
    return (kind, id(key))


class Extension:
    """A value of a library: `cel_type` is what `type(x)` says of it."""

    __slots__ = ()
    cel_type: ClassVar[Type]


_TYPES: Final[dict[type, Type]] = {
    bool: BOOL,
    int: INT,
    Unsigned: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
    list: LIST,
    Duration: DURATION,
    Timestamp: TIMESTAMP,
    Optional: OPTIONAL,
    Type: TYPE,
}


def type_of_value(value: Any) -> Type:
    """The type at run time, without parameters."""
    found = _TYPES.get(type(value))
    if found is not None:
        return found
    if isinstance(value, Extension):
        return value.cel_type
    return LIST if isinstance(value, list) else MAP


def built(value: Any) -> int:
    """What a value counts for when the cost of an operation does not tell how large its result is."""
    return size_of(value) * (ELEMENT if isinstance(value, list) else 1)


def size_of(value: Any) -> int:
    """What a value counts for when the cost of an operation is computed."""
    kind = type(value)
    if kind is str or kind is bytes or kind is list:
        return len(value)
    if kind is Optional:
        return 1 if value.value is MISSING else size_of(value.value)
    length: Callable[[], int] | None = getattr(value, "__len__", None)
    return 1 if length is None else length()
