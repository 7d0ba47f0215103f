"""When nodes get something to do, and who answers for them until then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.errors import APIError
from localplane.catalog.kubelets import LogOptions
from localplane.client import GroupVersionResource, SharedInformer
from localplane.client.informers.list_watch import ListWatch
from localplane.controllers.context import ControllerContext, Wake
from localplane.controllers.worker import first_of, hearing

from .registration import is_simulated

if TYPE_CHECKING:
    from .logs import SimulatedLogs

JSONObject = Mapping[str, Any]

_PODS: Final = GroupVersionResource("", "v1", "pods")
_DEFINITIONS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_STAGES: Final = "stages.kwok.x-k8s.io"


async def something_to_do(context: ControllerContext) -> None:
    """Until there is a pod, or the definition of kwok's stages. Where nobody can tell, it is so at once."""
    if context.awakened is None:
        return
    await first_of([context.awakened(Wake(_PODS)), _stages_are_defined(context)])


async def _stages_are_defined(context: ControllerContext) -> None:
    """Nothing is watched while there are no definitions at all, and of others nothing is copied."""
    assert context.awakened is not None, "the caller has looked"
    await context.awakened(Wake(_DEFINITIONS))
    named = ListWatch(context.client.resource(_DEFINITIONS), field_selector=f"metadata.name={_STAGES}")
    definitions, came = SharedInformer(named), asyncio.Event()
    with hearing(definitions, lambda _: came.set(), deletions=False):
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(definitions.run())
            await came.wait()
            running.cancel()


class LateLogs:
    """What the server asks for the logs of simulated nodes. It is there before they are: they are imported with the
    first pod, or when somebody asks for a pod's log before that is done."""

    def __init__(self) -> None:
        self._logs: SimulatedLogs | None = None

    @property
    def logs(self) -> SimulatedLogs:
        if self._logs is None:
            logs: SimulatedLogs = import_module(f"{__package__}.logs").SimulatedLogs()
            self._logs = logs
        return self._logs

    def runs(self, node: JSONObject) -> bool:
        return is_simulated(node)

    def log(self, pod: JSONObject, options: LogOptions) -> AsyncIterator[bytes]:
        """Raises APIError."""
        return self.logs.log(pod, options)

    def refuse_stream(self, pod: JSONObject, subresource: str) -> APIError:
        return self.logs.refuse_stream(pod, subresource)
