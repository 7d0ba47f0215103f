"""The types of expressions: what the checker reasons about, and what `type(x)` answers."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .schema.declared_types import DeclaredType


class Kind(Enum):
    BOOL = auto()
    BYTES = auto()
    DOUBLE = auto()
    DURATION = auto()
    DYN = auto()
    ERROR = auto()
    INT = auto()
    LIST = auto()
    MAP = auto()
    NULL = auto()
    OPAQUE = auto()
    STRING = auto()
    STRUCT = auto()
    TIMESTAMP = auto()
    TYPE = auto()
    TYPE_PARAMETER = auto()
    UINT = auto()


class Type:
    """A kind, a name and parameters. A struct of a custom resource carries its declaration."""

    __slots__ = ("declared", "kind", "name", "parameters")

    def __init__(
        self, kind: Kind, name: str, parameters: tuple[Type, ...] = (), declared: DeclaredType | None = None
    ) -> None:
        self.kind = kind
        self.name = name
        self.parameters = parameters
        self.declared = declared

    def __repr__(self) -> str:
        return f"Type({self})"

    def __deepcopy__(self, memo: dict[int, object]) -> Type:
        return self

    def __str__(self) -> str:
        return _SHOWN.get(self.kind) or self._with_parameters()

    def _with_parameters(self) -> str:
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(str(each) for each in self.parameters)})"

    def is_exactly(self, other: Type) -> bool:
        return self is other or (
            self.kind is other.kind
            and self.name == other.name
            and len(self.parameters) == len(other.parameters)
            and all(one.is_exactly(two) for one, two in zip(self.parameters, other.parameters, strict=True))
        )

    @property
    def is_dyn(self) -> bool:
        return self.kind is Kind.DYN

    @property
    def is_optional(self) -> bool:
        return self.kind is Kind.OPAQUE and self.name == OPTIONAL_NAME


_SHOWN: Final = {
    Kind.DURATION: "duration",
    Kind.ERROR: "!error!",
    Kind.NULL: "null",
    Kind.TIMESTAMP: "timestamp",
}
OPTIONAL_NAME: Final = "optional_type"

BOOL: Final = Type(Kind.BOOL, "bool")
BYTES: Final = Type(Kind.BYTES, "bytes")
DOUBLE: Final = Type(Kind.DOUBLE, "double")
DURATION: Final = Type(Kind.DURATION, "google.protobuf.Duration")
DYN: Final = Type(Kind.DYN, "dyn")
ERROR: Final = Type(Kind.ERROR, "error")
INT: Final = Type(Kind.INT, "int")
NULL: Final = Type(Kind.NULL, "null_type")
STRING: Final = Type(Kind.STRING, "string")
TIMESTAMP: Final = Type(Kind.TIMESTAMP, "google.protobuf.Timestamp")
TYPE: Final = Type(Kind.TYPE, "type")
UINT: Final = Type(Kind.UINT, "uint")


def list_of(element: Type) -> Type:
    return Type(Kind.LIST, "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    return Type(Kind.MAP, "map", (key, value))


def optional_of(value: Type) -> Type:
    return Type(Kind.OPAQUE, OPTIONAL_NAME, (value,))


def type_of(value: Type) -> Type:
    return Type(Kind.TYPE, "type", (value,))


def parameter(name: str) -> Type:
    return Type(Kind.TYPE_PARAMETER, name)


LIST: Final = list_of(DYN)
MAP: Final = map_of(DYN, DYN)
OPTIONAL: Final = optional_of(DYN)
IP: Final = Type(Kind.OPAQUE, "net.IP")
CIDR: Final = Type(Kind.OPAQUE, "net.CIDR")
QUANTITY: Final = Type(Kind.STRUCT, "kubernetes.Quantity")
URL: Final = Type(Kind.STRUCT, "kubernetes.URL")
SEMVER: Final = Type(Kind.STRUCT, "kubernetes.Semver")
FORMAT: Final = Type(Kind.STRUCT, "kubernetes.NamedFormat")

SIMPLE: Final = frozenset(
    {Kind.BOOL, Kind.BYTES, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.STRING, Kind.TIMESTAMP, Kind.UINT}
)
"""Kinds of which there is one type each, which fits itself only."""
SCALARS: Final = frozenset({Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT})
COMPARABLE: Final = (INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES)
SHORT_NAMES: Final = {
    Kind.INT: "int",
    Kind.UINT: "uint",
    Kind.DOUBLE: "double",
    Kind.BOOL: "bool",
    Kind.DURATION: "duration",
    Kind.TIMESTAMP: "timestamp",
    Kind.STRING: "string",
    Kind.BYTES: "bytes",
}
