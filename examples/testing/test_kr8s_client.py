"""A client that is asynchronous, kr8s, in a test that is: the cluster's methods are awaited too."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from kr8s.asyncio import Api
from kr8s.asyncio import api as open_api
from kr8s.asyncio.objects import new_class

from localplane.testing import AsyncCluster

CronTab = new_class("CronTab", "stable.example.com/v1", asyncio=True)
# kr8s names the releases it was tried with.
pytestmark = pytest.mark.filterwarnings("ignore:Kubernetes version .* is not supported")


@pytest.fixture
async def kubernetes(async_cluster: AsyncCluster) -> AsyncIterator[Api]:
    api = await open_api(kubeconfig=str(async_cluster.kubeconfig))
    yield api
    assert api._session is not None  # noqa: SLF001 - kr8s has no other way to end
    await api._session.aclose()  # noqa: SLF001


async def test_what_kr8s_writes_is_there(async_cluster: AsyncCluster, kubernetes: Api) -> None:
    body = {"metadata": {"name": "mine", "namespace": "default"}, "spec": {"schedule": "* * * * *"}}
    crontab = await CronTab(body, api=kubernetes)
    await crontab.create()
    await crontab.patch({"spec": {"replicas": 3}})
    assert (await async_cluster.get("ct/mine"))["spec"]["replicas"] == 3
    await async_cluster.delete("ct/mine")
    assert not await crontab.exists()
