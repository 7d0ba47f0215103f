"""What a library user writes into annotations: constraints, and the types that Python has no name for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from localplane.apimachinery.schema.nodes import NOTHING
from localplane.apimachinery.schema.structs.codecs import DURATION, INT_OR_STRING, MICRO_TIME, QUANTITY, RAW_JSON, TIME


class DeclarationError(TypeError):
    """A declaration that can't be served: one sentence, which names the field. Raised when it is made, never by a
    client's object."""

    is_placed = False

    def at(self, place: str) -> DeclarationError:
        """The same, with the name of the field before it. The innermost field is the one to tell."""
        if self.is_placed:
            return self
        placed = DeclarationError(f"{place}: {self}")
        placed.is_placed = True
        return placed


class named:  # noqa: N801 - a block, as contextmanagers are
    """What is wrong with a declaration within is told with its place, into which values are put only then: nearly
    always there is nothing to tell, and every kind that is served is a declaration."""

    __slots__ = ("_place", "_values")

    def __init__(self, place: str, *values: object) -> None:
        self._place = place
        self._values = values

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, DeclarationError):
            raise error.at(self._place.format(*self._values) if self._values else self._place) from None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # typing hashes what stands in annotations
class Field:
    """What `Annotated[T, Field(...)]` says of a field, in OpenAPI's words.

    `default` is filled in where a client left the field out, and makes the field optional. A plain class attribute
    (`replicas: int = 1`) is the same, said shorter; an empty one (`""`, `0`, `None`) makes it optional and no more.
    `name` is the name on the wire where Python can't have it (`from`). `discriminator` names the field by which the
    classes of a union are told apart. `go_type` is what Go's messages call the type. What does not fit the type is
    refused when the class is read: no constraint is ever ignored.
    """

    name: str = ""
    description: str = ""
    default: Any = NOTHING
    format: str = ""
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str = ""
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None
    enum: Sequence[Any] = ()
    list_type: str = ""
    list_map_keys: Sequence[str] = ()
    map_type: str = ""
    discriminator: str = ""
    patch_strategy: str = ""
    patch_merge_key: str = ""
    go_type: str = ""
    inline: str = ""
    embedded_resource: bool = False
    preserve_unknown_fields: bool = False
    protobuf: Mapping[str, Any] | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict)


Int32 = Annotated[int, Field(format="int32")]
Time = Annotated[str, TIME]
MicroTime = Annotated[str, MICRO_TIME]
Duration = Annotated[str, DURATION]
Quantity = Annotated[str, QUANTITY]
IntOrString = Annotated[int | str, INT_OR_STRING]
Bytes = Annotated[str, Field(format="byte")]
RawObject = Annotated[dict[str, Any], RAW_JSON]
