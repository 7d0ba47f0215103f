"""The types that are a JSON schema or something else, as Go's methods for them read JSON.

These methods decode the schema by themselves, so what they don't know goes without a word, whatever the client asked to
be told. Kubernetes: apiextensions-apiserver pkg/apis/apiextensions/v1, marshal.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from localplane.apimachinery.schema import Codec, DecodeError, Node
from localplane.apimachinery.schema.structs.codecs import Unreadable
from localplane.apimachinery.schema.structs.decoded_form import fits
from localplane.apimachinery.schema.structs.decoder import decode

Props = Callable[[], Node]
"""The node of JSONSchemaProps, which contains these types, and is therefore asked for late."""

_KIND = "JSONSchemaProps"


def schema_or_bool(props: Props) -> Codec:
    def fits_it(value: Any) -> bool:
        return type(value) is bool or (type(value) is dict and fits(props())(value))

    def read(value: Any) -> Any:
        if isinstance(value, bool):
            return value
        if not isinstance(value, dict):
            raise Unreadable("boolean or JSON schema expected")
        return _schema(props, value)

    return Codec("schemaOrBool", "v1.JSONSchemaPropsOrBool", fits_it, read)


def schema_or_array(props: Props) -> Codec:
    """Anything else is read as nothing, and is shown so."""

    def fits_it(value: Any) -> bool:
        if type(value) is list:
            return bool(value) and all(fits(props())(each) for each in value)
        return type(value) is dict and fits(props())(value)

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            return _schema(props, value)
        return _each(props, value) if isinstance(value, list) and value else None

    return Codec("schemaOrArray", "v1.JSONSchemaPropsOrArray", fits_it, read)


def schema_or_texts(props: Props) -> Codec:
    def fits_it(value: Any) -> bool:
        if type(value) is list:
            return bool(value) and all(type(each) is str for each in value)
        return type(value) is dict and fits(props())(value)

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            return _schema(props, value)
        if not isinstance(value, list) or not value:
            return None
        return _decoded(Node(type="array", items=Node(type="string")), value, "")

    return Codec("schemaOrStringArray", "v1.JSONSchemaPropsOrStringArray", fits_it, read)


def _schema(props: Props, value: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = _decoded(props(), value, _KIND)
    return read


def _each(props: Props, value: list[Any]) -> list[Any]:
    read: list[Any] = _decoded(Node(type="array", items=props()), value, "")
    return read


def _decoded(node: Node, value: Any, kind: str) -> Any:
    try:
        decode(node, value, kind=kind)
    except DecodeError as error:
        raise error.misread or Unreadable(str(error)) from None
    return value
