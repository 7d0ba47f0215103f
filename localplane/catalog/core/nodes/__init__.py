"""Nodes: the machines of a cluster, as whoever runs on them tells about them.

- `validation`  the rules for a node as it is, `changes` those for what becomes of it
- `strategy`   the rules around a write; unlike elsewhere, a new node may come with its status
- `proxy`      what stands in for the way to the node itself
- `columns`    the row in a table

The core group declares it. Nothing in here talks to a machine.
"""

from __future__ import annotations

from typing import Any

from localplane.catalog.core.pods.defaults.resources import default_resource_list
from localplane.catalog.declarations import builtin

from .columns import node_cells
from .proxy import NodeProxy
from .strategy import NodeStatusStrategy, NodeStrategy


def default_node(obj: dict[str, Any]) -> None:
    """What a node has is there to be used, unless it says otherwise."""
    status = obj.get("status") or {}
    if status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])
    default_resource_list(status.get("capacity"))
    default_resource_list(status.get("allocatable"))
    if spec := obj.get("spec"):
        _agree_on_cidrs(spec)


def _agree_on_cidrs(spec: dict[str, Any]) -> None:
    """One address block was enough once: its field is the first of the others, and wins if they differ.

    Kubernetes: pkg/apis/core/v1, Convert_v1_NodeSpec_To_core_NodeSpec.
    """
    single, several = spec.get("podCIDR"), spec.get("podCIDRs")
    if single and (not several or several[0] != single):
        spec["podCIDRs"] = [single]
    elif several:
        spec["podCIDR"] = several[0]


def _unschedulable(obj: dict[str, Any]) -> str:
    return "true" if (obj.get("spec") or {}).get("unschedulable") else "false"


NODES = builtin(
    "nodes",
    strategy=NodeStrategy(),
    status_strategy=NodeStatusStrategy,
    default=default_node,
    cells=node_cells,
    selectable={"spec.unschedulable": _unschedulable},
    subresources={"proxy": NodeProxy},
)
