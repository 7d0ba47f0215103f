"""The nodes of the built-in types: `localplane.apis` has the table, this what no table can say of them."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from localplane.apimachinery.schema import Node, Schema
from localplane.apimachinery.schema.declarations.tables import LEAVES, TableNodes
from localplane.apimachinery.schema.meta import META_NODES
from localplane.apis.table import TYPES

from .json_schemas import schema_or_array, schema_or_bool, schema_or_texts

_ANYTHING: Final[dict[str, Any]] = {"preserve_unknown_fields": True}


def _json_schema() -> Node:
    return node("apiextensions/v1.JSONSchemaProps")


_NODES: Final = TableNodes(
    TYPES,
    LEAVES
    | {
        "apiextensions/v1.JSON": {**_ANYTHING, "go_type": "v1.JSON"},
        "apiextensions/v1.JSONSchemaPropsOrArray": {**_ANYTHING, "codec": schema_or_array(_json_schema)},
        "apiextensions/v1.JSONSchemaPropsOrBool": {**_ANYTHING, "codec": schema_or_bool(_json_schema)},
        "apiextensions/v1.JSONSchemaPropsOrStringArray": {**_ANYTHING, "codec": schema_or_texts(_json_schema)},
    },
    below=META_NODES,
)


@cache
def schema(definition: str) -> Schema:
    """The schema of a type, named by its Go package and its name: `core/v1.Pod`."""
    return Schema(node(definition))


def node(definition: str) -> Node:
    """The one node of a type. Its facts are read, and the node filled, when it is first used."""
    return _NODES.node(definition)
