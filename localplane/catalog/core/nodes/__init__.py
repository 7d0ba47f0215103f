"""Nodes: the machines of a cluster, as whoever runs on them tells about them.

- `validation`, `config_sources`, `annotations`  the rules for a node as it is, `changes` those for what becomes of it
- `strategy`   the rules around a write; unlike elsewhere, a new node may come with its status
- `proxy`      what stands in for the way to the node itself
- `printing`   the row in a table

The core group declares it. Nothing in here talks to a machine.
"""

from __future__ import annotations

from typing import Any

from localplane.catalog.core.pods.defaults.resources import default_resource_list
from localplane.catalog.declaring import builtin

from .printing import node_cells
from .proxy import NodeProxy
from .strategy import NodeStatusStrategy, NodeStrategy


def default_node(obj: dict[str, Any]) -> None:
    """What a node has is there to be used, unless it says otherwise."""
    status = obj.get("status") or {}
    if status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])
    default_resource_list(status.get("capacity"))
    default_resource_list(status.get("allocatable"))


def _unschedulable(obj: dict[str, Any]) -> str:
    return "true" if (obj.get("spec") or {}).get("unschedulable") else "false"


_STRATEGY = NodeStrategy()

NODES = builtin(
    "nodes",
    strategy=_STRATEGY,
    status_strategy=NodeStatusStrategy(_STRATEGY),
    default=default_node,
    cells=node_cells,
    selectable={"spec.unschedulable": _unschedulable},
    subresources={"proxy": NodeProxy},
)
