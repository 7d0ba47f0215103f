"""Protobuf bodies: JSON dictionaries to messages and back, by the numbers that a schema has for its fields.

    encoded, head, enveloped   a whole body; the same in two steps, for whoever keeps messages
    opened, read_message       a body's envelope, and the object in it
    message_writer             the function from objects of a node to their messages
    has_message, object_node   whether a node has numbers at all; with metadata, where it is left unsaid
    frame, unframed            an event of a watch

Within: `wire` is the alphabet, `layout` the place of each field, `writing` and `reading` compile nodes, `special` and
`alternatives` are the types that look otherwise in JSON, `meta` and `discovery` the messages that belong to no kind.
The endpoints call it; nothing is compiled before a client asks for it.

Objects are dictionaries on both sides. Nothing here is stored, and nobody's kind is known by name.
"""

from .documents import encoded, head_of
from .envelope import Envelope, enveloped, frame, head, opened, unframed
from .layout import has_message, object_node
from .meta import list_meta, partial_object_metadata, status
from .reading import read_message
from .writing import message_writer

__all__ = [
    "Envelope",
    "encoded",
    "enveloped",
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
]
