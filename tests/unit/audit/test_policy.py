"""Which rule a request meets."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from localplane.apiserver.audit import (
    EVERYTHING_AT_METADATA,
    Level,
    PolicyInvalid,
    Stage,
    parse_policy,
    read_policy_file,
)
from localplane.apiserver.request import User
from tests.unit.filters.requests import ADMIN, JANE, make_request


def policy(*rules: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": list(rules), **options}


def matches(rule: dict[str, Any], method: str, url: str, user: User | None = JANE) -> bool:
    parsed = parse_policy(policy({"level": "Request", **rule}))
    return parsed.evaluate(user, make_request(method, url).info).level is Level.REQUEST


POD = "/api/v1/namespaces/d/pods/x"


@pytest.mark.parametrize(
    ("rule", "asked", "expected"),
    [
        ({}, f"GET {POD}", True),
        ({}, "GET /healthz", True),
        ({"users": ["jane"]}, f"GET {POD}", True),
        ({"users": ["bob"]}, f"GET {POD}", False),
        ({"userGroups": ["x", "system:authenticated"]}, f"GET {POD}", True),
        ({"userGroups": ["x"]}, f"GET {POD}", False),
        ({"verbs": ["get"]}, f"GET {POD}", True),
        ({"verbs": ["list"]}, f"GET {POD}", False),
        ({"namespaces": ["d"]}, f"GET {POD}", True),
        ({"namespaces": ["e"]}, f"GET {POD}", False),
        ({"namespaces": [""]}, "GET /api/v1/nodes", True),
        ({"namespaces": [""]}, "GET /healthz", False),
        ({"resources": [{}]}, f"GET {POD}", True),
        ({"resources": [{"group": "apps"}]}, f"GET {POD}", False),
        ({"resources": [{"group": "*"}]}, f"GET {POD}", True),
        ({"resources": [{"resources": ["pods"]}]}, f"GET {POD}", True),
        ({"resources": [{"resources": ["pods"]}]}, f"GET {POD}/log", False),
        ({"resources": [{"resources": ["pods/log"]}]}, f"GET {POD}/log", True),
        ({"resources": [{"resources": ["pods/*"]}]}, f"GET {POD}/log", True),
        ({"resources": [{"resources": ["pods/*"]}]}, f"GET {POD}", True),
        ({"resources": [{"resources": ["*/log"]}]}, f"GET {POD}/log", True),
        ({"resources": [{"resources": ["*/log"]}]}, f"GET {POD}", False),
        ({"resources": [{"resources": ["*"]}]}, f"GET {POD}/log", True),
        ({"resources": [{"resources": ["pods"], "resourceNames": ["x"]}]}, f"GET {POD}", True),
        ({"resources": [{"resources": ["pods"], "resourceNames": ["y"]}]}, f"GET {POD}", False),
        ({"nonResourceURLs": ["/healthz*"]}, "GET /healthz/etcd", True),
        ({"nonResourceURLs": ["/healthz"]}, "GET /healthz/etcd", False),
        ({"nonResourceURLs": ["*"]}, "GET /healthz/etcd", True),
        ({"nonResourceURLs": ["*"]}, f"GET {POD}", False),
        ({"users": ["jane"], "verbs": ["list"]}, f"GET {POD}", False),
    ],
)
def test_a_rule_matches_if_all_of_it_does(rule: dict[str, Any], asked: str, expected: bool) -> None:  # noqa: FBT001 - a column
    method, url = asked.split(" ")
    assert matches(rule, method, url) is expected


def test_a_rule_about_users_matches_nobody_unknown() -> None:
    assert not matches({"users": [""]}, "GET", POD, None)
    assert not matches({"userGroups": [""]}, "GET", POD, None)
    assert matches({}, "GET", POD, None)


def test_the_first_rule_that_matches_decides() -> None:
    rules = policy({"level": "None", "users": ["admin"]}, {"level": "Metadata"}, {"level": "Request"})
    info = make_request("GET", POD).info
    assert parse_policy(rules).evaluate(ADMIN, info).level is Level.NONE
    assert parse_policy(rules).evaluate(JANE, info).level is Level.METADATA


def test_without_a_matching_rule_nothing_is_recorded() -> None:
    info = make_request("GET", POD).info
    assert parse_policy(policy({"level": "Request", "users": ["x"]})).evaluate(JANE, info).level is Level.NONE


def test_stages_of_policy_and_rule_are_both_left_out() -> None:
    rule = {"level": "Metadata", "omitStages": ["Panic"], "omitManagedFields": False}
    parsed = parse_policy(policy(rule, omitStages=["RequestReceived"], omitManagedFields=True))
    recording = parsed.evaluate(JANE, make_request("GET", POD).info)
    assert recording.omit_stages == {Stage.PANIC, Stage.REQUEST_RECEIVED}
    assert recording.omit_managed_fields is False


def test_a_rule_follows_the_policy_about_managed_fields_unless_it_says_otherwise() -> None:
    parsed = parse_policy(policy({"level": "Metadata"}, omitManagedFields=True))
    assert parsed.evaluate(JANE, make_request("GET", POD).info).omit_managed_fields


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (None, "failed decoding"),
        ([], "failed decoding"),
        ({"kind": "Policy", "rules": []}, "unknown group version field"),
        ({"apiVersion": "audit.k8s.io/v1beta1", "kind": "Policy"}, "unknown group version field"),
        (policy(), "loaded illegal policy with 0 rules"),
        (policy({}), "rules[0].level: Required value"),
        (policy({"level": "Most"}), 'rules[0].level: Unsupported value: "Most": supported values: "'),
        (policy({"level": "None", "omitStages": ["x"]}), 'rules[0].omitStages[0]: Invalid value: "x": allowed stages'),
        (
            policy({"level": "None", "nonResourceURLs": ["healthz"]}),
            "rules[0].nonResourceURLs[0]: Invalid value: \"healthz\": non-resource URL rules must begin with a '/'",
        ),
        (
            policy({"level": "None", "nonResourceURLs": ["/a*b"]}),
            "non-resource URL wildcards '*' must be the final character of the rule",
        ),
        (
            policy({"level": "None", "nonResourceURLs": ["/a"], "namespaces": ["d"]}),
            "rules cannot apply to both regular resources and non-resource URLs",
        ),
        (
            policy({"level": "None", "resources": [{"resourceNames": ["x"]}]}),
            "using resourceNames requires at least one resource",
        ),
        (policy({"level": "None", "resources": [{"group": "apps/v1"}]}), "rules[0].resources.group: Invalid value"),
        (policy({"level": "None", "users": "jane"}), "rules[0].users: Invalid value"),
        (policy({"level": "None", "resources": ["pods"]}), "rules[0].resources: Invalid value"),
        (policy({"level": "None"}, omitManagedFields="yes"), "omitManagedFields: Invalid value"),
    ],
)
def test_what_is_wrong_with_a_policy_is_told(document: Any, problem: str) -> None:
    with pytest.raises(PolicyInvalid) as refused:
        parse_policy(document)
    assert problem in str(refused.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(PolicyInvalid) as refused:
        parse_policy(policy({}, {"level": "x"}))
    assert "rules[0].level" in str(refused.value)
    assert "rules[1].level" in str(refused.value)


def test_unknown_fields_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        parse_policy(policy({"level": "None", "levels": 1}))
    assert "levels" in caplog.text


def test_a_policy_is_read_from_yaml(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n  users: [jane]\n")
    assert read_policy_file(file).rules[0].users == ("jane",)


@pytest.mark.parametrize("content", ["rules: [", "apiVersion: v1\nkind: Policy\n"])
def test_a_broken_file_is_named(content: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(content)
    with pytest.raises(PolicyInvalid, match=f"from file {file}"):
        read_policy_file(file)
    with pytest.raises(PolicyInvalid, match="failed to read file path"):
        read_policy_file(tmp_path / "missing")


def test_the_policy_without_a_file_records_everybody_once_and_no_bodies() -> None:
    for url in (POD, "/healthz"):
        recording = EVERYTHING_AT_METADATA.evaluate(None, make_request("GET", url).info)
        assert recording.level is Level.METADATA
        assert recording.omit_stages == {Stage.REQUEST_RECEIVED}
