"""Rules as JSON: what they mean, and one sentence for each thing that can be wrong with one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from localplane.apiserver.faults.rule import (
    Cut,
    Down,
    Ending,
    Fault,
    Occasion,
    ResourcePattern,
    Rule,
    Selection,
    WatchFault,
)
from localplane.apiserver.faults.rule_form import InvalidRule, read_rules, rule_form

WHOLE = {
    "name": "conflicts",
    "match": {
        "users": ["alice"],
        "groups": ["developers"],
        "userAgents": ["operator/*"],
        "verbs": ["update"],
        "resources": ["deployments.apps/status"],
        "namespaces": ["shop"],
        "names": ["web"],
        "paths": ["/apis/*"],
        "inside": True,
    },
    "when": {"first": 2, "every": 3, "from": 5, "to": 9, "probability": 0.5, "seed": 7, "for": "30s"},
    "do": {"latency": "300ms", "answer": 429, "afterWrite": True, "retryAfter": "2s", "message": "later"},
}


def read(form: Any) -> Rule:
    (rule,) = read_rules(form)
    return rule


def test_every_field_of_a_rule_is_read_and_shown_again() -> None:
    rule = read(WHOLE)
    assert rule == Rule(
        "conflicts",
        Selection(
            users=("alice",),
            groups=("developers",),
            user_agents=("operator/*",),
            verbs=("update",),
            resources=(ResourcePattern("deployments", "apps", "status"),),
            namespaces=("shop",),
            names=("web",),
            paths=("/apis/*",),
            inside=True,
        ),
        Occasion(2, 3, 5, 9, 0.5, 7, timedelta(seconds=30)),
        Fault(
            answer=429, message="later", retry_after_seconds=2, after_write=True, latency=timedelta(milliseconds=300)
        ),
    )
    assert rule_form(rule) == WHOLE


@pytest.mark.parametrize(
    ("do", "fault"),
    [
        ({"latency": "1s"}, Fault(latency=timedelta(seconds=1))),
        ({"cut": "middle"}, Fault(cut=Cut.MIDDLE)),
        ({"down": "apiServices"}, Fault(down=Down.API_SERVICES)),
        ({"stale": "5s"}, Fault(stale=timedelta(seconds=5))),
        (
            {"watch": {"end": "expire", "afterEvents": 0, "after": "2s", "bookmarks": False, "delay": "1s"}},
            Fault(
                watch=WatchFault(Ending.EXPIRE, 0, timedelta(seconds=2), bookmarks=False, delay=timedelta(seconds=1))
            ),
        ),
    ],
)
def test_every_kind_of_fault_is_read_and_shown_again(do: dict[str, Any], fault: Fault) -> None:
    rule = read({"do": do})
    assert rule.fault == fault
    assert rule_form(rule)["do"] == do


def test_faults_of_watches_and_stale_reads_choose_their_verbs() -> None:
    assert read({"do": {"watch": {"end": "cut"}}}).match.verbs == ("watch",)
    assert read({"do": {"stale": "1s"}}).match.verbs == ("get", "list")


def test_several_rules_are_a_list_or_stand_below_rules() -> None:
    forms = [{"name": "a", "do": {"answer": 500}}, {"name": "b", "do": {"cut": "before"}}]
    assert [rule.name for rule in read_rules(forms)] == ["a", "b"]
    assert read_rules({"rules": forms}) == read_rules(forms)


def test_what_is_shown_with_its_counts_is_read_again() -> None:
    assert read({**WHOLE, "status": {"matched": 3}}) == read(WHOLE)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ([], "there are no rules"),
        ("text", "a rule is a text, and should be a mapping"),
        (None, "a rule is nothing, and should be a mapping"),
        ({"rules": [], "seed": 1}, 'the document has no field "seed": it has rules, record'),
        ({}, "it says nothing of what happens: give it a `do`"),
        ({"do": {}}, "do says nothing: give one of answer, cut, watch, stale, down and latency"),
        ({"do": []}, "do is a list, and should be a mapping"),
        ({"do": {"answr": 409}}, 'do has no field "answr": it has latency, afterWrite'),
        ({"do": {"answer": 200}}, "do.answer is 200: use one of 401, 403, 404, 409, 410, 429, 500, 503, 504"),
        ({"do": {"answer": "409"}}, "do.answer is '409': use one of"),
        ({"do": {"answer": True}}, "do.answer is True: use one of"),
        ({"do": {"answer": 409, "cut": "before"}}, "do has answer and cut: a rule does one of them"),
        ({"do": {"answer": 409, "retryAfter": "1s"}}, "do.retryAfter is for the answers 429, 503, 504, not 409"),
        ({"do": {"answer": 429, "retryAfter": "300ms"}}, "do.retryAfter is 300ms: HTTP knows whole seconds alone"),
        ({"do": {"cut": "before", "afterWrite": True}}, "do.afterWrite is for do.answer, which is missing"),
        ({"do": {"answer": 500, "afterWrite": "yes"}}, "do.afterWrite is a text, and should be true or false"),
        ({"do": {"answer": 500, "message": 5}}, "do.message is a number, and should be a text"),
        ({"do": {"cut": "later"}}, "do.cut is 'later': use one of before, after, middle"),
        ({"do": {"latency": 5}}, "do.latency is 5: use a duration, such as 300ms, 5s or 2m"),
        ({"do": {"latency": "5"}}, "do.latency is '5': use a duration"),
        ({"do": {"latency": "-1s"}}, "do.latency is -1s: use a duration from 0s to 24h0m0s"),
        ({"do": {"down": "network"}}, "do.down is 'network': use one of webhooks, apiServices, store"),
        ({"do": {"watch": {}}}, "do.watch says nothing: give end, delay or bookmarks: false"),
        ({"do": {"watch": {"after": "1s"}}}, "do.watch.after says when it ends: give do.watch.end too"),
        ({"do": {"watch": {"end": "stop"}}}, "do.watch.end is 'stop': use one of close, cut, expire"),
        ({"do": {"watch": {"end": "cut", "afterEvents": -1}}}, "do.watch.afterEvents is -1: use a whole number from 0"),
        ({"do": {"watch": {"end": "cut"}}, "match": {"verbs": ["list"]}}, "do.watch is about watch alone, not list"),
        ({"do": {"stale": "1s"}, "match": {"verbs": ["watch"]}}, "do.stale is about get, list alone, not watch"),
        ({"do": {"down": "store"}, "match": {"names": ["a"]}}, "store takes no match: it is so for all requests"),
        ({"do": {"down": "store"}, "when": {"first": 1}}, "nothing is counted: leave out first"),
        ({"do": {"down": "webhooks"}, "match": {"users": ["a"]}}, "takes match.names alone"),
        ({"do": {"cut": "after"}, "name": "A b"}, 'name "A b" is not one that a rule can have'),
        ({"do": {"cut": "after"}, "match": {"verbs": ["post"]}}, 'match.verbs: "post" is not a verb: use get, list'),
        ({"do": {"cut": "after"}, "match": {"verbs": "get"}}, "match.verbs should be a list of texts"),
        (
            {"do": {"cut": "after"}, "match": {"names": [""]}},
            "match.names should be a list of texts, none of them empty",
        ),
        ({"do": {"cut": "after"}, "match": {"names": ["a"] * 101}}, "match.names has 101 values, and 100 are the most"),
        ({"do": {"cut": "after"}, "match": {"resources": ["pods/"]}}, 'match.resources: "pods/" is none'),
        ({"do": {"cut": "after"}, "match": {"inside": 1}}, "match.inside is a number, and should be true or false"),
        ({"do": {"cut": "after"}, "match": {"user": ["a"]}}, 'match has no field "user": it has users, groups'),
        ({"do": {"cut": "after"}, "when": {"first": 0}}, "when.first is 0: use a whole number from 1"),
        ({"do": {"cut": "after"}, "when": {"every": 1.5}}, "when.every is 1.5: use a whole number from 1"),
        ({"do": {"cut": "after"}, "when": {"from": 5, "to": 2}}, "when.to is 2, which is before when.from, 5"),
        (
            {"do": {"cut": "after"}, "when": {"probability": 2}},
            "when.probability is 2: use a number above 0 and up to 1",
        ),
        ({"do": {"cut": "after"}, "when": {"seed": 2}}, "when.seed is for when.probability, which is missing"),
        ([{"do": {"cut": "after"}}, {"name": "b", "do": {}}], 'rule "b": do says nothing'),
        ([{"do": {"cut": "after"}}, 5], "rule 2: a rule is a number, and should be a mapping"),
        ([{"do": {"cut": "after"}}] * 1001, "there are 1001 rules, and 1000 are the most"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(form: Any, sentence: str) -> None:
    with pytest.raises(InvalidRule) as caught:
        read_rules(form)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
