"""Of several servers on one store, one acts: which, for how long, and what becomes of what it had begun."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.storage.outage import StoreOutage
from localplane.compose.cluster import open_cluster
from localplane.compose.election import LeaderElectionOptions
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane
from tests.integration.several.servers import QUICK, Shared, eventually, of

pytestmark = pytest.mark.asyncio

LEASES = ("kube-controller-manager", "kube-scheduler", "localplane-nodes")


async def lease(plane: Plane, name: str = LEASES[0]) -> JSONObject:
    return await of(plane, "coordination.k8s.io/v1/leases", "kube-system").get(name)


async def holder(plane: Plane, name: str = LEASES[0]) -> str:
    leases = (await of(plane, "coordination.k8s.io/v1/leases", "kube-system").list())["items"]
    spec: JSONObject = next((each["spec"] for each in leases if each["metadata"]["name"] == name), {})
    return str(spec.get("holderIdentity", ""))


async def deploy(plane: Plane, name: str) -> None:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": pod}
    await of(plane, "apps/v1/deployments").create(
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
    )


async def _leads(plane: Plane) -> dict[str, str]:
    return {name: await holder(plane, name) for name in LEASES}


async def test_one_leads_and_the_other_takes_over_at_once_when_it_stops(shared: Shared) -> None:
    """The leases would last for hours."""
    long = replace(QUICK, lease_duration=timedelta(hours=3), renew_deadline=timedelta(hours=2))
    async with AsyncExitStack() as first_one:
        first = await first_one.enter_async_context(shared.server(nodes=1, leader_election=long))
        await eventually(lambda: _all_held(first))
        before = await _leads(first)
        async with shared.server(nodes=1, leader_election=long) as second:
            await deploy(second, "a")
            await eventually(lambda: _running(second, "a"))
            assert await _leads(second) == before
            await first_one.aclose()
            await eventually(lambda: _all_held(second))
            assert not set(before.values()) & set((await _leads(second)).values())
            assert (await lease(second))["spec"]["leaseTransitions"] == 1
            await deploy(second, "b")
            await eventually(lambda: _running(second, "b"))


async def test_a_leader_that_loses_the_store_stops_and_another_goes_on(shared: Shared) -> None:
    async with shared.server() as first:
        await eventually(lambda: holder(first))
        before = await holder(first)
        async with shared.server() as second:
            outage = StoreOutage(first.storage.backend, first.storage.cacher.lose_feed)
            outage.begin()
            await eventually(lambda: _is_another(second, before))
            outage.end()
            await eventually(lambda: _answers(first))
            await deploy(second, "a")
            await eventually(lambda: _made(second, "a"))
            assert await holder(first) == await holder(second) != before
        await eventually(lambda: _is_another(first, ""))  # it stands again


async def test_without_an_election_nobody_writes_leases(shared: Shared) -> None:
    off = LeaderElectionOptions(enabled=False)
    async with shared.server(leader_election=off) as plane:
        await deploy(plane, "a")
        await eventually(lambda: _made(plane, "a"))
        assert await holder(plane) == ""


async def test_a_server_that_is_alone_on_its_store_holds_no_election(tmp_path: Path) -> None:
    storage = StorageOptions(kind=StorageKind.SQLITE, data_dir=tmp_path / "data")
    async with open_cluster(ClusterOptions(storage=storage, server=ServerOptions(port=0), nodes=1)) as plane:
        await deploy(plane, "a")
        await eventually(lambda: _running(plane, "a"))
        assert await _leads(plane) == dict.fromkeys(LEASES, "")


async def _all_held(plane: Plane) -> bool:
    return all((await _leads(plane)).values())


async def _is_another(plane: Plane, before: str) -> bool:
    return await holder(plane) not in ("", before)


async def _answers(plane: Plane) -> bool:
    try:
        await of(plane, "v1/namespaces", "").list()
    except APIError:
        return False
    return True


async def _made(plane: Plane, name: str) -> bool:
    pods = [pod for pod in (await of(plane, "v1/pods").list())["items"] if pod["metadata"]["labels"]["app"] == name]
    return len(pods) == 2


async def _running(plane: Plane, name: str) -> bool:
    pods = [pod for pod in (await of(plane, "v1/pods").list())["items"] if pod["metadata"]["labels"]["app"] == name]
    assert len(pods) <= 2, "two servers have made them"
    return [pod["status"]["phase"] for pod in pods] == ["Running", "Running"]
