"""Roles and bindings decide, and nobody gives away more than they have."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import APIError, Forbidden, NotFound
from localplane.client import Client, GroupVersionResource
from localplane.compose.server import Plane

pytestmark = pytest.mark.asyncio(loop_scope="module")

RBAC = "rbac.authorization.k8s.io"
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
ROLES = GroupVersionResource(RBAC, "v1", "roles")
CLUSTER_ROLES = GroupVersionResource(RBAC, "v1", "clusterroles")
BINDINGS = GroupVersionResource(RBAC, "v1", "rolebindings")
CLUSTER_BINDINGS = GroupVersionResource(RBAC, "v1", "clusterrolebindings")
REVIEWS = GroupVersionResource("authorization.k8s.io", "v1", "subjectaccessreviews")
RULES_REVIEWS = GroupVersionResource("authorization.k8s.io", "v1", "selfsubjectrulesreviews")
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
ROLE_WRITER = {"apiGroups": [RBAC], "resources": ["roles", "rolebindings"], "verbs": ["create", "update"]}


async def namespace(plane: Plane, name: str) -> str:
    await plane.client.resource(NAMESPACES).create(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    )
    return name


def role(name: str, *rules: dict[str, Any], kind: str = "Role", **rest: Any) -> dict[str, Any]:
    return {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": {"name": name}, "rules": list(rules), **rest}


def binding(name: str, user: str, role: str, *, kind: str = "Role") -> dict[str, Any]:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": role},
        "subjects": [{"kind": "User", "name": user, "apiGroup": RBAC}],
    }


async def give(plane: Plane, where: str, user: str, *rules: dict[str, Any]) -> Client:
    await plane.client.resource(ROLES, where).create(role(f"of-{user}", *rules))
    await plane.client.resource(BINDINGS, where).create(binding(f"of-{user}", user, f"of-{user}"))
    return plane.client.acting_as(user, groups=["system:authenticated"])


async def review(plane: Plane, user: str, verb: str, resource: str, where: str = "") -> dict[str, Any]:
    attributes = {"verb": verb, "resource": resource, "namespace": where}
    spec = {"user": user, "resourceAttributes": attributes}
    answer = await plane.client.resource(REVIEWS).create(
        {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    )
    status: dict[str, Any] = answer["status"]
    return status


async def test_a_binding_allows_in_its_namespace_and_says_so(plane: Plane) -> None:
    where = await namespace(plane, "allowing")
    await give(plane, where, "jane", PODS)
    assert await review(plane, "jane", "get", "pods", where) == {
        "allowed": True,
        "reason": 'RBAC: allowed by RoleBinding "of-jane/allowing" of Role "of-jane" to User "jane"',
    }
    assert await review(plane, "jane", "get", "pods", "default") == {"allowed": False}
    assert await review(plane, "jane", "delete", "pods", where) == {"allowed": False}


async def test_what_is_taken_away_is_gone_at_once(plane: Plane) -> None:
    where = await namespace(plane, "taking")
    await give(plane, where, "joe", PODS)
    for step in (ROLES, BINDINGS):
        assert (await review(plane, "joe", "get", "pods", where))["allowed"]
        await plane.client.resource(step, where).delete("of-joe")
        found = await review(plane, "joe", "get", "pods", where)
        assert not found["allowed"]
        if step is ROLES:
            assert found["reason"] == f'rbac: RBAC: role.{RBAC} "of-joe" not found'
            await plane.client.resource(ROLES, where).create(role("of-joe", PODS))


async def test_everybody_may_see_health_and_who_is_known_may_discover(plane: Plane) -> None:
    def asked(user: str, group: str, path: str) -> dict[str, Any]:
        spec = {"user": user, "groups": [group], "nonResourceAttributes": {"verb": "get", "path": path}}
        return {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}

    reviews = plane.client.resource(REVIEWS)
    for user, group, path, allowed in (
        ("system:anonymous", "system:unauthenticated", "/healthz", True),
        ("system:anonymous", "system:unauthenticated", "/version", True),
        ("system:anonymous", "system:unauthenticated", "/api", False),
        ("jane", "system:authenticated", "/api", True),
        ("jane", "system:authenticated", "/metrics", False),
    ):
        answer = await reviews.create(asked(user, group, path))
        assert answer["status"]["allowed"] is allowed, path


async def test_all_rules_of_somebody_can_be_listed(plane: Plane) -> None:
    where = await namespace(plane, "listing")
    client = await give(plane, where, "lis", PODS)
    asked = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": where}}
    status = (await client.resource(RULES_REVIEWS).create(asked))["status"]
    assert {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]} in status["resourceRules"]
    assert any("/api" in rule["nonResourceURLs"] for rule in status["nonResourceRules"])
    assert status["incomplete"] is False


async def test_a_role_with_more_than_its_writer_has_is_refused(plane: Plane) -> None:
    where = await namespace(plane, "escalating")
    client = await give(plane, where, "ann", PODS, ROLE_WRITER)
    roles = client.resource(ROLES, where)
    await roles.create(role("fine", PODS))
    with pytest.raises(Forbidden) as refusal:
        await roles.create(role("more", {"apiGroups": [""], "resources": ["secrets"], "verbs": ["list", "get"]}))
    assert refusal.value.message == (
        f'roles.{RBAC} "more" is forbidden: user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC '
        'permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["list" "get"]}'
    )
    with pytest.raises(Forbidden):
        await roles.update(role("fine", PODS | {"verbs": ["*"]}))


async def test_a_role_is_bound_by_who_has_it_or_may_bind_it(plane: Plane) -> None:
    where = await namespace(plane, "binding")
    may_bind = {"apiGroups": [RBAC], "resources": ["clusterroles"], "verbs": ["bind"], "resourceNames": ["edit"]}
    client = await give(plane, where, "bob", may_bind, ROLE_WRITER)
    bindings = client.resource(BINDINGS, where)
    await bindings.create(binding("edit", "x", "edit", kind="ClusterRole"))
    await bindings.create(binding("own", "x", "of-bob"))
    with pytest.raises(Forbidden, match="attempting to grant RBAC permissions not currently held"):
        await bindings.create(binding("admin", "x", "cluster-admin", kind="ClusterRole"))
    with pytest.raises(NotFound, match=f'clusterroles.{RBAC} "none" not found'):
        await bindings.create(binding("none", "x", "none", kind="ClusterRole"))


async def test_roles_are_aggregated_by_masters_and_those_who_may_escalate(plane: Plane) -> None:
    gathered = {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}
    nobody = plane.client.acting_as("nobody", groups=["system:authenticated"])
    with pytest.raises(Forbidden, match="must have cluster-admin privileges to use the aggregationRule"):
        await nobody.resource(CLUSTER_ROLES).create(role("all", kind="ClusterRole", **gathered))
    controller = "system:serviceaccount:kube-system:clusterrole-aggregation-controller"
    for user, groups in ((controller, ["system:serviceaccounts"]), ("root", ["system:masters"])):
        client = plane.client.acting_as(user, groups=groups)
        try:
            await client.resource(CLUSTER_ROLES).create(role(f"all-{groups[0][-4:]}", kind="ClusterRole", **gathered))
        except APIError as error:
            pytest.fail(f"{user} was refused: {error}")
