"""`cluster.faults`: rules that hold for a block, for those who wait and for those who await."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from localplane import testing
from localplane.apimachinery.errors import Conflict, InternalError
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource
from localplane.testing import UnknownKind

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")


def listed_by(cluster: testing.Cluster) -> list[JSONObject]:
    async def ask() -> list[JSONObject]:
        async with cluster.client() as client:
            items: list[JSONObject] = (await client.resource(CONFIG_MAPS, "default").list())["items"]
            return items

    return asyncio.run(ask())


def test_a_rule_holds_as_long_as_its_block() -> None:
    with testing.cluster(controllers=("none",)) as cluster:
        with cluster.faults.add("broken", verb="list", resource="cm", answer=500, message="broken") as broken:
            with pytest.raises(InternalError, match="broken"):
                listed_by(cluster)
            assert cluster.list("cm", "default") == []  # the test's own hand
        assert listed_by(cluster) == []
        assert (broken.name, broken.matched, broken.hits, broken.seed) == ("broken", 1, 1, None)
        (hit,) = cluster.faults.hits("broken")
        assert (hit["verb"], hit["path"]) == ("list", "/api/v1/namespaces/default/configmaps")
        assert cluster.faults.hits("other") == []
        cluster.faults.clear()
        assert cluster.faults.hits() == []
        for wrong, sentence in (
            (dict[str, Any](answer=200), "do.answer is 200"),
            (dict[str, Any](), "do says nothing"),
        ):
            with pytest.raises(ValueError, match=sentence):
                cluster.faults.add(**wrong)
        with pytest.raises(UnknownKind, match="deplyments"):
            cluster.faults.add(resource="deplyments", answer=409)


async def test_the_same_is_awaited_and_strikes_inside_if_it_says_so() -> None:
    async with testing.cluster(controllers=("none",)) as cluster:
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
        async with cluster.faults.add(verb="patch", resource="cm", name="a", answer=409, inside=True, first=1):
            with pytest.raises(Conflict):
                await cluster.apply([obj])
            await cluster.apply([obj])
        rule = cluster.faults.add(resource="*/scale", latency=timedelta(seconds=1), probability=0.5)
        assert isinstance(rule.seed, int)
        rule.remove()
        (again,) = cluster.faults.add_rules({"name": "a", "do": {"cut": "before"}})
        again.remove()
        again.remove()
