"""`kctl faults`: whole outputs, what each flag makes of a rule, and what kctl meets then."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk
from tests.e2e.up.machine import Machine


@pytest.fixture
def cleared(plane: Machine) -> Iterator[None]:
    yield
    assert plane.kctl("faults", "rm", "--all").code == 0


def test_the_first_two_updates_meet_a_conflict(desk: Desk, cleared: None) -> None:
    desk.run("create", "configmap", "settings", "--from-literal=a=1")
    arguments = ("--verb", "update,patch", "--resource", "cm", "--answer", "409", "--first", "2")
    assert desk.run("faults", "add", "conflicts", *arguments) == Outcome(0, "fault/conflicts added\n", "")
    conflict = 'Operation cannot be fulfilled on configmaps "settings": the object has been modified; please apply your'
    for _ in range(2):
        done = desk.run("label", "configmap", "settings", "a=b")
        assert (done.code, conflict in done.stderr) == (1, True), done
    assert desk.run("label", "configmap", "settings", "a=b").code == 0
    listed = desk.run("faults", "list")
    assert [" ".join(line.split()) for line in listed.stdout.splitlines()] == [
        "NAME MATCH WHEN DO MATCHED HITS",
        "conflicts verbs=update,patch resources=configmaps namespaces=<ns> first=2 answer=409 3 2",
    ]
    hits = desk.run("faults", "list", "--hits").stdout.splitlines()
    path = "/api/v1/namespaces/<ns>/configmaps/settings"
    assert hits[0].split() == ["NUMBER", "TIME", "RULE", "VERB", "PATH", "USER", "USER-AGENT"]
    assert [line.split()[2:5] for line in hits[1:]] == [["conflicts", "patch", path]] * 2
    assert desk.run("faults", "rm", "conflicts") == Outcome(0, "fault/conflicts removed\n", "")
    assert desk.run("faults", "list") == Outcome(0, "there are no rules\n", "")
    assert desk.run("faults", "list", "--hits").stdout.count("conflicts") == 2


FLAGS = [
    ("--answer 500 --user alice --user bob", {"match": {"users": ["alice", "bob"]}, "do": {"answer": 500}}),
    ("--answer 500 --group developers", {"match": {"groups": ["developers"]}, "do": {"answer": 500}}),
    ("--answer 500 --user-agent my/*", {"match": {"userAgents": ["my/*"]}, "do": {"answer": 500}}),
    ("--answer 500 --verb get,list", {"match": {"verbs": ["get", "list"]}, "do": {"answer": 500}}),
    (
        "--answer 500 --resource deploy/status --resource widgets.example.com",
        {"match": {"resources": ["deployments.apps/status", "widgets.example.com"]}, "do": {"answer": 500}},
    ),
    ("--answer 500 --name a,b", {"match": {"names": ["a", "b"]}, "do": {"answer": 500}}),
    ("--answer 500 --namespace x", {"match": {"namespaces": ["x"]}, "do": {"answer": 500}}),
    ("--answer 500 --path /nowhere/*", {"match": {"paths": ["/nowhere/*"]}, "do": {"answer": 500}}),
    ("--answer 500 --inside --user nobody", {"match": {"users": ["nobody"], "inside": True}, "do": {"answer": 500}}),
    (
        "--answer 500 --every 3 --user nobody",
        {"match": {"users": ["nobody"]}, "when": {"every": 3}, "do": {"answer": 500}},
    ),
    (
        "--answer 500 --from 2 --to 5 --user nobody",
        {"match": {"users": ["nobody"]}, "when": {"from": 2, "to": 5}, "do": {"answer": 500}},
    ),
    (
        "--answer 500 --probability 0.5 --seed 7 --user nobody",
        {"match": {"users": ["nobody"]}, "when": {"probability": 0.5, "seed": 7}, "do": {"answer": 500}},
    ),
    (
        "--latency 300ms --for 1m --user nobody",
        {"match": {"users": ["nobody"]}, "when": {"for": "1m0s"}, "do": {"latency": "300ms"}},
    ),
    (
        "--answer 429 --retry-after 2s --message later --user nobody",
        {"match": {"users": ["nobody"]}, "do": {"answer": 429, "retryAfter": "2s", "message": "later"}},
    ),
    (
        "--answer 504 --after-write --user nobody",
        {"match": {"users": ["nobody"]}, "do": {"answer": 504, "afterWrite": True}},
    ),
    ("--cut --user nobody", {"match": {"users": ["nobody"]}, "do": {"cut": "before"}}),
    ("--cut=middle --user nobody", {"match": {"users": ["nobody"]}, "do": {"cut": "middle"}}),
    (
        "--watch-cut-after 5 --watch-delay 1s --no-bookmarks --user nobody",
        {
            "match": {"users": ["nobody"], "verbs": ["watch"]},
            "do": {"watch": {"end": "cut", "afterEvents": 5, "bookmarks": False, "delay": "1s"}},
        },
    ),
    (
        "--watch-close-after 5s --user nobody",
        {"match": {"users": ["nobody"], "verbs": ["watch"]}, "do": {"watch": {"end": "close", "after": "5s"}}},
    ),
    (
        "--watch-expire-after 0s --user nobody",
        {"match": {"users": ["nobody"], "verbs": ["watch"]}, "do": {"watch": {"end": "expire", "after": "0s"}}},
    ),
    ("--stale 5s --user nobody", {"match": {"users": ["nobody"], "verbs": ["get", "list"]}, "do": {"stale": "5s"}}),
    ("--down webhooks --name a.example.com", {"match": {"names": ["a.example.com"]}, "do": {"down": "webhooks"}}),
]


def test_flags_say_what_a_rule_is(plane: Machine, cleared: None) -> None:
    for number, (flags, _) in enumerate(FLAGS):
        added = plane.kctl("faults", "add", f"f{number}", *flags.split())
        assert added == Outcome(0, f"fault/f{number} added\n", "")
    shown = json.loads(plane.kctl("faults", "list", "-o", "json").stdout)["rules"]
    rules = [{key: rule[key] for key in ("match", "when", "do") if key in rule} for rule in shown]
    assert dict(zip([flags for flags, _ in FLAGS], rules, strict=True)) == dict(FLAGS)


def test_rules_come_from_files_and_go_there(desk: Desk, cleared: None) -> None:
    rules = (
        "rules:\n- name: a\n  match: {users: [nobody]}\n  do: {answer: 503}\n"
        "- name: b\n  match: {users: [nobody]}\n  when: {probability: 0.5, seed: 9}\n  do: {cut: after}\n"
    )
    desk.write("rules.yaml", rules)
    assert desk.run("faults", "add", "-f", "rules.yaml", "-o", "name") == Outcome(0, "fault/a\nfault/b\n", "")
    shown = desk.run("faults", "list", "-o", "yaml").stdout
    assert desk.run("faults", "rm", "--all") == Outcome(0, "fault/a removed\nfault/b removed\n", "")
    assert desk.run("faults", "add", "--filename", "-", stdin=shown) == Outcome(0, "fault/a added\nfault/b added\n", "")
    assert desk.run("faults", "list", "-o", "yaml").stdout == shown
    assert desk.machine.kctl("__complete", "faults", "rm", "a", "").stdout.splitlines()[:1] == ["b"]
    assert desk.machine.kctl("__complete", "faults", "add", "--down", "s").stdout.splitlines()[:1] == ["store"]
    assert desk.run("faults", "list", "b", "-o", "name") == Outcome(0, "fault/b\n", "")


WRONG = [
    ("add", "error: say what happens: --answer, --cut, --latency, --watch-cut-after, --stale or --down\n"),
    ("add --answer 200", "Error from server (BadRequest): do.answer is 200: use one of 401, 403"),
    (
        "add --answer x",
        'error: invalid argument "x" for "--answer" flag: strconv.ParseInt: parsing "x": invalid syntax\n',
    ),
    ("add --answer 409 --verb updat", 'Error from server (BadRequest): match.verbs: "updat" is not a verb: use get,'),
    ("add --answer 409 --resource deplyments", 'error: the server doesn\'t have a resource type "deplyments"\n'),
    (
        "add --answer 409 --probability x",
        'error: invalid argument "x" for "--probability" flag: use a number up to 1\n',
    ),
    ("add --latency soon", "Error from server (BadRequest): do.latency is 'soon': use a duration, such as 300ms"),
    ("add a b --cut", "error: a rule has one name, not 2: a b\n"),
    (
        "add --watch-cut-after 1 --watch-close-after 1",
        "error: a watch ends once: --watch-close-after and --watch-cut-aft",
    ),
    ("add -f x.yaml --cut", "error: a file has whole rules: put --cut into it, or leave out -f\n"),
    ("add -f missing.yaml", 'error: the path "missing.yaml" does not exist\n'),
    ("add --down store --user a", "Error from server (BadRequest): do.down: store takes no match"),
    ("add --cut -o wide", "error: --output wide is none that is known here: use json, yaml, name\n"),
    ("list nothing", "Error from server (NotFound): there are no rules\n"),
    ("rm", "error: name the rules to remove, or give --all\n"),
    ("rm a", "error: there is no rule a, so nothing was removed; there are none\n"),
]


def test_what_is_wrong_is_said_in_one_sentence_and_changes_nothing(plane: Machine) -> None:
    for arguments, sentence in WRONG:
        done = plane.kctl("faults", *arguments.split())
        assert (arguments, done.code, done.stdout, done.stderr[: len(sentence)]) == (arguments, 1, "", sentence)
    assert plane.kctl("faults", "list", "-o", "name") == Outcome(0, "", "")
