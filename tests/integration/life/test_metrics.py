"""metrics.k8s.io says what the annotations of pods on simulated nodes say."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import ListOptions
from tests.integration.life.backends import CONTAINER, node, pod
from tests.integration.life.measuring import measured_cluster, simulated_node
from tests.integration.life.world import World

PODS = "metrics.k8s.io/v1beta1/pods"
NODES = "metrics.k8s.io/v1beta1/nodes"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


async def annotated(world: World, name: str, annotations: dict[str, str], *containers: str, **options: Any) -> None:
    named = [{**CONTAINER, "name": each} for each in containers or ("c",)]
    await pod(world, name, containers=named, **options)
    await world.merge("v1/pods", name, {"metadata": {"annotations": annotations}})


def used(metrics: JSONObject) -> dict[str, JSONObject]:
    return {each["name"]: each["usage"] for each in metrics["containers"]}


async def test_a_pods_usage_is_spread_over_its_containers_unless_one_has_its_own() -> None:
    async with measured_cluster("none") as world:
        await simulated_node(world)
        whole = {"simulation.localplane/cpu": "1", "simulation.localplane/memory": "90Mi"}
        await annotated(world, "whole", whole, "a", "b", "c")
        await annotated(world, "own", whole | {"simulation.localplane/cpu.a": "250m"}, "a", "b")
        await annotated(
            world, "kwok", {"kwok.x-k8s.io/usage-cpu": "20m", "kwok.x-k8s.io/usage-memory": "1Gi"}, "a", "b"
        )
        await annotated(world, "plain", {"simulation.localplane/cpu": "nonsense"})
        by_name = {each["metadata"]["name"]: each for each in await world.items(PODS)}
        third = {"cpu": "333333333n", "memory": "30Mi"}
        assert used(by_name["whole"]) == {"a": third, "b": third, "c": third}
        assert used(by_name["own"]) == {
            "a": {"cpu": "250m", "memory": "45Mi"},
            "b": {"cpu": "500m", "memory": "45Mi"},
        }
        assert used(by_name["kwok"]) == {key: {"cpu": "20m", "memory": "1Gi"} for key in "ab"}
        assert used(by_name["plain"]) == {"c": {"cpu": "1m", "memory": "8Mi"}}
        one = await world.of(PODS).get("own")
        assert one["kind"] == "PodMetrics"
        assert one["window"] == "15s"
        assert one["timestamp"] == one["metadata"]["creationTimestamp"]
        assert one["metadata"]["labels"] == {"app": "web"}


async def test_only_pods_that_run_on_simulated_nodes_are_measured() -> None:
    async with measured_cluster("none") as world:
        await simulated_node(world)
        await node(world, "real")
        await pod(world, "there")
        await pod(world, "elsewhere", node="real")
        await world.play(await pod(world, "over"), phase="Succeeded", ready=False)
        assert [each["metadata"]["name"] for each in await world.items(PODS)] == ["there"]
        assert [each["metadata"]["name"] for each in await world.items(NODES, "")] == ["node-1"]
        for plural, name, namespace in ((PODS, "elsewhere", "default"), (PODS, "no", "default"), (NODES, "real", "")):
            with pytest.raises(NotFound):
                await world.of(plural, namespace).get(name)


async def test_lists_are_selected_by_labels_and_fields_and_in_order() -> None:
    async with measured_cluster("none") as world:
        await simulated_node(world, disk="fast")
        await simulated_node(world, "node-2")
        for name, app in (("b", "web"), ("a", "web"), ("c", "db")):
            await pod(world, name, labels={"app": app})
        assert [each["metadata"]["name"] for each in await world.items(PODS, labels="app=web")] == ["a", "b"]
        chosen = await world.of(PODS, "").list(ListOptions(field_selector="metadata.name=c"))
        assert [each["metadata"]["name"] for each in chosen["items"]] == ["c"]
        assert [each["metadata"]["name"] for each in await world.items(NODES, "", labels="disk")] == ["node-1"]


async def test_a_node_uses_what_its_pods_use_and_a_little_more() -> None:
    async with measured_cluster("none") as world:
        await simulated_node(world)
        await annotated(world, "one", {"simulation.localplane/cpu": "300m", "simulation.localplane/memory": "100Mi"})
        await annotated(world, "two", {"simulation.localplane/cpu": "1", "simulation.localplane/memory": "1Gi"})
        found = await world.of(NODES, "").get("node-1")
        assert found["usage"] == {"cpu": "1350m", "memory": "1380Mi"}


async def test_tables_have_the_columns_of_metrics_server() -> None:
    async with measured_cluster("none") as world:
        await simulated_node(world)
        await annotated(world, "one", {"simulation.localplane/cpu": "300m"}, "a", "b")
        table = await world.of(PODS).list(accept=TABLE)
        columns = [(each["name"], each["format"]) for each in table["columnDefinitions"]]
        assert columns == [("Name", "name"), ("cpu", "quantity"), ("memory", "quantity"), ("Window", "duration")]
        assert table["rows"][0]["cells"] == ["one", "300m", "16Mi", "15s"]
        nodes = await world.of(NODES, "").list(accept=TABLE)
        assert nodes["rows"][0]["cells"] == ["node-1", "350m", "272Mi", "15s"]
