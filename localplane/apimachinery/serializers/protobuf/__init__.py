"""Protobuf bodies: JSON dictionaries to messages and back, by the numbers that a schema has for its fields.

    encoded, head_of, enveloped   a whole body; the same in two steps, for whoever keeps messages
    opened, read_message          a body's envelope, and the object in it
    message_writer                the function from objects of a node to their messages
    has_message, object_node      whether a node has numbers at all; with metadata, where it is left unsaid
    frame, unframed               an event of a watch
    status, list_meta, ...        the nodes of what belongs to no kind

Within: `wire` is the alphabet, `layout` the place of each field, `writer` and `reader` compile nodes, `special` and
`alternatives` are the types that look otherwise in JSON, `meta` has the messages that belong to no kind.
The endpoints call it. Nothing is compiled before a client asks for it, and names are imported when they are first used:
most clients speak JSON.

Objects are dictionaries on both sides. Nothing here is stored, and nobody's kind is known by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .documents import encoded, head_of
    from .envelope import TAIL, Envelope, enveloped, frame, head, opened, unframed
    from .layout import has_message, object_node
    from .meta import discovery_document, list_meta, partial_object_metadata, status
    from .reader import read_message
    from .wire import delimited, fields, varint
    from .writer import message_writer

__all__ = [
    "TAIL",
    "Envelope",
    "delimited",
    "discovery_document",
    "encoded",
    "enveloped",
    "fields",
    "frame",
    "has_message",
    "head",
    "head_of",
    "list_meta",
    "message_writer",
    "object_node",
    "opened",
    "partial_object_metadata",
    "read_message",
    "status",
    "unframed",
    "varint",
]

_MODULES = {
    "documents": ("encoded", "head_of"),
    "envelope": ("TAIL", "Envelope", "enveloped", "frame", "head", "opened", "unframed"),
    "layout": ("has_message", "object_node"),
    "meta": ("discovery_document", "list_meta", "partial_object_metadata", "status"),
    "reader": ("read_message",),
    "wire": ("delimited", "fields", "varint"),
    "writer": ("message_writer",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if (module := _MODULE_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return found
