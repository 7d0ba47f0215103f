"""Bodies: JSON and YAML in and out, and the headers that say which is which.

Endpoints and the command line read with `parse_json`, `parse_yaml` and `parse_yaml_documents`, and write with `to_json`
and `to_yaml`; `media_types` negotiates. Faults carry the words that Go's parsers have for them. Whatever the bytes are,
only a SerializationError leaves this package: never a RecursionError, never an object that a tag asked for.

Nothing here knows what a kind looks like: types, defaults and unknown fields are a schema's affair.
Names are imported when they are first used: who reads a YAML file need not pay for the rest.

Beside these:

    json_scanner    A JSON reader that says what Go's says
    protobuf/       protobuf bodies: JSON dictionaries to messages and back
    strict_order    in which order a strict decoder complains of unknown and repeated fields
    utf8            bytes to text as Go does it: every byte that is no UTF-8 becomes a replacement character of its own
    yaml_events     YAML text as events, from libyaml where it is installed, with faults in go-yaml's words
    yaml_scalars    what a YAML scalar means to Go
    yaml_style      how a scalar is written in YAML: which quotes it needs, and where a long one is folded
"""

from __future__ import annotations

from importlib import import_module

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .decode_messages import (
        TypeMeta,
        cannot_be_handled,
        strict_decoding_error,
        summarize,
        type_meta,
        unrecognized,
        version_kind_error,
    )
    from .errors import JSONSyntaxError, JSONValueError, NotAnObject, SerializationError, YAMLError
    from .json import number_text, parse_json
    from .json_writer import to_json, to_json_answer
    from .parsed import Parsed
    from .untyped import go_untyped
    from .yaml import parse_yaml
    from .yaml_documents import Document, parse_yaml_documents
    from .yaml_writer import to_yaml

__all__ = [
    "Document",
    "JSONSyntaxError",
    "JSONValueError",
    "NotAnObject",
    "Parsed",
    "SerializationError",
    "TypeMeta",
    "YAMLError",
    "cannot_be_handled",
    "go_untyped",
    "number_text",
    "parse_json",
    "parse_yaml",
    "parse_yaml_documents",
    "strict_decoding_error",
    "summarize",
    "to_json",
    "to_json_answer",
    "to_yaml",
    "type_meta",
    "unrecognized",
    "version_kind_error",
]

_MODULES = {
    "decode_messages": (
        "TypeMeta",
        "cannot_be_handled",
        "strict_decoding_error",
        "summarize",
        "type_meta",
        "unrecognized",
        "version_kind_error",
    ),
    "errors": (
        "JSONSyntaxError",
        "JSONValueError",
        "NotAnObject",
        "SerializationError",
        "YAMLError",
    ),
    "json": (
        "number_text",
        "parse_json",
    ),
    "json_writer": ("to_json", "to_json_answer"),
    "parsed": ("Parsed",),
    "untyped": ("go_untyped",),
    "yaml": ("parse_yaml",),
    "yaml_documents": (
        "Document",
        "parse_yaml_documents",
    ),
    "yaml_writer": ("to_yaml",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if (module := _MODULE_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
