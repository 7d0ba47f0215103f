"""Nodes that are not there, and the pods on them that run no processes: everything that a kubelet writes is written."""

from __future__ import annotations

from localplane.controllers.context import ControllerContext

from .kubelet import Kubelet
from .options import NodeOptions, Pace

__all__ = ["NodeOptions", "Pace", "start"]


async def start(context: ControllerContext, options: NodeOptions) -> None:
    """Until it is cancelled."""
    kubelet = Kubelet(context, options)
    if options.connections is not None:
        options.connections.add(kubelet.logs)
    try:
        await kubelet.run()
    finally:
        if options.connections is not None:
            options.connections.remove(kubelet.logs)
