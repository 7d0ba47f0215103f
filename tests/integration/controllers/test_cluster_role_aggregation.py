"""A cluster role that is made of others follows them."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from tests.integration.controllers.world import CLUSTER_ROLES, World, opened

VIEW = "rbac.example.com/aggregate-to-view"


def rule(*resources: str) -> JSONObject:
    return {"apiGroups": [""], "resources": list(resources), "verbs": ["get"]}


async def part(world: World, name: str, *rules: JSONObject) -> None:
    await world.create(CLUSTER_ROLES, name, metadata={"labels": {VIEW: "true"}}, rules=list(rules))


async def becomes(world: World, name: str, *rules: JSONObject) -> JSONObject:
    found = await world.becomes(CLUSTER_ROLES, name, so=lambda obj: (obj or {}).get("rules") == list(rules))
    assert found is not None
    return found


async def test_rules_come_by_name_and_once_and_go_with_their_role() -> None:
    async with opened("clusterrole-aggregation") as world:
        aggregation = {"clusterRoleSelectors": [{"matchLabels": {VIEW: "true"}}]}
        await world.create(CLUSTER_ROLES, "view", aggregationRule=aggregation, rules=None)
        await part(world, "b", rule("pods"), rule("secrets"))
        await part(world, "a", rule("secrets"))
        await world.create(CLUSTER_ROLES, "stranger", rules=[rule("nodes")])
        await becomes(world, "view", rule("secrets"), rule("pods"))
        await world.of(CLUSTER_ROLES).delete("a")
        await becomes(world, "view", rule("pods"), rule("secrets"))


async def test_what_is_made_of_others_may_be_part_of_a_third() -> None:
    async with opened("clusterrole-aggregation") as world:
        of_parts = {"clusterRoleSelectors": [{"matchLabels": {VIEW: "true"}}]}
        of_view = {"clusterRoleSelectors": [{"matchExpressions": [{"key": "to-edit", "operator": "Exists"}]}]}
        await world.create(CLUSTER_ROLES, "edit", aggregationRule=of_view, rules=None)
        labels = {"labels": {"to-edit": "yes"}}
        await world.create(CLUSTER_ROLES, "view", aggregationRule=of_parts, metadata=labels, rules=None)
        await part(world, "a", rule("pods"))
        await becomes(world, "edit", rule("pods"))
