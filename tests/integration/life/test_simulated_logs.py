"""What pods/log, exec, attach and port-forward answer for pods on simulated nodes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.apimachinery.errors import BadRequest
from tests.integration.life.simulation import living, pod, simulation
from tests.integration.life.test_pod_life import container, has_phase, is_ready, waits_for
from tests.integration.life.world import World, cluster

TASK = {"name": "main", "image": "busybox", "command": ["sh", "-c", "echo one; echo two; exit 2"]}


async def logs(world: World, name: str, **query: Any) -> list[str]:
    pairs = [(key, str(value)) for key, value in query.items()]
    answer = await world.client.request("GET", f"/api/v1/namespaces/default/pods/{name}/log", query=pairs)
    return answer.body.decode().splitlines()


async def test_a_log_has_a_line_for_every_change_and_what_the_command_prints() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("task", TASK, restartPolicy="Never"))
        await world.becomes("v1/pods", "task", has_phase("Failed"))
        lines = await logs(world, "task")
        assert lines[0] == "[simulated] container main started, image busybox"
        assert lines[1:3] == ["one", "two"]
        assert lines[-1] == "[simulated] container main ended with exit code 2 (Error)"


async def test_the_options_of_a_log_are_respected() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("task", TASK, restartPolicy="Never"))
        await world.becomes("v1/pods", "task", has_phase("Failed"))
        everything = await logs(world, "task")
        assert await logs(world, "task", tailLines=1) == everything[-1:]
        assert await logs(world, "task", tailLines=0) == []
        assert await logs(world, "task", limitBytes=5) == [everything[0][:5]]
        assert await logs(world, "task", sinceSeconds=3600) == everything
        assert await logs(world, "task", sinceTime="2999-01-01T00:00:00Z") == []
        stamped = await logs(world, "task", timestamps="true")
        assert [line.partition(" ")[2] for line in stamped] == everything
        assert all(line[10] == "T" and line.partition(" ")[0].endswith("Z") for line in stamped)


async def test_the_log_of_the_previous_run_is_kept() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", TASK))
        await world.becomes("v1/pods", "web", waits_for("CrashLoopBackOff"))
        assert (await logs(world, "web", previous="true"))[-1].endswith("ended with exit code 2 (Error)")
        await world.create("v1/pods", pod("calm"))
        await world.becomes("v1/pods", "calm", is_ready)
        with pytest.raises(BadRequest, match='previous terminated container "main" in pod "calm" not found'):
            await logs(world, "calm", previous="true")


async def test_a_followed_log_ends_when_the_container_does() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", simulation={"exit-after": "500ms"}, restartPolicy="Never"))
        await world.becomes("v1/pods", "web", is_ready)
        async with asyncio.timeout(60):
            lines = await logs(world, "web", follow="true")
        assert lines[0].startswith("[simulated] container main started")
        assert lines[-1] == "[simulated] container main ended with exit code 0 (Completed)"


async def test_a_container_that_waits_has_no_log() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", simulation={"image-pull-error": "true"}))
        await world.becomes("v1/pods", "web", waits_for("ImagePullBackOff"))
        message = 'container "main" in pod "web" is waiting to start: trying and failing to pull image'
        with pytest.raises(BadRequest, match=message):
            await logs(world, "web")


async def test_after_a_restart_the_log_is_told_out_of_the_status() -> None:
    async with cluster() as world:
        async with living(world.plane):
            await world.create("v1/pods", pod("web"))
            await world.create("v1/pods", pod("task", TASK, restartPolicy="Never"))
            await world.becomes("v1/pods", "web", is_ready)
            await world.becomes("v1/pods", "task", has_phase("Failed"))
        async with living(world.plane):
            assert await logs(world, "web") == ["[simulated] container main started"]
            assert (await logs(world, "task"))[-1] == "[simulated] container main ended with exit code 2 (Error)"


@pytest.mark.parametrize(
    ("subresource", "query", "verb"),
    [
        ("exec", [("command", "ls"), ("stdout", "true")], "exec"),
        ("attach", [("stdout", "true")], "attach"),
        ("portforward", [("ports", "80")], "port-forward"),
    ],
)
async def test_nobody_gets_into_a_simulated_pod(subresource: str, query: list[tuple[str, str]], verb: str) -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web"))
        assert container(await world.becomes("v1/pods", "web", is_ready))
        message = f"pod web is on a simulated node, where no processes run: {verb} is not possible"
        with pytest.raises(BadRequest, match=message):
            await world.client.request("POST", f"/api/v1/namespaces/default/pods/web/{subresource}", query=query)
