"""Reading an object as Go's decoder reads JSON into a struct: its errors, its leniencies, its idea of null.

The first wrong type is what the client hears of, except that a type with a method of its own stops everything at once.
Fields that no struct has are taken out and told, in the order of the document. Null is the same as nothing; in a list
or a map it is the zero value. Fields that Go would leave out because they are empty are taken out, so that an object
looks the same whether it has been stored or not. Kubernetes: sigs.k8s.io/json.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, Final

from localplane.apimachinery.golang.text import json_float, json_type
from localplane.apimachinery.schema.nodes import Node, Property, go_type

from .codecs import INT32_MAX, INT32_MIN, INT_OR_STRING, MisreadWithin, Unreadable, WrongType
from .decoded_form import INT64_MAX, INT64_MIN, fits

_MOST_UNKNOWN: Final = 100
_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


class DecodeError(ValueError):
    """Go's own sentence: the caller says which kind could not be handled. `misread` is told of a wrong type."""

    def __init__(self, message: str, misread: MisreadWithin | None = None) -> None:
        super().__init__(message)
        self.misread = misread


class _Literal(float):
    """A number that remembers how it was written, for `number 1e3` in a message."""

    __slots__ = ("text",)
    text: str


def decode(node: Node, obj: dict[str, Any], *, kind: str, source: bytes | None = None) -> list[str]:
    """Decode in place and return the paths of unknown fields; see Schema.decode."""
    if fits(node)(obj):
        return []
    reader = _Reader()
    try:
        reader.value(node, obj, _Place(kind, "", ""))
    except _Stop as stop:
        reader.error = stop.error
    if reader.error is None:
        return reader.unknown
    if reader.literal_wanted and source is not None:
        decode(node, _with_literals(source), kind=kind)
    raise reader.error


def _with_literals(source: bytes) -> Any:
    """The document once more, for a message: numbers that Go's int64 can't hold keep their digits."""

    def literal(text: str) -> _Literal:
        number = _Literal(text)
        number.text = text
        return number

    def integer(text: str) -> int | _Literal:
        number = int(text) if len(text) <= 20 else INT64_MAX + 1
        return number if INT64_MIN <= number <= INT64_MAX else literal(text)

    try:
        return json.loads(source, parse_float=literal, parse_int=integer)
    except json.JSONDecodeError:  # YAML: the caller has its own way to numbers
        return {}


class _Stop(Exception):
    def __init__(self, error: DecodeError) -> None:
        super().__init__()
        self.error = error


class _Place:
    """Where the reader is: in Go's words (a struct and the fields to it) and in a path's."""

    __slots__ = ("fields", "path", "struct")

    def __init__(self, struct: str, fields: str, path: str) -> None:
        self.struct = struct
        self.fields = fields
        self.path = path

    def field(self, struct: str, name: str, inline: str) -> _Place:
        shown = f"{inline}.{name}" if inline else name
        return _Place(
            struct,
            f"{self.fields}.{shown}" if self.fields else shown,
            f"{self.path}.{name}" if self.path else name,
        )

    def key(self, name: str) -> _Place:
        return _Place(self.struct, self.fields, f"{self.path}.{name}" if self.path else name)

    def index(self, number: int) -> _Place:
        return _Place(self.struct, self.fields, f"{self.path}[{number}]")


