"""Which requests the rules strike, how often, and what is recorded of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.apiserver.faults import Faults, RuleExists
from localplane.apiserver.faults.active_rule import ActiveRule
from localplane.apiserver.faults.rule import fits
from localplane.apiserver.faults.rule_form import read_rules
from localplane.apiserver.request import Request, User
from tests.unit.server.asking import about, ask


def faults_of(*forms: dict[str, Any]) -> Faults:
    faults = Faults()
    faults.add(read_rules(list(forms)))
    return faults


def request(
    verb: str = "update",
    resource: str = "deployments",
    *,
    group: str = "apps",
    name: str = "web",
    namespace: str = "shop",
    subresource: str = "",
    user: User | None = None,
    user_agent: str = "operator/v1",
) -> Request:
    info = about(verb, resource, name=name, namespace=namespace, subresource=subresource)
    info.group = group
    made = ask(f"/apis/{group}/v1/namespaces/{namespace}/{resource}/{name}", info=info, user_agent=user_agent)
    made.user = user or User("alice", groups=("developers",))
    return made


def struck(faults: Faults, made: Request) -> str:
    found = faults.striking(made, name=made.info.name)
    return found.rule.name if found else ""


@pytest.mark.parametrize(
    ("match", "other"),
    [
        ({"users": ["al*"]}, request(user=User("bob"))),
        ({"groups": ["dev*s"]}, request(user=User("alice", groups=("operators",)))),
        ({"userAgents": ["operator/*"]}, request(user_agent="kubectl/v1")),
        ({"verbs": ["update", "patch"]}, request("get")),
        ({"resources": ["deployments"]}, request(subresource="status")),
        ({"resources": ["deployments.apps"]}, request(group="extensions")),
        ({"resources": ["*"], "names": ["w*b"]}, request(name="web-2")),
        ({"namespaces": ["shop"]}, request(namespace="")),
        ({"names": ["web"]}, request(name="db")),
        ({"paths": ["/apis/apps/*/web"]}, request(name="db")),
    ],
)
def test_a_request_has_to_fit_all_that_a_rule_says(match: dict[str, Any], other: Request) -> None:
    faults = faults_of({"name": "it", "match": match, "do": {"answer": 500}})
    assert (struck(faults, request()), struck(faults, other)) == ("it", "")


@pytest.mark.parametrize(
    ("pattern", "resources"),
    [
        ("deployments", ["deployments"]),
        ("deployments/status", ["deployments/status"]),
        ("deployments/*", ["deployments/status", "deployments/scale"]),
        ("*/scale", ["deployments/scale", "replicasets/scale"]),
        ("*", ["deployments", "deployments/status", "deployments/scale", "replicasets/scale"]),
        ("*.apps", ["deployments", "deployments/status", "deployments/scale", "replicasets/scale"]),
        ("*.batch", []),
    ],
)
def test_resources_are_named_as_in_roles(pattern: str, resources: list[str]) -> None:
    faults = faults_of({"name": "it", "match": {"resources": [pattern]}, "do": {"answer": 500}})
    names = ["deployments", "deployments/status", "deployments/scale", "replicasets/scale"]
    parts = {name: name.partition("/") for name in names}
    asked = {name: request("get", resource, subresource=sub) for name, (resource, _, sub) in parts.items()}
    assert [name for name, made in asked.items() if struck(faults, made)] == resources


def test_paths_that_are_no_resources_are_hit_by_who_names_them_alone() -> None:
    discovery = ask("/apis/apps/v1")
    discovery.info.verb = "get"
    faults = faults_of(
        {"do": {"answer": 503}}, {"name": "discovery", "match": {"paths": ["/apis/*"]}, "do": {"answer": 503}}
    )
    assert struck(faults, discovery) == "discovery"


@pytest.mark.parametrize(
    ("when", "numbers"),
    [
        ({}, [1, 2, 3, 4, 5, 6, 7, 8]),
        ({"first": 2}, [1, 2]),
        ({"every": 3}, [3, 6]),
        ({"from": 3}, [3, 4, 5, 6, 7, 8]),
        ({"to": 3}, [1, 2, 3]),
        ({"from": 3, "first": 2}, [3, 4]),
        ({"from": 2, "to": 7, "every": 2}, [3, 5, 7]),
    ],
)
def test_requests_are_counted(when: dict[str, Any], numbers: list[int]) -> None:
    faults = faults_of({"name": "it", "when": when, "do": {"answer": 500}})
    assert [number for number in range(1, 9) if struck(faults, request())] == numbers
    (one,) = faults.rules
    assert (one.matched, one.hits) == (8, len(numbers))


def test_the_same_seed_strikes_the_same_requests() -> None:
    def choices(seed: int) -> list[bool]:
        rule = {"when": {"probability": 0.5, "seed": seed}, "do": {"answer": 500}}
        faults = faults_of(rule)
        return [bool(struck(faults, request())) for _ in range(64)]

    assert choices(1) == choices(1)
    assert choices(1) != choices(2)
    assert 10 < sum(choices(1)) < 54


def test_a_rule_without_a_seed_gets_one_that_repeats_it() -> None:
    faults = faults_of({"when": {"probability": 0.5}, "do": {"answer": 500}})
    first = [bool(struck(faults, request())) for _ in range(64)]
    again = Faults()
    again.add([faults.rules[0].rule])
    assert [bool(struck(again, request())) for _ in range(64)] == first


def test_the_first_rule_that_strikes_is_the_only_one() -> None:
    faults = faults_of({"name": "a", "when": {"every": 2}, "do": {"answer": 500}}, {"name": "b", "do": {"answer": 503}})
    assert [struck(faults, request()) for _ in range(4)] == ["b", "a", "b", "a"]
    assert [(one.rule.name, one.matched, one.hits) for one in faults.rules] == [("a", 4, 2), ("b", 2, 2)]


def test_hits_are_recorded_in_order() -> None:
    faults = faults_of({"name": "it", "match": {"verbs": ["update"]}, "do": {"answer": 500}})
    for verb in ("get", "update", "update"):
        struck(faults, request(verb))
    recorded = [(hit.number, hit.rule, hit.subject.verb, hit.subject.user) for hit in faults.record]
    assert recorded == [(1, "it", "update", "alice"), (2, "it", "update", "alice")]
    assert faults.record[0].subject.path == "/apis/apps/v1/namespaces/shop/deployments/web"
    assert (faults.clear(), faults.record) == (1, ())


def test_only_reads_of_any_version_can_be_stale() -> None:
    faults = faults_of({"name": "it", "do": {"stale": "1s"}})
    fresh, newest = request("list"), request("list")
    any_version = ask("/apis?resourceVersion=0", info=fresh.info)
    newest.query = ask("/apis?resourceVersion=5").query
    assert [struck(faults, each) for each in (fresh, newest, any_version)] == ["", "", "it"]


def test_the_servers_own_clients_are_struck_by_who_says_so() -> None:
    faults = faults_of({"do": {"answer": 500}}, {"name": "in", "match": {"inside": True}, "do": {"answer": 500}})
    made = request()
    found = faults.striking(made, name="web", inside=True)
    assert found is not None
    assert (found.rule.name, faults.record[0].subject.inside) == ("in", True)


async def test_webhooks_and_other_servers_are_down_by_name_or_by_url() -> None:
    faults = faults_of(
        {"match": {"names": ["*.example.com", "https://here/*"]}, "do": {"down": "webhooks"}},
        {"do": {"down": "apiServices"}, "when": {"first": 1}},
    )
    assert "connection refused" in await faults.webhook_failure("pods.example.com", "https://there/")
    assert "connection refused" in await faults.webhook_failure("", "https://here/convert")
    assert await faults.webhook_failure("pods.example.org", "https://there/") == ""
    assert [bool(await faults.api_service_failure("v1.a", "https://b")) for _ in range(2)] == [True, False]
    assert [hit.subject.path for hit in faults.record] == ["pods.example.com", "https://here/convert", "v1.a"]


async def test_a_rule_is_over_when_its_time_is() -> None:
    faults, ended = Faults(), asyncio.Event()
    heard: list[str] = []

    def begin(one: ActiveRule) -> None:
        heard.append(f"{one.rule.name} begins")

    def end(one: ActiveRule) -> None:
        heard.append(f"{one.rule.name} ends")
        ended.set()

    faults.observe(begin=begin, end=end)
    faults.add(read_rules({"name": "it", "when": {"for": "1ms"}, "do": {"answer": 500}}))
    await ended.wait()
    assert (struck(faults, request()), faults.rules[0].is_over, faults.outside) == ("", True, ())
    assert (faults.remove("it"), faults.remove("it")) == (True, False)
    assert heard == ["it begins", "it ends"]


def test_names_are_taken_once_and_then_nothing_is_added() -> None:
    faults = faults_of({"name": "a", "do": {"answer": 500}}, {"do": {"answer": 500}})
    with pytest.raises(RuleExists, match='two rules named "a"'):
        faults.add(read_rules([{"name": "b", "do": {"cut": "after"}}, {"name": "a", "do": {"cut": "after"}}]))
    with pytest.raises(RuleExists, match='two rules named "c"'):
        faults.add(read_rules([{"name": "c", "do": {"cut": "after"}}, {"name": "c", "do": {"cut": "after"}}]))
    with pytest.raises(ValueError, match="at most 1000 rules"):
        faults.add(read_rules([{"do": {"cut": "after"}}] * 999))
    assert [one.rule.name for one in faults.rules] == ["a", "fault-1"]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("web", "web", True),
        ("web", "web2", False),
        ("*", "", True),
        ("w*b", "web", True),
        ("w*b", "wb", True),
        ("w*w", "w", False),
        ("*a*b*", "xxaxxbxx", True),
        ("*a*b*", "xxbxxaxx", False),
        ("a*a*a", "aa", False),
    ],
)
def test_a_star_stands_for_any_letters(pattern: str, text: str, *, expected: bool) -> None:
    assert fits(pattern, text) is expected
