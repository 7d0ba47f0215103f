"""Roles beside what was asked for: what is missing, what is too much, and what is no role at all."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.instruments.permissions import Check, InvalidRoles, check_roles, minimal_rbac
from tests.unit.instruments.permissions.test_minimal import ROBOT, asked

API = "rbac.authorization.k8s.io/v1"
PODS = "/api/v1/namespaces/shop/pods"


def role(*rules: dict[str, Any], kind: str = "Role", name: str = "robot", namespace: str = "shop") -> dict[str, Any]:
    metadata = {"name": name} if kind == "ClusterRole" else {"name": name, "namespace": namespace}
    return {"apiVersion": API, "kind": kind, "metadata": metadata, "rules": list(rules)}


def pods(*verbs: str, **more: list[str]) -> dict[str, Any]:
    return {"apiGroups": [""], "resources": ["pods"], **more, "verbs": list(verbs)}


def bound(kind: str, name: str, subject: dict[str, str], *, everywhere: bool = False) -> dict[str, Any]:
    metadata = {"name": "b"} if everywhere else {"name": "b", "namespace": "shop"}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}
    binding = "ClusterRoleBinding" if everywhere else "RoleBinding"
    return {"apiVersion": API, "kind": binding, "metadata": metadata, "roleRef": reference, "subjects": [subject]}


def checked(*objects: Any, requests: tuple[tuple[str, str], ...] = (("GET", PODS),)) -> Check:
    return check_roles(ROBOT, asked(*requests).of(ROBOT), objects)


def test_a_role_of_just_what_was_asked_is_neither_too_small_nor_too_wide() -> None:
    requests = (
        ("GET", PODS),
        ("GET", "/api/v1/nodes"),
        ("GET", "/metrics"),
        ("DELETE", f"{PODS}/web"),
        ("GET", "/apis"),
    )
    demands = asked(*requests).of(ROBOT)
    for names in (False, True):
        assert check_roles(ROBOT, demands, minimal_rbac(ROBOT, demands, resource_names=names).objects) == Check()


def test_what_was_asked_for_and_is_not_granted_is_missing() -> None:
    found = checked(role(pods("list")), requests=(("GET", PODS), ("DELETE", f"{PODS}/web"), ("GET", "/metrics")))
    assert [each.document() for each in found.missing] == [
        {"rule": {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}},
        {
            "namespace": "shop",
            "rule": {"apiGroups": [""], "resources": ["pods"], "resourceNames": ["web"], "verbs": ["delete"]},
        },
    ]


def test_a_role_of_another_namespace_does_not_help() -> None:
    found = checked(role(pods("list"), namespace="home"))
    assert [each.namespace for each in found.missing] == ["shop"]
    assert [(each.role, each.rule["verbs"]) for each in found.unused] == [("Role home/robot", ["list"])]


def test_what_is_granted_and_was_not_asked_for_is_unused() -> None:
    found = checked(
        role(pods("list", "delete"), {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]})
    )
    assert (found.missing, found.wide) == ([], [])
    assert [each.document() for each in found.unused] == [
        {"role": "Role shop/robot", "namespace": "shop", "rule": pods("delete")},
        {
            "role": "Role shop/robot",
            "namespace": "shop",
            "rule": {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]},
        },
    ]


def test_names_that_were_not_asked_for_are_unused() -> None:
    found = checked(role(pods("get", resourceNames=["web", "db"])), requests=(("GET", f"{PODS}/web"),))
    assert found.missing == []
    assert [each.rule for each in found.unused] == [pods("get", resourceNames=["db"])]


@pytest.mark.parametrize(
    "rule",
    [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["*"]},
        {"apiGroups": ["*"], "resources": ["pods"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["*"], "verbs": ["list"]},
    ],
)
def test_a_star_is_too_wide_even_if_it_is_used(rule: dict[str, Any]) -> None:
    found = checked(role(rule))
    assert (found.missing, found.unused) == ([], [])
    assert [(each.rule, each.asked) for each in found.wide] == [(rule, [pods("list")])]


def test_a_path_with_a_star_is_too_wide() -> None:
    rule = {"nonResourceURLs": ["/metrics/*"], "verbs": ["get"]}
    found = checked(role(rule, kind="ClusterRole"), requests=(("GET", "/metrics/slis"),))
    assert [(each.role, each.rule) for each in found.wide] == [("ClusterRole robot", rule)]


def test_a_cluster_role_that_is_bound_in_a_namespace_is_his_there_only() -> None:
    account = {"kind": "ServiceAccount", "name": "robot", "namespace": "shop"}
    objects = (role(pods("list"), kind="ClusterRole"), bound("ClusterRole", "robot", account))
    assert checked(*objects) == Check()
    assert [each.namespace for each in checked(*objects, requests=(("GET", "/api/v1/pods"),)).missing] == [""]
    assert checked(*objects[:1], bound("ClusterRole", "robot", account, everywhere=True)) == Check()


def test_roles_of_others_do_not_count() -> None:
    account = {"kind": "ServiceAccount", "name": "robot", "namespace": "shop"}
    others = role(pods("delete"), name="other")
    assert checked(role(pods("list")), others, bound("Role", "robot", account)) == Check()
    group = {"kind": "Group", "name": "system:serviceaccounts:shop", "apiGroup": "rbac.authorization.k8s.io"}
    assert checked(role(pods("list")), others, bound("Role", "robot", group)) == Check()


@pytest.mark.parametrize(
    ("objects", "sentence"),
    [
        ([{"kind": "Pod", "apiVersion": "v1"}], "there is no Role and no ClusterRole in it"),
        (["x"], "it holds something that is no object"),
        ([{"apiVersion": API, "kind": "Role"}], "a Role has no name"),
        (
            [role(pods("get")), bound("Role", "robot", {"kind": "User", "name": "x"})],
            f"none of its bindings is for {ROBOT}",
        ),
        (
            [role(pods("get")), bound("Role", "gone", {"kind": "Group", "name": "system:authenticated"})],
            "RoleBinding b refers to Role gone, which is not in it",
        ),
        ([role({"verbs": "get"})], "Role shop/robot: rules[0] is no rule"),
        ([{**role(), "rules": "all"}], "Role shop/robot: rules[0] is no rule"),
        (
            [{**role(kind="ClusterRole"), "aggregationRule": {"clusterRoleSelectors": [{}]}}],
            "ClusterRole robot is aggregated: check the roles that it is made of",
        ),
        (
            [role({"verbs": ["v"] * 100, "apiGroups": ["g"] * 100, "resources": ["r"] * 100})],
            "Role shop/robot has more rules than can be compared with what was asked for",
        ),
    ],
)
def test_what_is_no_role_is_refused(objects: list[Any], sentence: str) -> None:
    with pytest.raises(InvalidRoles) as refusal:
        checked(*objects)
    assert str(refusal.value) == sentence
