"""Acting as somebody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from localplane.apimachinery.errors import BadRequest, Forbidden
from localplane.apiserver.audit import EVERYTHING_AT_METADATA, Auditor, Stage
from localplane.apiserver.authorization import ALLOWED, NO_OPINION, Attributes, Decision, PrivilegedGroups
from localplane.apiserver.endpoints.filters import impersonation
from localplane.apiserver.request import Request, User
from tests.unit.audit.backend import Kept
from tests.unit.filters.requests import ADMIN, JANE, Recorded, make_request

Headers = Mapping[str, str | Sequence[str]]
PODS = "/api/v1/namespaces/d/pods"


class Grants:
    """Allows what is listed: `verb group/resource[/subresource] [namespace:]name`."""

    def __init__(self, *grants: str) -> None:
        self._grants = grants
        self.asked: list[str] = []

    async def authorize(self, attributes: Attributes) -> Decision:
        resource = f"{attributes.group}/{attributes.resource}"
        if attributes.subresource:
            resource += f"/{attributes.subresource}"
        name = f"{attributes.namespace}:{attributes.name}" if attributes.namespace else attributes.name
        question = f"{attributes.verb} {resource} {name}"
        self.asked.append(question)
        return ALLOWED if question in self._grants else NO_OPINION


def request_as(headers: Headers, user: User = ADMIN, url: str = PODS) -> Request:
    return make_request("GET", url, headers=headers, user=user)


async def impersonated(headers: Headers, user: User = ADMIN) -> User:
    handler = Recorded()
    await impersonation(PrivilegedGroups())(handler)(request_as(headers, user))
    return handler.user


async def refusal(grants: Grants, headers: Headers, user: User = JANE) -> str:
    handler = Recorded()
    with pytest.raises(Forbidden) as refused:
        await impersonation(grants)(handler)(request_as(headers, user))
    assert not handler.requests
    return refused.value.message


async def test_without_the_headers_nothing_changes() -> None:
    grants, handler = Grants(), Recorded()
    await impersonation(grants)(handler)(request_as({"Accept": "a"}, JANE))
    assert handler.user is JANE
    assert not grants.asked


async def test_a_user_with_groups_uid_and_extra() -> None:
    headers: Headers = {
        "Impersonate-User": "jane",
        "Impersonate-Group": ["dev", "ops"],
        "Impersonate-Uid": "007",
        "Impersonate-Extra-Scopes": ["a", "b"],
    }
    assert await impersonated(headers) == User(
        "jane", uid="007", groups=("dev", "ops", "system:authenticated"), extra={"scopes": ("a", "b")}
    )


async def test_a_service_account_has_its_groups() -> None:
    user = await impersonated({"Impersonate-User": "system:serviceaccount:d:sa"})
    assert user.groups == ("system:serviceaccounts", "system:serviceaccounts:d", "system:authenticated")


async def test_groups_that_are_given_replace_a_service_accounts_own() -> None:
    user = await impersonated({"Impersonate-User": "system:serviceaccount:d:sa", "Impersonate-Group": "dev"})
    assert user.groups == ("dev", "system:authenticated")


async def test_a_name_that_only_looks_like_a_service_account_is_a_user() -> None:
    user = await impersonated({"Impersonate-User": "system:serviceaccount:Not_A_Namespace:sa"})
    assert user.groups == ("system:authenticated",)


async def test_a_node_has_its_group() -> None:
    assert (await impersonated({"Impersonate-User": "system:node:n1"})).groups == (
        "system:nodes",
        "system:authenticated",
    )


@pytest.mark.parametrize(
    ("headers", "groups"),
    [
        ({"Impersonate-User": "system:anonymous"}, ("system:unauthenticated",)),
        ({"Impersonate-User": "x", "Impersonate-Group": "system:unauthenticated"}, ("system:unauthenticated",)),
        ({"Impersonate-User": "x", "Impersonate-Group": "system:authenticated"}, ("system:authenticated",)),
    ],
)
async def test_the_group_of_the_known_is_added_where_it_belongs(headers: Headers, groups: tuple[str, ...]) -> None:
    assert (await impersonated(headers)).groups == groups


async def test_an_administrator_may_become_an_administrator_the_old_way() -> None:
    user = await impersonated({"Impersonate-User": "root", "Impersonate-Group": "system:masters"})
    assert user.groups == ("system:masters", "system:authenticated")


async def test_extra_keys_may_be_escaped() -> None:
    headers = {"Impersonate-User": "x", "Impersonate-Extra-Acme.com%2FProject": "some"}
    assert (await impersonated(headers)).extra == {"acme.com/project": ("some",)}


async def test_nobody_further_in_knows() -> None:
    handler = Recorded()
    headers = {"Impersonate-User": "x", "Impersonate-Extra-Scopes": "a", "Accept": "b"}
    await impersonation(PrivilegedGroups())(handler)(request_as(headers))
    assert dict(handler.requests[0].headers) == {"accept": "b"}
    assert handler.requests[0].header_values("impersonate-user") == ()


@pytest.mark.parametrize(
    ("headers", "user"),
    [
        (
            {"Impersonate-Group": "g"},
            'Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)',
        ),
        (
            {"Impersonate-Uid": "1", "Impersonate-Extra-B": ["x", "y"], "Impersonate-Extra-A": "z"},
            (
                'Name:"", UID:"1", Groups:[]string(nil), '
                'Extra:map[string][]string{"a":[]string{"z"}, "b":[]string{"x", "y"}}'
            ),
        ),
    ],
)
async def test_a_user_must_be_named(headers: Headers, user: str) -> None:
    with pytest.raises(BadRequest) as refused:
        await impersonated(headers)
    assert refused.value.message == f"requested &user.DefaultInfo{{{user}}} without impersonating a user name"


async def test_who_may_not_is_told_of_the_first_thing_that_is_missing() -> None:
    assert await refusal(Grants(), {"Impersonate-User": "bob"}) == (
        'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" '
        'in the namespace "d"'
    )


async def test_the_old_permission_is_enough() -> None:
    grants = Grants("impersonate /users bob", "impersonate /groups dev", "impersonate authentication.k8s.io/uids 1")
    handler = Recorded()
    headers = {"Impersonate-User": "bob", "Impersonate-Group": "dev", "Impersonate-Uid": "1"}
    await impersonation(grants)(handler)(request_as(headers, JANE))
    assert handler.user.name == "bob"


@pytest.mark.parametrize(
    "headers",
    [
        {"Impersonate-User": "eve"},
        {"Impersonate-User": "bob", "Impersonate-Group": "ops"},
        {"Impersonate-User": "bob", "Impersonate-Group": ["dev", "ops"]},
        {"Impersonate-User": "bob", "Impersonate-Uid": "2"},
        {"Impersonate-User": "bob", "Impersonate-Extra-Scopes": "b"},
        {"Impersonate-User": "bob", "Impersonate-Extra-Scopes": ["a", "b"]},
        {"Impersonate-User": "system:serviceaccount:d:bob"},
    ],
)
async def test_every_single_thing_must_be_allowed(headers: Headers) -> None:
    grants = Grants(
        "impersonate /users bob",
        "impersonate /users system:serviceaccount:d:bob",
        "impersonate /groups dev",
        "impersonate authentication.k8s.io/uids 1",
        "impersonate authentication.k8s.io/userextras/scopes a",
    )
    await refusal(grants, headers)


async def test_a_service_account_is_authorized_as_what_it_is() -> None:
    grants, handler = Grants("impersonate /serviceaccounts d:sa"), Recorded()
    await impersonation(grants)(handler)(request_as({"Impersonate-User": "system:serviceaccount:d:sa"}, JANE))
    assert handler.user.name == "system:serviceaccount:d:sa"


async def test_a_constrained_mode_needs_both_permissions() -> None:
    both = ("impersonate-on:user-info:list /pods d:", "impersonate:user-info authentication.k8s.io/users bob")
    handler = Recorded()
    await impersonation(Grants(*both))(handler)(request_as({"Impersonate-User": "bob"}, JANE))
    assert handler.user.name == "bob"
    for one in both:
        await refusal(Grants(one), {"Impersonate-User": "bob"})


async def test_no_constrained_mode_makes_an_administrator() -> None:
    grants = Grants(
        "impersonate-on:user-info:list /pods d:",
        "impersonate:user-info authentication.k8s.io/users bob",
        "impersonate:user-info authentication.k8s.io/groups system:masters",
    )
    message = await refusal(grants, {"Impersonate-User": "bob", "Impersonate-Group": "system:masters"})
    assert message.endswith("impersonating the system:masters group is not allowed")


async def test_many_groups_may_be_allowed_at_once() -> None:
    grants = Grants(
        "impersonate-on:user-info:list /pods d:",
        "impersonate:user-info authentication.k8s.io/users bob",
        "impersonate:user-info authentication.k8s.io/groups *",
    )
    handler = Recorded()
    headers = {"Impersonate-User": "bob", "Impersonate-Group": ["a", "b", "c", "d"]}
    await impersonation(grants)(handler)(request_as(headers, JANE))
    assert handler.user.groups[:4] == ("a", "b", "c", "d")
    await refusal(grants, {"Impersonate-User": "bob", "Impersonate-Group": ["a", "b", "c"]})


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("Scopes", "a", 'extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")'),
        ("Acme.com%2FX", "", "impersonating the empty string value in extra is not allowed"),
        ("Acme.com%2F%58", "a", 'impersonating a non-lowercase key in extra is not allowed: "acme.com/X"'),
        ("Acme.com%2Fa%20b", "a", "Invalid path"),
    ],
)
async def test_constrained_modes_are_strict_about_extra(name: str, value: str, problem: str) -> None:
    grants = Grants("impersonate-on:user-info:list /pods d:", "impersonate:user-info authentication.k8s.io/users bob")
    message = await refusal(grants, {"Impersonate-User": "bob", f"Impersonate-Extra-{name}": value})
    assert problem in message


NODE_AGENT = User("system:serviceaccount:d:agent", extra={"authentication.kubernetes.io/node-name": ("n1",)})


async def test_an_agent_may_be_its_own_node_and_no_other() -> None:
    grants = Grants(
        "impersonate-on:associated-node:list /pods d:", "impersonate:associated-node authentication.k8s.io/nodes *"
    )
    handler = Recorded()
    await impersonation(grants)(handler)(request_as({"Impersonate-User": "system:node:n1"}, NODE_AGENT))
    assert handler.user == User("system:node:n1", groups=("system:nodes", "system:authenticated"))
    await refusal(grants, {"Impersonate-User": "system:node:n2"}, NODE_AGENT)
    await refusal(grants, {"Impersonate-User": "system:node:n1"}, JANE)


async def test_the_audit_log_knows_both() -> None:
    request = request_as({"Impersonate-User": "bob"})
    event = Auditor(EVERYTHING_AT_METADATA, Kept()).begin(request)
    assert event is not None
    await impersonation(PrivilegedGroups())(Recorded())(request)
    document = event.document(Stage.RESPONSE_COMPLETE)
    assert document["user"]["username"] == "admin"
    assert document["impersonatedUser"] == {"username": "bob", "groups": ["system:authenticated"]}
    assert document["authenticationMetadata"] == {"impersonationConstraint": "impersonate:user-info"}
