"""A quota tells what its namespace uses."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.client import PatchType
from tests.integration.controllers.world import CONFIG_MAPS, CRON_TABS, NAMESPACES, PODS, QUOTAS, World, opened


async def uses(world: World, used: dict[str, str]) -> JSONObject:
    found = await world.becomes(
        QUOTAS, "q", "default", so=lambda obj: ((obj or {}).get("status") or {}).get("used") == used
    )
    assert found is not None
    return found


async def test_usage_follows_what_comes_and_goes_and_what_is_over() -> None:
    async with opened("resourcequota") as world:
        await world.create(CONFIG_MAPS, "before", "default")
        hard = {"configmaps": "3", "requests.cpu": "2", "count/crontabs.stable.example.com": "5", "nonsense": "1"}
        await world.create(QUOTAS, "q", "default", spec={"hard": hard})
        used = {"configmaps": "1", "requests.cpu": "0", "count/crontabs.stable.example.com": "0"}
        quota = await uses(world, used)
        assert quota["status"]["hard"] == hard
        spec = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "500m"}}}]}
        pod = await world.create(PODS, "p", "default", spec=spec)
        await world.create(CRON_TABS, "t", "default")
        await world.create(NAMESPACES, "elsewhere")
        await world.create(CONFIG_MAPS, "elsewhere", "elsewhere")
        used |= {"requests.cpu": "500m", "count/crontabs.stable.example.com": "1"}
        await uses(world, used)
        await world.of(CONFIG_MAPS, "default").delete("before")
        await world.of(PODS, "default").update(pod | {"status": {"phase": "Succeeded"}}, subresource="status")
        await uses(world, used | {"configmaps": "0", "requests.cpu": "0"})


async def test_new_limits_are_taken_over_and_old_ones_forgotten() -> None:
    async with opened("resourcequota") as world:
        await world.create(QUOTAS, "q", "default", spec={"hard": {"configmaps": "3"}})
        await uses(world, {"configmaps": "0"})
        changed = {"spec": {"hard": {"configmaps": None, "secrets": "1"}}}
        await world.of(QUOTAS, "default").patch("q", changed, PatchType.MERGE)
        quota = await uses(world, {"secrets": "0"})
        assert quota["status"]["hard"] == {"secrets": "1"}
