"""kr8s, the asyncio client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import kr8s
import pytest
from kr8s.asyncio import Api
from kr8s.asyncio import api as open_api
from kr8s.asyncio.objects import ConfigMap, Deployment

# It names the releases it was tried with, and ours is newer.
pytestmark = pytest.mark.filterwarnings("ignore:Kubernetes version .* is not supported")


@pytest.fixture
async def kubernetes(kubeconfig: Path) -> AsyncIterator[Api]:
    """It leaves its connections to the collector, so that they are closed for it."""
    made = await open_api(kubeconfig=str(kubeconfig))
    yield made
    assert made._session is not None
    await made._session.aclose()


async def test_an_object_is_created_listed_watched_patched_and_deleted(kubernetes: Api, namespace: str) -> None:
    body = {"metadata": {"name": "a", "namespace": namespace}, "data": {"x": "1"}}
    made = await ConfigMap(body, api=kubernetes)
    seen: list[tuple[str, dict[str, str]]] = []

    async def follow() -> None:
        selected = {"namespace": namespace, "field_selector": "metadata.name=a"}
        async for event, found in kubernetes.watch("configmaps", **selected):
            seen.append((event, dict(found.raw["data"])))
            if event == "ADDED":
                await made.patch({"data": {"x": "2"}})
            elif event == "MODIFIED":
                await made.delete()
            else:
                return

    await made.create()
    listed = [each async for each in kubernetes.get(ConfigMap, namespace=namespace)]
    assert "a" in {each.name for each in listed if isinstance(each, ConfigMap)}
    await asyncio.wait_for(follow(), timeout=30)
    assert seen == [("ADDED", {"x": "1"}), ("MODIFIED", {"x": "2"}), ("DELETED", {"x": "2"})]
    assert not await made.exists()
    with pytest.raises(kr8s.NotFoundError):
        await made.refresh()


async def test_a_deployment_is_scaled(kubernetes: Api, namespace: str) -> None:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    made = await Deployment({"metadata": {"name": "web", "namespace": namespace}, "spec": spec}, api=kubernetes)
    await made.create()
    await made.patch({"spec": {"replicas": 4}})
    await made.refresh()
    assert made.replicas == 4


async def test_the_kinds_are_found(kubernetes: Api) -> None:
    assert "deployments.apps/v1" in {
        f"{each['name']}.{each['version']}" for each in await kubernetes.api_resources() if each["kind"] == "Deployment"
    }
