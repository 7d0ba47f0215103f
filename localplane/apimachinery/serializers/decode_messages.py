"""What a client is told about a body that could not be decoded: Kubernetes' sentences, letter for letter.

Endpoints put them into a BadRequest. Kubernetes: apiserver/pkg/endpoints/handlers, transformDecodeError, and
apimachinery/pkg/runtime/serializer/json, SimpleMetaFactory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.golang.text import go_quote, json_type

from .errors import JSONSyntaxError, NotAnObject
from .utf8 import decode

_SUMMARY_LENGTH = 30
_META_STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


@dataclass(frozen=True, slots=True)
class TypeMeta:
    """What a body says of itself; empty where it says nothing."""

    api_version: str = ""
    kind: str = ""


def type_meta(value: Any) -> TypeMeta:
    """The apiVersion and kind of a parsed body; null is an object without any.

    The names count in any case here, though nowhere else. Raises NotAnObject.
    """
    if value is None:
        return TypeMeta()
    if not isinstance(value, dict):
        raise NotAnObject(version_kind_error(f"{_cannot_unmarshal(value)} into Go value of type {_META_STRUCT}"))
    found = {"apiversion": "", "kind": ""}
    for key, item in value.items():
        name = key.lower()
        if name in found and item is not None:
            if not isinstance(item, str):
                field = "apiVersion" if name == "apiversion" else name
                raise NotAnObject(
                    version_kind_error(f"{_cannot_unmarshal(item)} into Go struct field .{field} of type string")
                )
            found[name] = item
    return TypeMeta(found["apiversion"], found["kind"])


def _cannot_unmarshal(value: Any) -> str:
    return f"json: cannot unmarshal {json_type(value)}"


def version_kind_error(error: JSONSyntaxError | str) -> str:
    """For a body that is no JSON object, and so has no kind."""
    return f"couldn't get version/kind; json parse error: {error}"


def summarize(body: bytes) -> str:
    """The beginning of a body: text if it starts as an object does, else hexadecimal."""
    if not body:
        return "<empty>"
    beginning = body[:_SUMMARY_LENGTH]
    shown = decode(beginning) if body.startswith(b"{") else beginning.hex()
    return f"{shown} ..." if len(body) > _SUMMARY_LENGTH else shown


def unrecognized(expected_kind: str, error: object, body: bytes) -> str:
    """When not even the kind could be read."""
    return f"the object provided is unrecognized (must be of type {expected_kind}): {error} ({summarize(body)})"


def cannot_be_handled(kind: str, version: str, expected_kind: str, error: object) -> str:
    """When the kind is known, but the object is not what its kind is."""
    return f"{kind} in version {go_quote(version)} cannot be handled as a {expected_kind}: {error}"


def strict_decoding_error(errors: Sequence[str]) -> str:
    """What fieldValidation=Strict says about fields that are unknown or come twice."""
    return f"strict decoding error: {', '.join(errors)}"