class _Reader:
    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.error: DecodeError | None = None
        self.literal_wanted = False

    def value(self, node: Node, value: Any, place: _Place) -> Any:
        """What the value becomes. It is not null: that is for the caller to know what to do with."""
        if fits(node)(value):
            return value
        match node.shape:
            case "struct":
                return self._struct(node, value, place)
            case "map":
                return self._map(node, value, place)
            case "list":
                return self._list(node, value, place)
            case "codec":
                return self._codec(node, value, place)
            case _:
                return self._scalar(node, value, place)

    def _struct(self, node: Node, value: Any, place: _Place) -> Any:
        struct = _struct_name(node, place)
        if not isinstance(value, dict):
            known = go_type(node)
            self._wrong(value, known if node.go_type else f"v1.{struct}", place)
            return value
        dropped = []
        for name, item in value.items():
            each = node.properties.get(name)
            if each is None:
                if not self._unknown_field(node, value, name, place):
                    dropped.append(name)
                continue
            if item is not None:
                item = self.value(each.node, item, place.field(struct, name, each.inline))  # noqa: PLW2901 - what it has become
                value[name] = item
            if _is_left_out(each, item):
                dropped.append(name)
        for name in dropped:
            del value[name]
        return value

    def _unknown_field(self, node: Node, value: dict[str, Any], name: str, place: _Place) -> bool:
        """Whether a field without a property stays."""
        if node.values is not None:
            value[name] = self._element(node.values, value[name], place.key(name))
            return True
        if node.preserve_unknown_fields or node.values_allowed:
            return True
        if len(self.unknown) < _MOST_UNKNOWN:
            self.unknown.append(f"{place.path}.{name}" if place.path else name)
        return False

    def _map(self, node: Node, value: Any, place: _Place) -> Any:
        if not isinstance(value, dict):
            self._wrong(value, go_type(node), place)
        elif node.values is not None:
            for name, item in value.items():
                value[name] = self._element(node.values, item, place.key(name))
        return value

    def _list(self, node: Node, value: Any, place: _Place) -> Any:
        if not isinstance(value, list):
            self._wrong(value, go_type(node), place)
        elif node.items is not None:
            for number, item in enumerate(value):
                value[number] = self._element(node.items, item, place.index(number))
        return value

    def _element(self, node: Node, value: Any, place: _Place) -> Any:
        return _zero(node) if value is None else self.value(node, value, place)

    def _codec(self, node: Node, value: Any, place: _Place) -> Any:
        assert node.codec is not None
        return self._read(node.codec.read, value, place)

    def _read(self, read: Any, value: Any, place: _Place) -> Any:
        try:
            return read(value)
        except Unreadable as error:
            raise _Stop(DecodeError(str(error))) from None
        except MisreadWithin as error:
            below = ".".join(filter(None, (place.fields, error.fields)))
            raise _Stop(_misread(error.what, place.struct, below, error.into)) from None
        except WrongType as error:
            self.error = None  # a method's error goes before the one that was kept
            self._wrong(error.value, error.go_type, place, exact=error.exact)
            assert self.error is not None
            raise _Stop(self.error) from None

    def _scalar(self, node: Node, value: Any, place: _Place) -> Any:
        shape = node.shape
        if shape == "int-or-string":
            return self._read(INT_OR_STRING.read, value, place)
        if shape == "bytes" and isinstance(value, str):
            return self._bytes(value)
        if shape == "bytes" and isinstance(value, list):
            return self._byte_list(value, place)
        if shape == "integer" and _is_number(value):
            low, high = (INT32_MIN, INT32_MAX) if node.format == "int32" else (INT64_MIN, INT64_MAX)
            if not isinstance(value, int) or not low <= value <= high:
                self._wrong(value, go_type(node), place, exact=True)
        elif not (shape == "number" and isinstance(value, _Literal)):
            self._wrong(value, go_type(node), place)
        return value

    def _bytes(self, value: str) -> str:
        position = corrupt_base64(value)
        if position is None:
            return base64.b64encode(binascii.a2b_base64(value)).decode("ascii")
        if self.error is None:
            self.error = DecodeError(f"illegal base64 data at input byte {position}")
        return value

    def _byte_list(self, value: list[Any], place: _Place) -> str:
        """Go takes a list of numbers for bytes as well."""
        for item in value:
            if not _is_number(item) or item is None:
                self._wrong(item, "uint8", place)
            elif not isinstance(item, int) or not 0 <= item <= 255:
                self._wrong(item, "uint8", place, exact=True)
        return "" if self.error is not None else base64.b64encode(bytes(value)).decode("ascii")

    def _wrong(self, value: Any, into: str, place: _Place, *, exact: bool = False) -> None:
        if self.error is not None:
            return
        what = json_type(value)
        if exact:
            self.literal_wanted = isinstance(value, float) and not isinstance(value, _Literal)
            what = f"number {_literal(value)}"
        self.error = _misread(what, place.struct, place.fields, into)


def _misread(what: str, struct: str, fields: str, into: str) -> DecodeError:
    where = f"struct field {struct}.{fields}" if fields else "value"
    message = f"json: cannot unmarshal {what} into Go {where} of type {into}"
    return DecodeError(message, MisreadWithin(what, fields, into))


def _struct_name(node: Node, place: _Place) -> str:
    """The struct's name in Go. One declared without any is called after the kind and the way to it."""
    if node.go_type:
        return node.go_type.rpartition(".")[2]
    if not place.fields:
        return place.struct
    last = place.fields.rpartition(".")[2]
    return place.struct + last[:1].upper() + last[1:]


def _is_left_out(each: Property, value: Any) -> bool:
    return value is None or (not value and not each.keeps_zero)


_ZEROS: Final = {"string": "", "bytes": "", "integer": 0, "number": 0, "boolean": False, "int-or-string": 0}


def _zero(node: Node) -> Any:
    match node.shape:
        case "struct":
            return {}
        case "codec" if node.codec:
            return node.codec.zero
        case shape:
            return _ZEROS.get(shape)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _literal(value: Any) -> str:
    if isinstance(value, _Literal):
        return value.text
    return json_float(value) if isinstance(value, float) else str(value)


def corrupt_base64(text: str) -> int | None:
    """Where Go's decoding stops; None if it doesn't. Line ends are skipped, trailing bits are not looked at."""
    raw = text.encode("utf-8", "surrogatepass")
    count, position, length = 0, 0, len(raw)
    while position < length:
        character = chr(raw[position])
        position += 1
        if character in "\r\n":
            continue
        if character in _BASE64:
            count += 1
            continue
        if character != "=" or count % 4 < 2:
            return position - 1
        return _corrupt_padding(raw, position, missing=3 - count % 4)
    # An incomplete last group is told by where it begins, in bytes read that count.
    return None if count % 4 == 0 else position - count % 4


def _corrupt_padding(raw: bytes, position: int, *, missing: int) -> int | None:
    """After the first `=`: as many more as are missing, and then nothing but line ends."""
    while missing:
        while position < len(raw) and raw[position] in b"\r\n":
            position += 1
        if position == len(raw):
            return len(raw)
        if raw[position] != ord("="):
            return position - 1
        position += 1
        missing -= 1
    while position < len(raw) and raw[position] in b"\r\n":
        position += 1
    return None if position == len(raw) else position
