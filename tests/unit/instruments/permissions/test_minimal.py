"""From what somebody has asked for to roles: exactly that, in few rules, and the same each time."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apiserver.authorization import Attributes, Demands
from localplane.apiserver.request import User
from localplane.instruments.permissions import minimal_rbac
from localplane.instruments.permissions.minimal import role_name
from tests.unit.filters.requests import make_request

ROBOT = "system:serviceaccount:shop:robot"


def asked(*requests: tuple[str, str], user: str = ROBOT) -> Demands:
    demands = Demands()
    for method, path in requests:
        demands.note(Attributes.of(User(user), make_request(method, path).info))
    return demands


def roles(demands: Demands, user: str = ROBOT, **options: Any) -> dict[str, list[dict[str, Any]]]:
    """The rules, by kind and namespace."""
    objects = minimal_rbac(user, demands.of(user), **options).objects
    return {
        f"{each['kind']} {each['metadata'].get('namespace', '')}".strip(): each["rules"]
        for each in objects
        if "rules" in each
    }


def test_what_is_in_a_namespace_is_a_role_there_and_the_rest_a_cluster_role() -> None:
    demands = asked(
        ("GET", "/api/v1/pods?watch=true"),
        ("GET", "/api/v1/nodes/n1"),
        ("GET", "/metrics"),
        ("GET", "/api/v1/namespaces/home"),
        ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web/status"),
        ("DELETE", "/api/v1/namespaces/home/secrets/key"),
    )
    assert roles(demands) == {
        "ClusterRole": [
            {"apiGroups": [""], "resources": ["namespaces", "nodes"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["watch"]},
            {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
        ],
        "Role home": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["delete"]}],
        "Role shop": [{"apiGroups": ["apps"], "resources": ["deployments/status"], "verbs": ["patch"]}],
    }


def test_resources_with_the_same_verbs_share_a_rule_and_verbs_come_in_their_usual_order() -> None:
    base = "/api/v1/namespaces/shop"
    demands = asked(
        *((method, f"{base}/{kind}/x") for kind in ("services", "configmaps") for method in ("DELETE", "PUT", "GET")),
        ("POST", f"{base}/services"),
        ("POST", f"{base}/configmaps"),
        ("DELETE", f"{base}/pods"),
    )
    assert roles(demands)["Role shop"] == [
        {"apiGroups": [""], "resources": ["configmaps", "services"], "verbs": ["get", "create", "update", "delete"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["deletecollection"]},
    ]


def test_what_may_be_done_everywhere_is_not_granted_once_more_in_a_namespace() -> None:
    demands = asked(("GET", "/api/v1/pods"), ("GET", "/api/v1/namespaces/shop/pods"))
    assert roles(demands) == {"ClusterRole": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]}


def test_names_are_told_only_on_request_and_only_where_all_were_named() -> None:
    base = "/api/v1/namespaces/shop/configmaps"
    demands = asked(("GET", f"{base}/b"), ("GET", f"{base}/a"), ("GET", base), ("PUT", f"{base}/a"))
    verbs = ["get", "list", "update"]
    assert roles(demands)["Role shop"] == [{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}]
    rule = {"apiGroups": [""], "resources": ["configmaps"]}
    assert roles(demands, resource_names=True)["Role shop"] == [
        {**rule, "verbs": ["list"]},
        {**rule, "resourceNames": ["a"], "verbs": ["update"]},
        {**rule, "resourceNames": ["a", "b"], "verbs": ["get"]},
    ]


def test_too_many_names_are_none() -> None:
    base = "/api/v1/namespaces/shop/pods"
    demands = asked(*(("DELETE", f"{base}/web-{number}") for number in range(300)))
    assert roles(demands, resource_names=True)["Role shop"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["delete"]}
    ]


def test_what_everybody_may_is_left_out_unless_it_is_wanted() -> None:
    reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    demands = asked(("GET", "/apis"), ("GET", "/openapi/v3"), ("GET", "/version"), ("POST", reviews))
    assert roles(demands) == {}
    assert roles(demands, everything=True) == {
        "ClusterRole": [
            {"apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews"], "verbs": ["create"]},
            {"nonResourceURLs": ["/apis", "/openapi/v3", "/version"], "verbs": ["get"]},
        ]
    }
    anonymous = asked(("GET", "/apis"), ("GET", "/version"), user="system:anonymous")
    assert roles(anonymous, "system:anonymous") == {"ClusterRole": [{"nonResourceURLs": ["/apis"], "verbs": ["get"]}]}


def test_the_binding_is_for_the_account_or_the_user() -> None:
    demands = asked(("GET", "/api/v1/namespaces/shop/pods"))
    _, binding = minimal_rbac(ROBOT, demands.of(ROBOT)).objects
    assert binding == {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "shop-robot", "namespace": "shop"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "shop-robot"},
        "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": "shop"}],
    }
    demands = asked(("GET", "/api/v1/nodes"), user="Jane@Example.com")
    role, binding = minimal_rbac("Jane@Example.com", demands.of("Jane@Example.com")).objects
    assert (role["metadata"], binding["kind"]) == ({"name": "jane-example.com"}, "ClusterRoleBinding")
    assert binding["subjects"] == [
        {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "Jane@Example.com"}
    ]


@pytest.mark.parametrize(
    ("user", "name"),
    [
        (ROBOT, "shop-robot"),
        ("jane", "jane"),
        ("../..", "user"),
        ("a/b%c", "a-b-c"),
        ("Ünï", "n"),
        ("x" * 999, "x" * 200),
    ],
)
def test_every_user_has_a_name_that_a_role_can_have(user: str, name: str) -> None:
    assert role_name(user) == name


def test_it_warns_of_what_a_role_alone_does_not_allow() -> None:
    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop"
    demands = asked(("POST", f"{path}/roles"), ("PATCH", f"{path}/rolebindings/x"))
    assert minimal_rbac(ROBOT, demands.of(ROBOT)).warnings == [
        f"{ROBOT} writes roles: it also needs what they grant, or the verb escalate on them",
        f"{ROBOT} writes bindings: it also needs what their roles grant, or the verb bind on these",
    ]


def test_one_who_floods_it_takes_nothing_from_others() -> None:
    demands = asked(*(("GET", f"/made/up/{number}") for number in range(10_100)), user="system:anonymous")
    assert (len(demands.of("system:anonymous")), demands.forgotten) == (10_000, 100)
    demands.note(Attributes.of(User("jane"), make_request("GET", "/api/v1/nodes").info))
    demands.note(Attributes.of(User("jane"), make_request("GET", "/x" * 2000).info))
    assert [demand.resource for demand in demands.of("jane")] == ["nodes"]
    assert demands.forgotten == 101


def test_what_only_a_plane_of_ours_has_is_in_no_role_unless_it_is_asked_for() -> None:
    demands = asked(("GET", "/localplane/v1/requests"), ("GET", "/localplane/v1/history/object"), ("GET", "/metrics"))
    assert roles(demands) == {"ClusterRole": [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]}
    [rule] = roles(demands, everything=True)["ClusterRole"]
    assert rule["nonResourceURLs"] == ["/localplane/v1/history/object", "/localplane/v1/requests", "/metrics"]
