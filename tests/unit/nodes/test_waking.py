"""What nodes are made of before there are pods."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any, cast

from localplane.controllers.context import ControllerContext, Wake
from localplane.nodes.late_start import something_to_do

_LIGHT = """
import sys
import localplane.compose.control_plane, localplane.controllers, localplane.nodes
heavy = ("localplane.nodes.pods", "localplane.nodes.stages", "localplane.nodes.kubelet", "localplane.nodes.logs")
print([name for name in sys.modules if name.startswith((*heavy, "localplane.apimachinery.golang.template"))])
"""


def test_nodes_without_pods_import_nothing_that_is_about_pods() -> None:
    ran = subprocess.run([sys.executable, "-c", _LIGHT], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "[]"


def context(**options: Any) -> ControllerContext:
    """Of a server that nobody asks anything."""
    return ControllerContext(cast("Any", None), cast("Any", None), **options)


async def test_where_nobody_can_tell_whether_there_are_pods_there_may_be_some() -> None:
    await something_to_do(context())


async def test_the_first_pod_is_waited_for() -> None:
    pods, asked = asyncio.Event(), asyncio.Event()

    async def awakened(wake: Wake) -> None:
        if wake.resource.resource == "pods":
            asked.set()
            await pods.wait()
        else:
            await asyncio.Event().wait()

    waiting = asyncio.create_task(something_to_do(context(awakened=awakened)))
    await asked.wait()
    assert not waiting.done()
    pods.set()
    await waiting
