"""The roles that a plane makes of what somebody has asked for: they let him do it again, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import orjson
import pytest

from localplane import testing
from localplane.apimachinery.errors import APIError, BadRequest, Forbidden, NotFound
from localplane.client import Client, GroupVersionResource, PatchType

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
PODS = GroupVersionResource("", "v1", "pods")
NODES = GroupVersionResource("", "v1", "nodes")
ROBOT = "system:serviceaccount:default:robot"
_PLURALS = {
    "Role": "roles",
    "ClusterRole": "clusterroles",
    "RoleBinding": "rolebindings",
    "ClusterRoleBinding": "clusterrolebindings",
}


@pytest.fixture
async def admin() -> AsyncIterator[Client]:
    async with testing.cluster(controllers=("none",)) as cluster, cluster.client() as client:
        yield client


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


Step = Callable[[Client], Awaitable[object]]

STEPS: tuple[Step, ...] = (
    lambda client: client.request("GET", "/apis"),
    lambda client: client.resource(CONFIG_MAPS, "default").create(config_map("one")),
    lambda client: client.resource(CONFIG_MAPS, "default").patch("one", {"data": {"a": "b"}}, PatchType.MERGE),
    lambda client: client.resource(CONFIG_MAPS, "default").get("one"),
    lambda client: client.resource(CONFIG_MAPS, "default").patch(
        "applied", config_map("applied"), PatchType.APPLY, field_manager="robot", force=True
    ),
    lambda client: client.resource(CONFIG_MAPS).list(),
    lambda client: client.resource(CONFIG_MAPS, "default").delete("one"),
    lambda client: client.resource(CONFIG_MAPS, "default").delete("applied"),
    lambda client: client.resource(NODES).list(),
    lambda client: client.request("GET", "/metrics"),
)


async def minimal(client: Client, **query: str) -> list[dict[str, Any]]:
    answer = await client.request("GET", "/localplane/v1/rbac/minimal", query=list(query.items()))
    objects: list[dict[str, Any]] = orjson.loads(answer.body)["objects"]
    return objects


async def checked(client: Client, user: str, objects: list[dict[str, Any]]) -> dict[str, Any]:
    body = orjson.dumps({"objects": objects})
    answer = await client.request("POST", "/localplane/v1/rbac/check", query=[("user", user)], body=body)
    told: dict[str, Any] = orjson.loads(answer.body)
    return told


async def applied(client: Client, objects: list[dict[str, Any]]) -> None:
    for obj in objects:
        resource = GroupVersionResource("rbac.authorization.k8s.io", "v1", _PLURALS[obj["kind"]])
        await client.resource(resource, obj["metadata"].get("namespace", "")).create(obj)


def robot_of(client: Client, *groups: str) -> Client:
    return client.acting_as(ROBOT, groups=["system:serviceaccounts", *groups])


@pytest.mark.parametrize("resource_names", ["false", "true"])
async def test_the_roles_let_him_do_it_again_and_nothing_that_only_others_did(
    admin: Client, resource_names: str
) -> None:
    """He does it all as an administrator first, so that nothing stops him half-way."""
    mighty = robot_of(admin, "system:masters")
    for step in STEPS:
        await step(mighty)
    await admin.resource(PODS, "default").list()
    objects = await minimal(admin, user=ROBOT, resourceNames=resource_names)
    robot = robot_of(admin)
    with pytest.raises(Forbidden):
        await robot.resource(CONFIG_MAPS, "default").create(config_map("one"))
    await applied(admin, objects)
    for step in STEPS:
        await step(robot)
    assert await checked(admin, ROBOT, objects) == {"user": ROBOT, "missing": [], "unused": [], "wide": []}
    with pytest.raises(Forbidden):
        await robot.resource(PODS, "default").list()
    with pytest.raises(Forbidden):
        await robot.resource(CONFIG_MAPS, "kube-system").get("x")
    with pytest.raises(Forbidden):
        await robot.resource(CONFIG_MAPS, "default").update(config_map("one"))


async def test_what_was_refused_counts_as_asked_for(admin: Client) -> None:
    jane = admin.acting_as("jane")
    with pytest.raises(Forbidden):
        await jane.resource(PODS, "default").list()
    role, binding = await minimal(admin, user="jane")
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
    assert binding["subjects"][0]["name"] == "jane"
    await applied(admin, [role, binding])
    assert (await jane.resource(PODS, "default").list())["items"] == []


async def test_whoever_applies_what_is_not_there_needs_to_create_it_too(admin: Client) -> None:
    await applied(admin, [*await _patching(admin)])
    robot = robot_of(admin)
    with pytest.raises(Forbidden, match="cannot create"):
        await robot.resource(CONFIG_MAPS, "default").patch(
            "new", config_map("new"), PatchType.APPLY, field_manager="robot"
        )
    role, _ = await minimal(admin, user=ROBOT)
    assert role["rules"] == [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "patch"]}]


async def _patching(admin: Client) -> list[dict[str, Any]]:
    """A role that lets the robot patch and no more: made of its first, refused, attempt."""
    with pytest.raises(Forbidden):
        await robot_of(admin).resource(CONFIG_MAPS, "default").patch("new", {}, PatchType.MERGE)
    return await minimal(admin, user=ROBOT)


async def test_impersonation_is_asked_for_by_who_impersonates(admin: Client) -> None:
    with pytest.raises(APIError):
        await admin.acting_as("jane", groups=["team"]).resource(PODS, "default").list()
    objects = await minimal(admin, user="kubernetes-admin")
    assert {"apiGroups": [""], "resources": ["groups", "users"], "verbs": ["impersonate"]} in objects[0]["rules"]


async def test_wrong_questions_get_one_sentence(admin: Client) -> None:
    with pytest.raises(NotFound, match='"nobody" has not asked for anything yet; who has: kubernetes-admin'):
        await minimal(admin, user="nobody")
    with pytest.raises(BadRequest, match="say for which user"):
        await minimal(admin)
    with pytest.raises(BadRequest, match='there is no parameter "users"; there are: all, name, resourceNames, user'):
        await minimal(admin, users="x")
    with pytest.raises(BadRequest, match="can't be the name of a role"):
        await minimal(admin, user="kubernetes-admin", name="a/b")
    with pytest.raises(BadRequest, match="there is no Role and no ClusterRole in it"):
        await checked(admin, "kubernetes-admin", [])
    with pytest.raises(NotFound, match='rbac has no "maximal"; it has: check, minimal, users'):
        await admin.request("GET", "/localplane/v1/rbac/maximal")
