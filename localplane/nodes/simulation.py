"""All simulated nodes of a server, from its start to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module

from localplane.apimachinery.clock.waiting import AtWork
from localplane.apimachinery.objects import JSONObject
from localplane.controllers.context import ControllerContext

from .late_start import LateLogs, something_to_do
from .machines import Machines
from .options import NodeOptions


async def start(context: ControllerContext, options: NodeOptions, *, registered: Sequence[JSONObject] = ()) -> None:
    """Until it is cancelled. `registered` are the nodes that were made for this start."""
    logs = LateLogs()
    if options.connections is not None:
        options.connections.add(logs)
    try:
        machines = Machines(context, options)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(machines.run(registered))
            await something_to_do(context)
            with AtWork("the start of kubelets"):
                await asyncio.to_thread(import_module, f"{__package__}.kubelet")
            from .kubelet import SimulatedKubelet

            await SimulatedKubelet(context, options, machines, logs.logs).run()
    finally:
        if options.connections is not None:
            options.connections.remove(logs)
