"""Several servers are one cluster: they start together, are found together, and leave one another in peace."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.compose.server import Plane
from tests.integration.several.servers import Shared, eventually, of

pytestmark = pytest.mark.asyncio


def ports_of(endpoints: JSONObject) -> list[int]:
    return sorted(port["port"] for subset in endpoints["subsets"] for port in subset["ports"])


async def told(plane: Plane) -> list[int]:
    return ports_of(await of(plane, "v1/endpoints").get("kubernetes"))


async def told_in_slices(plane: Plane) -> list[int]:
    slices = (await of(plane, "discovery.k8s.io/v1/endpointslices").list())["items"]
    return sorted(port["port"] for each in slices for port in each["ports"])


async def test_servers_that_start_at_the_same_time_make_one_cluster(
    shared: Shared, caplog: pytest.LogCaptureFixture
) -> None:
    async with shared.servers(3, controllers=("none",)) as planes:
        for plane in planes:
            service = await of(plane, "v1/services").get("kubernetes")
            assert service["spec"]["clusterIP"] == "10.0.0.1"
            assert len((await of(plane, "networking.k8s.io/v1/ipaddresses", "").list())["items"]) == 1
        ports = sorted(plane.server.port for plane in planes)
        await eventually(lambda: _is(told(planes[0]), ports))
        await eventually(lambda: _is(told_in_slices(planes[0]), ports))
    assert [record.message for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


async def _is(asking: Any, expected: Any) -> bool:
    return bool(await asking == expected)


async def test_endpoints_list_those_that_live(shared: Shared) -> None:
    async with shared.server(controllers=("none",)) as first:
        assert await told(first) == [first.server.port]
        async with shared.server(controllers=("none",)) as second:
            both = sorted([first.server.port, second.server.port])
            assert await told(second) == both, "it is told before anybody may come"
            assert await told_in_slices(first) == both
        assert await told(first) == [first.server.port], "who stops says so"
        assert await told_in_slices(first) == [first.server.port]
        slices = (await of(first, "discovery.k8s.io/v1/endpointslices").list())["items"]
        assert [each["metadata"]["name"] for each in slices] == ["kubernetes"]
