"""Objects that a program declares for expressions, field by field: what is asked, by whom, for which device."""

from __future__ import annotations

from .declared import Declared
from .types import DYN, Kind, Type


class Struct(Declared):
    """An object whose fields are told by name, and can become more."""

    __slots__ = ("fields",)

    def __init__(self, name: str, fields: dict[str, Type]) -> None:
        super().__init__(DYN, smallest=2, name=name)
        self.type = Type(Kind.STRUCT, name, (), self)
        self.fields = fields

    def field(self, name: str) -> Declared | None:
        found = self.fields.get(name)
        return None if found is None else Declared(found, smallest=1)


def struct(name: str, /, **fields: Type) -> Type:
    return Struct(name, fields).type
