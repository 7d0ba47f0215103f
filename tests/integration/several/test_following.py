"""What is done on one server holds on the other."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from localplane.apimachinery.errors import APIError, Forbidden, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource
from localplane.compose.server import Plane
from tests.integration.several.servers import Shared, eventually, of

pytestmark = pytest.mark.asyncio

DEFINITIONS = "apiextensions.k8s.io/v1/customresourcedefinitions"


def definition(plural: str, kind: str, group: str = "example.com") -> JSONObject:
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": plural.removesuffix("s"), "kind": kind, "listKind": f"{kind}List"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


async def aggregated(plane: Plane) -> list[str]:
    """The groups in aggregated discovery."""
    accept = "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList"
    answer = await plane.client.request("GET", "/apis", headers=[("Accept", accept)])
    return [each["metadata"]["name"] for each in answer.json()["items"]]


async def openapi(plane: Plane) -> list[str]:
    return list((await plane.client.request("GET", "/openapi/v3")).json()["paths"])


async def test_a_definition_is_served_discovered_and_described_everywhere(shared: Shared) -> None:
    async with shared.servers(2, controllers=("none",)) as (first, second):
        things = second.client.resource(GroupVersionResource("example.com", "v1", "things"), "default")
        await of(first, DEFINITIONS, "").create(definition("things", "Thing"))
        began = time.monotonic()

        async def is_served() -> bool:
            try:
                await things.list()
            except NotFound:
                return False
            return "example.com" in await aggregated(second) and "apis/example.com/v1" in await openapi(second)

        await eventually(is_served)
        print(f"it took {time.monotonic() - began:.3f} seconds")
        await things.create({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})
        seen = await first.client.resource(GroupVersionResource("example.com", "v1", "things"), "default").get("a")
        assert seen["metadata"]["name"] == "a"
        await of(second, DEFINITIONS, "").delete("things.example.com")

        async def is_gone() -> bool:
            return "example.com" not in await aggregated(first) and "apis/example.com/v1" not in await openapi(first)

        await eventually(is_gone)


async def test_definitions_that_want_the_same_names_are_told_the_same_everywhere(shared: Shared) -> None:
    async with shared.servers(2, controllers=("none",)) as planes:

        async def make(plane: Plane, plural: str, kind: str) -> None:
            await of(plane, DEFINITIONS, "").create(definition(plural, kind))

        async with asyncio.TaskGroup() as tasks:
            for number in range(8):
                for place, plane in enumerate(planes):
                    tasks.create_task(make(plane, f"things{place}{number}s", f"Thing{number}"))

        async def are_settled() -> bool:
            items = [item for plane in planes for item in (await of(plane, DEFINITIONS, "").list())["items"]]
            return all((item.get("status") or {}).get("conditions") for item in items)

        await eventually(are_settled)
        told = [await accepted(plane) for plane in planes]
        assert told[0] == told[1]
        assert sorted(given for given in told[0].values() if given) == [f"Thing{number}" for number in range(8)]
        loser = next(name for name, kind in told[0].items() if not kind)
        kind = f"Thing{loser.partition('.')[0][-2]}"
        winner = next(name for name, given in told[0].items() if given == kind)
        await of(planes[0], DEFINITIONS, "").delete(winner)

        async def has_it() -> bool:
            return (await accepted(planes[1]))[loser] == kind

        await eventually(has_it)


async def accepted(plane: Plane) -> dict[str, str]:
    """The kind that each definition has been given, if all of its names are its own."""
    given = {}
    for item in (await of(plane, DEFINITIONS, "").list())["items"]:
        conditions = {each["type"]: each["status"] for each in item["status"]["conditions"]}
        kind = item["status"]["acceptedNames"]["kind"] if conditions["NamesAccepted"] == "True" else ""
        assert bool(kind) == (conditions["Established"] == "True")
        given[item["metadata"]["name"]] = kind
    return given


async def test_a_quota_is_not_exceeded_however_many_servers_are_asked(shared: Shared) -> None:
    async with shared.servers(2, controllers=("resourcequota",)) as planes:
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "few"},
            "spec": {"hard": {"count/secrets": "10"}},
        }
        await of(planes[0], "v1/resourcequotas").create(quota)

        async def used() -> Any:
            status = (await of(planes[1], "v1/resourcequotas").get("few")).get("status") or {}
            return (status.get("used") or {}).get("count/secrets")

        await eventually(used)
        outcomes: list[str] = []

        async def make(plane: Plane, name: str) -> None:
            try:
                await of(plane, "v1/secrets").create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}})
            except APIError as error:
                is_refused = isinstance(error, Forbidden) and "exceeded quota: few" in str(error)
                outcomes.append("refused" if is_refused else f"{type(error).__name__}: {error}")
            else:
                outcomes.append("made")

        async with asyncio.TaskGroup() as tasks:
            for number in range(30):
                for place, plane in enumerate(planes):
                    tasks.create_task(make(plane, f"s-{place}-{number}"))
        assert sorted(outcomes) == ["made"] * 10 + ["refused"] * 50
        assert len((await of(planes[0], "v1/secrets").list())["items"]) == 10
        await eventually(lambda: _equals(used(), "10"))


async def _equals(asking: Any, expected: str) -> bool:
    return bool(await asking == expected)


async def test_what_others_may_do_is_known_at_once(shared: Shared) -> None:
    async with shared.servers(2, controllers=("none",)) as (first, second):
        roles = "rbac.authorization.k8s.io/v1/clusterroles"
        bindings = "rbac.authorization.k8s.io/v1/clusterrolebindings"
        group = "rbac.authorization.k8s.io"
        rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]
        await of(first, roles, "").create(
            {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": "reader"}, "rules": rules}
        )
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": "ann", "resourceAttributes": {"resource": "configmaps", "verb": "list"}},
        }
        reviews = of(second, "authorization.k8s.io/v1/subjectaccessreviews", "")
        assert not (await reviews.create(review))["status"]["allowed"]
        await of(first, bindings, "").create(
            {
                "apiVersion": f"{group}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": "reader"},
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "reader"},
                "subjects": [{"apiGroup": group, "kind": "User", "name": "ann"}],
            }
        )

        async def is_allowed() -> bool:
            return bool((await reviews.create(review))["status"]["allowed"])

        await eventually(is_allowed)


async def test_an_idle_cluster_writes_leases_only(shared: Shared) -> None:
    async with shared.servers(2, nodes=1) as planes:
        plane = planes[0]
        nodes = of(plane, "v1/nodes", "")

        async def has_a_node() -> bool:
            return bool((await nodes.list())["items"])

        await eventually(has_a_node)
        root = plane.storage.cacher.root
        quiet, since = 0.0, await plane.storage.backend.current_revision()
        async with asyncio.timeout(120):
            while quiet < 4:  # what a start begins takes a moment to come to its end
                await asyncio.sleep(1)
                changed = {event.key.removeprefix(root) for event in plane.storage.cacher.window.after(since)}
                since = plane.storage.cacher.revision
                others = {key for key in changed if not key.startswith(("/leases/", "/masterleases/"))}
                quiet = 0.0 if others else quiet + 1
