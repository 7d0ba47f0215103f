"""Every request belongs to the first flow schema that matches it."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.endpoints.filters import flow_control
from localplane.apiserver.endpoints.filters.response_headers import with_common_headers
from localplane.apiserver.endpoints.request_info import resolve
from localplane.apiserver.flow_control import FlowSchemas, InFlight
from localplane.apiserver.request import Query, User
from tests.unit.filters.requests import JANE, Recorded, make_request

SCHEMA, LEVEL = "X-Kubernetes-PF-FlowSchema-UID", "X-Kubernetes-PF-PriorityLevel-UID"
ROBOT = User("system:serviceaccount:ns:robot", groups=("system:serviceaccounts",))


def schema(name: str, precedence: int, *rules: JSONObject, level: str = "low") -> JSONObject:
    spec = {
        "matchingPrecedence": precedence,
        "priorityLevelConfiguration": {"name": level},
        "rules": [{"subjects": [group("*")], "resourceRules": [resources()], "nonResourceRules": [paths("*")]}],
    }
    if rules:
        spec["rules"] = list(rules)
    return {"metadata": {"name": name, "uid": f"{name}-uid"}, "spec": spec}


def level(name: str) -> JSONObject:
    return {"metadata": {"name": name, "uid": f"{name}-uid"}}


def group(name: str) -> JSONObject:
    return {"kind": "Group", "group": {"name": name}}


def user(name: str) -> JSONObject:
    return {"kind": "User", "user": {"name": name}}


def account(namespace: str, name: str) -> JSONObject:
    return {"kind": "ServiceAccount", "serviceAccount": {"namespace": namespace, "name": name}}


def resources(**rule: Any) -> JSONObject:
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": True}
    return everything | rule


def paths(*urls: str) -> JSONObject:
    return {"verbs": ["*"], "nonResourceURLs": list(urls)}


def matched(schemas: FlowSchemas, url: str, who: User = JANE, *, method: str = "GET") -> str:
    """The name of the schema."""
    found = schemas.headers_for(who, resolve(method, url, Query({})))
    again = schemas.headers_for(who, resolve(method, url, Query({})))
    assert found == again
    return found.get(SCHEMA, "").removesuffix("-uid")


def in_force(*schemas: JSONObject) -> FlowSchemas:
    found = FlowSchemas()
    found.replace(schemas, [level("low")])
    return found


PODS = "/api/v1/namespaces/ns/pods"


def test_the_one_with_the_lowest_precedence_wins_and_then_the_name() -> None:
    assert matched(in_force(schema("b", 1), schema("c", 0), schema("a", 1)), PODS) == "c"
    assert matched(in_force(schema("b", 1), schema("a", 1)), PODS) == "a"


def test_one_whose_level_is_missing_is_not_in_force() -> None:
    schemas = in_force(schema("dangling", 1, level="gone"), schema("other", 2))
    assert matched(schemas, PODS) == "other"
    assert schemas.headers_for(JANE, resolve("GET", PODS, Query({}))) == {SCHEMA: "other-uid", LEVEL: "low-uid"}


def test_without_any_nothing_is_said() -> None:
    assert FlowSchemas().headers_for(JANE, resolve("GET", PODS, Query({}))) == {}
    assert in_force(schema("a", 1)).headers_for(None, resolve("GET", PODS, Query({}))) == {}


@pytest.mark.parametrize(
    ("subject", "who", "is_matched"),
    [
        (user("jane"), JANE, True),
        (user("*"), JANE, True),
        (user("joe"), JANE, False),
        (group("system:authenticated"), JANE, True),
        (group("system:masters"), JANE, False),
        (account("ns", "robot"), ROBOT, True),
        (account("ns", "*"), ROBOT, True),
        (account("ns", "other"), ROBOT, False),
        (account("n", "*"), ROBOT, False),
        (account("ns", "*"), JANE, False),
    ],
)
def test_subjects_are_users_groups_and_accounts(subject: JSONObject, who: User, *, is_matched: bool) -> None:
    schemas = in_force(schema("a", 1, {"subjects": [subject], "resourceRules": [resources()]}))
    assert matched(schemas, PODS, who) == ("a" if is_matched else "")


@pytest.mark.parametrize(
    ("rule", "url", "is_matched"),
    [
        (resources(verbs=["list"]), PODS, True),
        (resources(verbs=["create"]), PODS, False),
        (resources(resources=["pods"]), PODS, True),
        (resources(resources=["pods"]), f"{PODS}/p/status", False),
        (resources(resources=["pods/status"]), f"{PODS}/p/status", True),
        (resources(apiGroups=["apps"]), PODS, False),
        (resources(namespaces=["ns"]), PODS, True),
        (resources(namespaces=["other"]), PODS, False),
        (resources(clusterScope=False), "/api/v1/nodes", False),
        (resources(namespaces=[]), "/api/v1/nodes", True),
        (resources(), "/healthz", False),
    ],
)
def test_resources_are_matched_by_verb_group_resource_and_namespace(
    rule: JSONObject, url: str, *, is_matched: bool
) -> None:
    schemas = in_force(schema("a", 1, {"subjects": [group("*")], "resourceRules": [rule]}))
    assert matched(schemas, url) == ("a" if is_matched else "")


@pytest.mark.parametrize(
    ("path", "url", "is_matched"),
    [
        ("*", "/healthz", True),
        ("/healthz", "/healthz", True),
        ("/healthz", "/healthz/ping", True),
        ("/healthz", "/healthzz", False),
        ("/openapi/*", "/openapi/v3", True),
        ("/openapi/*", PODS, False),
    ],
)
def test_paths_cover_what_is_below_them(path: str, url: str, *, is_matched: bool) -> None:
    schemas = in_force(schema("a", 1, {"subjects": [group("*")], "nonResourceRules": [paths(path)]}))
    assert matched(schemas, url) == ("a" if is_matched else "")


def test_a_namespace_of_its_own_is_not_taken_for_others() -> None:
    mine = {"subjects": [group("*")], "resourceRules": [resources(namespaces=["mine"])]}
    schemas = in_force(schema("mine", 1, mine), schema("rest", 2))
    for _ in range(2):
        assert matched(schemas, "/api/v1/namespaces/mine/pods") == "mine"
        assert matched(schemas, "/api/v1/namespaces/yours/pods") == "rest"
        assert matched(schemas, "/api/v1/namespaces/theirs/pods") == "rest"


def test_what_changes_is_seen_at_once() -> None:
    schemas = in_force(schema("old", 1))
    assert matched(schemas, PODS) == "old"
    schemas.replace([schema("new", 1)], [level("low")])
    assert matched(schemas, PODS) == "new"


def test_levels_have_seats_by_their_shares() -> None:
    schemas = FlowSchemas()
    assert schemas.seats(600) == {}
    levels = [
        level("low") | {"spec": {"limited": {"nominalConcurrencyShares": 10}}},
        level("high") | {"spec": {"limited": {}}},
        level("free") | {"spec": {"exempt": {}}},
    ]
    schemas.replace([], levels)
    assert schemas.seats(600) == {"low": 150, "high": 450, "free": 0}


async def test_answers_say_to_which_flow_their_requests_belong() -> None:
    serve = flow_control(InFlight(), in_force(schema("a", 1)))(Recorded())

    async def headers(url: str) -> dict[str, str]:
        request = make_request("GET", url, user=JANE)
        return with_common_headers(request, await serve(request)).headers

    for url in (PODS, f"{PODS}?watch=true", "/healthz"):
        found = await headers(url)
        assert (found[SCHEMA], found[LEVEL]) == ("a-uid", "low-uid")
    assert SCHEMA not in await headers(f"{PODS}/p/exec")
