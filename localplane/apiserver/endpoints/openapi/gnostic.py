"""A Swagger 2.0 document as protobuf: the only form of it that Go's discovery client asks for.

The messages are gnostic's (openapiv2/OpenAPIv2.proto); each table below says which field a key becomes and how its
value is written. Values of any shape travel as YAML, which JSON is.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_json

MEDIA_TYPE: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

_Write = Callable[[int, Any], bytes]
_Table = Mapping[str, tuple[int, _Write]]

_EXTENSION: Final = "x-"
_AT_ONCE: Final = 16  # definitions or paths, then let others have a turn


async def encoded(document: JSONObject) -> bytes:
    """The whole document, written piece by piece."""
    parts = [
        _text(1, document["swagger"]),
        _bytes(2, _text(1, document["info"]["title"]) + _text(2, document["info"]["version"])),
        _bytes(8, b"".join([each async for each in _named(2, document["paths"], _path_item)])),
        _bytes(9, b"".join([each async for each in _named(1, document["definitions"], _schema)])),
        *(_bytes(12, _requirement(each)) for each in document["security"]),
        _bytes(13, b"".join(_security(name, each) for name, each in document["securityDefinitions"].items())),
    ]
    return b"".join(parts)


async def _named(field: int, values: JSONObject, write: Callable[[JSONObject], bytes]) -> AsyncIterator[bytes]:
    for position, (name, value) in enumerate(values.items()):
        if position % _AT_ONCE == 0:
            await asyncio.sleep(0)
        yield _pair(field, name, write(value))


def _varint(number: int) -> bytes:
    written = bytearray()
    number &= (1 << 64) - 1
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _texts(field: int, values: Iterable[str]) -> bytes:
    return b"".join(_text(field, value) for value in values)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(int(value))


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _any(field: int, value: Any) -> bytes:
    return _bytes(field, _bytes(2, to_json(value)))


def _anys(field: int, values: Iterable[Any]) -> bytes:
    return b"".join(_any(field, value) for value in values)


def _pair(field: int, name: str, value: bytes) -> bytes:
    return _bytes(field, _text(1, name) + _bytes(2, value))


def _message(table: _Table, value: JSONObject, *, extensions: int) -> bytes:
    """Keys without a field are left out: gnostic has none for them."""
    written = [table[key][1](table[key][0], each) for key, each in value.items() if key in table]
    for key, each in value.items():
        if key.startswith(_EXTENSION):
            written.append(_bytes(extensions, _text(1, key) + _any(2, each)))
    return b"".join(written)


def _schema(value: JSONObject) -> bytes:
    return _message(_SCHEMA, value, extensions=31)


def _sub_schema(field: int, value: JSONObject) -> bytes:
    return _bytes(field, _schema(value))


def _items(field: int, value: JSONObject) -> bytes:
    return _bytes(field, _sub_schema(1, value))


def _properties(field: int, value: JSONObject) -> bytes:
    return _bytes(field, b"".join(_pair(1, name, _schema(each)) for name, each in value.items()))


def _additional(field: int, value: Any) -> bytes:
    """A schema, or whether there may be any."""
    return _bytes(field, _integer(2, value) if isinstance(value, bool) else _sub_schema(1, value))


_SCHEMA: Final[_Table] = {
    "$ref": (1, _text),
    "format": (2, _text),
    "title": (3, _text),
    "description": (4, _text),
    "default": (5, _any),
    "multipleOf": (6, _double),
    "maximum": (7, _double),
    "exclusiveMaximum": (8, _integer),
    "minimum": (9, _double),
    "exclusiveMinimum": (10, _integer),
    "maxLength": (11, _integer),
    "minLength": (12, _integer),
    "pattern": (13, _text),
    "maxItems": (14, _integer),
    "minItems": (15, _integer),
    "uniqueItems": (16, _integer),
    "maxProperties": (17, _integer),
    "minProperties": (18, _integer),
    "required": (19, _texts),
    "enum": (20, _anys),
    "additionalProperties": (21, _additional),
    "type": (22, lambda field, value: _bytes(field, _text(1, value))),
    "items": (23, _items),
    "properties": (25, _properties),
    "example": (30, _any),
}


def _parameter(field: int, value: JSONObject) -> bytes:
    if value["in"] == "body":
        written = _bytes(1, _message(_BODY, value, extensions=6))
    elif value["in"] == "path":
        written = _bytes(2, _bytes(4, _message(_IN_PATH, value, extensions=22)))
    else:
        written = _bytes(2, _bytes(3, _message(_IN_QUERY, value, extensions=23)))
    return _bytes(field, _bytes(1, written))


def _parameters(field: int, values: Iterable[JSONObject]) -> bytes:
    return b"".join(_parameter(field, value) for value in values)


_BODY: Final[_Table] = {
    "description": (1, _text),
    "name": (2, _text),
    "in": (3, _text),
    "required": (4, _integer),
    "schema": (5, _sub_schema),
}
_OF_PARAMETER: Final[_Table] = {
    "required": (1, _integer),
    "in": (2, _text),
    "description": (3, _text),
    "name": (4, _text),
}
_IN_PATH: Final[_Table] = {**_OF_PARAMETER, "type": (5, _text), "uniqueItems": (19, _integer)}
_IN_QUERY: Final[_Table] = {**_OF_PARAMETER, "type": (6, _text), "uniqueItems": (20, _integer)}


def _responses(field: int, values: Mapping[str, JSONObject]) -> bytes:
    return _bytes(field, b"".join(_pair(1, code, _bytes(1, _response(each))) for code, each in values.items()))


def _response(value: JSONObject) -> bytes:
    return _message(_RESPONSE, value, extensions=5)


_RESPONSE: Final[_Table] = {
    "description": (1, _text),
    "schema": (2, lambda field, value: _bytes(field, _sub_schema(1, value))),
}
_OPERATION: Final[_Table] = {
    "tags": (1, _texts),
    "description": (3, _text),
    "operationId": (5, _text),
    "produces": (6, _texts),
    "consumes": (7, _texts),
    "parameters": (8, _parameters),
    "responses": (9, _responses),
    "schemes": (10, _texts),
}


def _operation(field: int, value: JSONObject) -> bytes:
    return _bytes(field, _message(_OPERATION, value, extensions=13))


_PATH_ITEM: Final[_Table] = {
    "get": (2, _operation),
    "put": (3, _operation),
    "post": (4, _operation),
    "delete": (5, _operation),
    "options": (6, _operation),
    "head": (7, _operation),
    "patch": (8, _operation),
    "parameters": (9, _parameters),
}


def _path_item(value: JSONObject) -> bytes:
    return _message(_PATH_ITEM, value, extensions=10)


def _requirement(value: Mapping[str, Iterable[str]]) -> bytes:
    return b"".join(_pair(1, name, _texts(1, scopes)) for name, scopes in value.items())


def _security(name: str, value: JSONObject) -> bytes:
    return _pair(1, name, _bytes(2, _message(_API_KEY, value, extensions=5)))


_API_KEY: Final[_Table] = {"type": (1, _text), "name": (2, _text), "in": (3, _text), "description": (4, _text)}
