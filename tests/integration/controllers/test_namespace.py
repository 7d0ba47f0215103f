"""A namespace that is deleted is emptied, says what stands in its way, and goes."""

from __future__ import annotations

import time

from localplane.apimachinery.objects import JSONObject
from tests.integration.controllers.world import CONFIG_MAPS, CRON_TABS, NAMESPACES, PODS, SECRETS, opened, running

REMAINING = (
    "Some resources are remaining: configmaps. has 1 resource instances, "
    "crontabs.stable.example.com has 1 resource instances"
)


def conditions(namespace: JSONObject | None) -> dict[str, tuple[str, str, str]]:
    found = ((namespace or {}).get("status") or {}).get("conditions") or ()
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in found}


async def test_a_namespace_goes_with_everything_in_it_and_nothing_else() -> None:
    async with opened("namespace") as world:
        for namespace in ("a", "b"):
            await world.create(NAMESPACES, namespace)
            for number in range(30):
                await world.create(CONFIG_MAPS, f"c{number}", namespace)
            await world.create(SECRETS, "s", namespace)
            await world.create(CRON_TABS, "t", namespace)
            await world.create(PODS, "p", namespace, spec=_pod_spec(""))
        await world.of(NAMESPACES).delete("a")
        await world.gone(NAMESPACES, "a")
        left = [await world.of(kind).list() for kind in (CONFIG_MAPS, SECRETS, CRON_TABS, PODS)]
        assert [len(found["items"]) for found in left] == [30, 1, 1, 1]
        assert {item["metadata"]["namespace"] for found in left for item in found["items"]} == {"b"}


async def test_an_empty_namespace_goes() -> None:
    async with opened("namespace") as world:
        await world.create(NAMESPACES, "a")
        await world.of(NAMESPACES).delete("a")
        await world.gone(NAMESPACES, "a")


async def test_finalizers_stop_it_until_they_are_gone_and_it_says_so() -> None:
    async with opened("namespace") as world:
        await world.create(NAMESPACES, "a")
        await world.create(CONFIG_MAPS, "held", "a", metadata={"finalizers": ["example.com/wait"]})
        await world.create(CRON_TABS, "held", "a", metadata={"finalizers": ["example.com/wait"]})
        await world.create(CONFIG_MAPS, "free", "a")
        await world.of(NAMESPACES).delete("a")
        namespace = await world.becomes(NAMESPACES, "a", so=lambda obj: len(conditions(obj)) == 5)
        assert conditions(namespace) == {
            "NamespaceDeletionDiscoveryFailure": (
                "False",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            "NamespaceDeletionGroupVersionParsingFailure": (
                "False",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            "NamespaceDeletionContentFailure": (
                "False",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            "NamespaceContentRemaining": (
                "True",
                "SomeResourcesRemain",
                REMAINING,
            ),
            "NamespaceFinalizersRemaining": (
                "True",
                "SomeFinalizersRemain",
                "Some content in the namespace has finalizers remaining: example.com/wait in 2 resource instances",
            ),
        }
        assert await world.get(CONFIG_MAPS, "free", "a") is None
        await world.release(CONFIG_MAPS, "held", "a")
        assert await world.get(NAMESPACES, "a") is not None
        began = time.monotonic()
        await world.release(CRON_TABS, "held", "a")
        await world.gone(NAMESPACES, "a")
        assert time.monotonic() - began < 7.0, "it waited for a clock instead of for the object"


async def test_other_finalizers_of_the_namespace_outlast_its_content() -> None:
    async with opened("namespace") as world:
        await world.create(NAMESPACES, "a", metadata={"finalizers": ["example.com/mine"]})
        await world.create(CONFIG_MAPS, "c", "a")
        await world.of(NAMESPACES).delete("a")
        await world.becomes(NAMESPACES, "a", so=lambda obj: bool(obj) and not (obj or {})["spec"].get("finalizers"))
        assert await world.get(CONFIG_MAPS, "c", "a") is None
        await world.release(NAMESPACES, "a")
        await world.gone(NAMESPACES, "a")


async def test_what_pods_use_stays_as_long_as_they_do() -> None:
    async with opened("namespace") as world:
        await world.create(NAMESPACES, "a")
        await world.create(PODS, "p", "a", spec=_pod_spec("node-1"))
        await world.create(CONFIG_MAPS, "c", "a")
        await world.of(NAMESPACES).delete("a")
        namespace = await world.becomes(NAMESPACES, "a", so=lambda obj: len(conditions(obj)) == 5)
        pod = await world.get(PODS, "p", "a")
        assert pod is not None
        assert pod["metadata"]["deletionGracePeriodSeconds"] == 30
        assert await world.get(CONFIG_MAPS, "c", "a") is not None
        assert conditions(namespace)["NamespaceContentRemaining"][0] == "False"
        await world.of(PODS, "a").delete("p", grace_period_seconds=0)
        await world.gone(NAMESPACES, "a")
        assert await world.get(CONFIG_MAPS, "c", "a") is None


async def test_a_deletion_that_began_before_we_did_is_finished() -> None:
    async with opened() as world:
        await world.create(NAMESPACES, "a")
        await world.create(CONFIG_MAPS, "c", "a")
        await world.of(NAMESPACES).delete("a")
        async with running(world, "namespace"):
            await world.gone(NAMESPACES, "a")


def _pod_spec(node: str) -> JSONObject:
    containers = [{"name": "c", "image": "i"}]
    return {"nodeName": node, "terminationGracePeriodSeconds": 30, "containers": containers}
