"""How a kind is spoken of: what is read from a client, how it is told what is wrong, and on which paths.

Kubernetes has two ways. Its built-in kinds are Go structs behind a router: a field of the wrong type stops the decoder,
and only registered paths exist. Custom resources are maps behind one handler: a schema prunes them, and verbs decide.
Clients can tell them apart by many details, and all of these are here.

- `interface`    `Dialect`, and what it is told of the kind that a request is about
- `structs`      `STRUCT_KINDS`: built-in kinds, and those of library users
- `custom`       `CUSTOM_KINDS`: what a CustomResourceDefinition defines
- `scheme`       what Kubernetes calls its Go types in messages

A Resource declares which one it speaks; the registry and the endpoints ask it, and never which one it is.
"""

from .custom import CUSTOM_KINDS
from .interface import (
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    NO_SCHEMA_RULES,
    STRATEGIC_MERGE_PATCH,
    Dialect,
    SchemaRules,
    ServedKind,
)
from .structs import STRUCT_KINDS

__all__ = [
    "APPLY_PATCH",
    "CUSTOM_KINDS",
    "JSON_PATCH",
    "MERGE_PATCH",
    "NO_SCHEMA_RULES",
    "STRATEGIC_MERGE_PATCH",
    "STRUCT_KINDS",
    "Dialect",
    "SchemaRules",
    "ServedKind",
]
