"""Schemas: what the objects of a kind may hold, compiled once from a class, an OpenAPI dictionary or nothing.

    Schema.of(declaration)   the one entrance; what it returns does everything below
    decode, prune            read a request: for kinds that are Go structs upstream, and for custom resources
    default, validate        what CustomResourceDefinitions ask for, in Kubernetes' words
    openapi                  the documents
    Node, Property, walk     the compiled form, for merging and applying

Within: `declarations` make `nodes`, the one compiled form (`meta` is the metadata of every object, `values` when two
are the same); `structs`, `pruning`, `defaulting` and `validation` work on objects by them, `documents` shows them as
OpenAPI, and `schema` is the way to all of it. Whoever declares a resource calls `Schema.of`; handlers and
strategies call the rest.

Objects are plain JSON dictionaries and stay so. Nothing here does I/O, knows a built-in kind by name, or checks what a
single kind alone demands.
"""

from .declarations.annotations import (
    Bytes,
    DeclarationError,
    Duration,
    Field,
    Int32,
    IntOrString,
    MicroTime,
    Quantity,
    RawObject,
    Time,
)
from .meta import ObjectMeta
from .nodes import NOTHING, Limits, Node, Property, go_type, walk
from .schema import Schema
from .structs.codecs import Codec
from .structs.decoder import DecodeError

__all__ = [
    "NOTHING",
    "Bytes",
    "Codec",
    "DeclarationError",
    "DecodeError",
    "Duration",
    "Field",
    "Int32",
    "IntOrString",
    "Limits",
    "MicroTime",
    "Node",
    "ObjectMeta",
    "Property",
    "Quantity",
    "RawObject",
    "Schema",
    "Time",
    "go_type",
    "walk",
]
