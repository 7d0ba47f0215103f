"""Defaults with fields that their own schema does not know.

Kubernetes: pkg/apiserver/schema/defaulting, PruneDefaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Node
from localplane.apimachinery.schema.declarations.structural import node_of_openapi
from localplane.apimachinery.schema.pruning import prune_value
from localplane.servers.apiextensions.schemas import walk


def has_unpruned_defaults(schema: Mapping[str, Any]) -> bool:
    return any("default" in each and not is_pruned(node_of_openapi(each), each["default"]) for each in walk(schema))


def is_pruned(node: Node, value: Any) -> bool:
    """Whether pruning would leave a value of a node as it is."""
    pruned = copied(value)
    prune_value(node, pruned)
    return bool(pruned == value)
