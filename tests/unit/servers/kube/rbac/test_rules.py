"""What a rule allows, and what rules lack."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apiserver.authorization import Attributes
from localplane.apiserver.request import User
from localplane.servers.kube.rbac.bindings import BindingIndex
from localplane.servers.kube.rbac.coverage import described, uncovered
from localplane.servers.kube.rbac.rules import CompiledRule

JANE = User("jane", groups=("dev", "system:authenticated"))


def rule(verbs: str, groups: str = "", resources: str = "", names: str = "", urls: str = "") -> dict[str, Any]:
    """Words, with `core` for the group without a name."""
    found = {
        "verbs": verbs.split(),
        "apiGroups": [word.replace("core", "") for word in groups.split()],
        "resources": resources.split(),
        "resourceNames": names.split(),
        "nonResourceURLs": urls.split(),
    }
    return {field: words for field, words in found.items() if words}


def asked(verb: str, what: str) -> Attributes:
    """A path, or a resource: `pods`, `pods/log`, `pods:name`."""
    if what.startswith("/"):
        return Attributes(JANE, verb, is_resource=False, path=what)
    whole, _, name = what.partition(":")
    plural, _, subresource = whole.partition("/")
    return Attributes(JANE, verb, resource=plural, subresource=subresource, name=name)


@pytest.mark.parametrize(
    ("given", "verb", "resource"),
    [
        (rule("get", "core", "pods"), "get", "pods"),
        (rule("*", "core", "pods"), "list", "pods"),
        (rule("get", "*", "*"), "get", "pods/log"),
        (rule("get", "core", "pods/log"), "get", "pods/log"),
        (rule("get", "core", "*/log"), "get", "pods/log"),
        (rule("get", "core", "pods", names="a b"), "get", "pods:a"),
        (rule("get", urls="/healthz"), "get", "/healthz"),
        (rule("get", urls="/healthz/*"), "get", "/healthz/etcd"),
        (rule("get", urls="*"), "get", "/anything"),
    ],
)
def test_a_rule_allows_what_it_names(given: dict[str, Any], verb: str, resource: str) -> None:
    assert CompiledRule(given).allows(asked(verb, resource))


@pytest.mark.parametrize(
    ("given", "verb", "resource"),
    [
        (rule("get", "core", "pods"), "list", "pods"),
        (rule("get", "apps", "pods"), "get", "pods"),
        (rule("get", "core", "pods"), "get", "pods/log"),
        (rule("get", "core", "*/log"), "get", "pods"),
        (rule("get", "core", "pods", names="a b"), "get", "pods:c"),
        (rule("get", "core", "pods", names="a b"), "get", "pods"),
        (rule("get", urls="*"), "get", "pods"),
        (rule("get", urls="/healthz"), "get", "/healthz/etcd"),
        (rule("get", "*", "*"), "get", "/anything"),
    ],
)
def test_a_rule_allows_nothing_else(given: dict[str, Any], verb: str, resource: str) -> None:
    assert not CompiledRule(given).allows(asked(verb, resource))


def binding(name: str, *subjects: dict[str, str], role: str = "r") -> dict[str, Any]:
    return {"metadata": {"name": name}, "roleRef": {"kind": "Role", "name": role}, "subjects": list(subjects)}


@pytest.mark.parametrize(
    ("subject", "description"),
    [
        ({"kind": "User", "name": "jane"}, 'RoleBinding "b/ns" of Role "r" to User "jane"'),
        ({"kind": "Group", "name": "dev"}, 'RoleBinding "b/ns" of Role "r" to Group "dev"'),
        ({"kind": "User", "name": "dev"}, None),
        ({"kind": "Group", "name": "jane"}, None),
    ],
)
def test_a_binding_is_about_its_subjects(subject: dict[str, str], description: str | None) -> None:
    found = BindingIndex([binding("b", subject)], "ns").of(JANE)
    assert [grant.description for grant in found] == ([description] if description else [])


def test_a_service_account_is_of_the_bindings_namespace_unless_it_says_another() -> None:
    here, there = {"kind": "ServiceAccount", "name": "a"}, {"kind": "ServiceAccount", "name": "a", "namespace": "other"}
    index = BindingIndex([binding("b", here, there)], "ns")
    assert [grant.description for grant in index.of(User("system:serviceaccount:ns:a"))] == [
        'RoleBinding "b/ns" of Role "r" to ServiceAccount "a/ns"'
    ]
    assert [grant.description for grant in index.of(User("system:serviceaccount:other:a"))] == [
        'RoleBinding "b/ns" of Role "r" to ServiceAccount "a/other"'
    ]


def test_grants_come_in_the_order_of_the_bindings_and_once_for_each() -> None:
    user, group = {"kind": "User", "name": "jane"}, {"kind": "Group", "name": "dev"}
    index = BindingIndex([binding("a", group), binding("b", group, user), binding("c", user)], "")
    assert [grant.description.split('"')[1] for grant in index.of(JANE)] == ["a", "b", "c"]
    assert 'to Group "dev"' in index.of(JANE)[1].description


@pytest.mark.parametrize(
    ("owned", "given", "lacking"),
    [
        ([rule("*", "*", "*")], [rule("get list", "core", "pods secrets")], []),
        (
            [rule("get", "core", "pods")],
            [rule("get list", "core", "pods")],
            ['{APIGroups:[""], Resources:["pods"], Verbs:["list"]}'],
        ),
        (
            [],
            [rule("get list", "core", "pods"), rule("get", urls="/x")],
            ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}', '{NonResourceURLs:["/x"], Verbs:["get"]}'],
        ),
        ([rule("get", "core", "pods", names="a")], [rule("get", "core", "pods", names="a")], []),
        (
            [rule("get", "core", "pods", names="a")],
            [rule("get", "core", "pods")],
            ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
        ),
        ([rule("get", "core", "pods")], [rule("get", "core", "pods", names="a")], []),
        ([rule("get", "core", "*/status")], [rule("get", "core", "pods/status")], []),
        (
            [rule("get", "core", "*/status")],
            [rule("get", "core", "pods")],
            ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
        ),
        ([rule("get", urls="/api/*")], [rule("get", urls="/api/v1")], []),
    ],
)
def test_nobody_gives_away_what_they_lack(
    owned: list[dict[str, Any]], given: list[dict[str, Any]], lacking: list[str]
) -> None:
    assert described(uncovered(owned, given)) == lacking
