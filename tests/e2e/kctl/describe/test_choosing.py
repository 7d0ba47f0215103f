"""`kctl describe`: which objects are meant, in what order, and with which flags."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk


def _service_account(name: str, *, labels: str = "<none>", events: str = "") -> str:
    return (
        f"Name:                {name}\nNamespace:           shop\nLabels:              {labels}\n"
        f"Annotations:         <none>\nImage pull secrets:  <none>\n{events}"
    )


def _secret(name: str) -> str:
    return (
        f"Name:         {name}\nNamespace:    shop\nLabels:       app=fruit\nAnnotations:  <none>\n\nType:  Opaque\n\n"
        "Data\n====\nk:  2 bytes\n"
    )


NO_EVENTS = "Events:              <none>\n"


def _names(done: Outcome) -> list[str]:
    return [line.split()[1] for line in done.stdout.splitlines() if line.startswith("Name:")]


def test_one_object_is_described_with_its_events(read: Read) -> None:
    assert read("describe", "sa", "default") == Outcome(0, _service_account("default", events=NO_EVENTS), "")
    assert read("describe", "sa/default", "--show-events=false") == Outcome(0, _service_account("default"), "")


def test_several_are_described_without_unless_they_are_asked_for(read: Read) -> None:
    assert read("describe", "sa/default", "secret/key") == Outcome(
        0, f"{_service_account('default')}\n\n{_secret('key')}", ""
    )
    both = read("describe", "sa/default", "secret/key", "--show-events")
    assert both.stdout == f"{_service_account('default', events=NO_EVENTS)}\n\n{_secret('key')}"


def test_a_name_may_be_the_beginning_of_many(read: Read) -> None:
    assert read("describe", "secret", "k") == Outcome(0, f"{_secret('key')}\n", "")
    assert read("describe", "sa", "def", "--show-events").stdout == (
        f"{_service_account('default', events=NO_EVENTS)}\n"
    )
    assert read("describe", "sa", "def").stdout == f"{_service_account('default')}\n"


def test_selectors_and_namespaces_choose(read: Read) -> None:
    assert _names(read("describe", "cm", "-l", "app=fruit")) == ["apple", "pear"]
    assert _names(read("describe", "cm", "--selector", "app=vegetable")) == ["carrot"]
    assert _names(read("describe", "cm", "-l", "app in (fruit,vegetable)", "-A")) == ["apple", "carrot", "pear"]
    assert _names(read("describe", "cm", "-n", "default", "-l", "app in (fruit,vegetable)")) == []
    assert _names(read("describe", "cm", "-n", "default", "-l", "app in (fruit,vegetable)", "--all-namespaces")) == [
        "apple",
        "carrot",
        "pear",
    ]


def test_lists_come_in_chunks(read: Read) -> None:
    in_chunks = read("describe", "cm", "-l", "app", "--chunk-size=2", "--show-events", "-v=6")
    assert _names(in_chunks) == ["apple", "carrot", "pear"]
    assert "configmaps?labelSelector=app&limit=2" in in_chunks.stderr
    assert in_chunks.stderr.count("continue=") == 1
    assert "limit=" not in read("describe", "cm", "-l", "app", "--chunk-size=0", "-v=6").stderr


def test_files_name_what_is_described(desk: Desk) -> None:
    desk.config_map("a.yaml", "a", colour="red")
    desk.config_map("deep/b.yaml", "b")
    assert desk.run("apply", "-R", "-f", ".").code == 0
    assert desk.run("describe", "-f", "a.yaml") == Outcome(
        0,
        "Name:         a\nNamespace:    <ns>\nLabels:       <none>\nAnnotations:  <none>\n\nData\n====\ncolour:\n----\n"
        "red\n\n\nBinaryData\n====\n\nEvents:  <none>\n",
        "",
    )
    assert _names(desk.run("describe", "--filename=.")) == ["a"]
    assert _names(desk.run("describe", "-R", "--filename=.")) == ["a", "b"]
    assert _names(desk.run("describe", "--recursive", "-f", ".")) == ["a", "b"]


def test_a_kustomization_names_what_is_described(desk: Desk) -> None:
    desk.config_map("a.yaml", "a")
    desk.write("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: my-\n")
    assert desk.run("apply", "-k", ".").code == 0
    assert _names(desk.run("describe", "-k", ".")) == ["my-a"]


def test_what_an_object_contains_can_not_drive_a_terminal(desk: Desk) -> None:
    desk.config_map("a.yaml", "a", evil="\\e[2J")
    desk.write("b.yaml", 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {evil: "\\e[2J\\r"}\n')
    assert desk.run("apply", "-f", "b.yaml").code == 0
    assert "\nevil:\n----\n^[[2J\\r\n" in desk.run("describe", "cm", "b").stdout


REFUSED = [
    (
        "describe",
        1,
        (
            'error: You must specify the type of resource to describe. Use "kctl api-resources" for a complete list of '
            "supported resources.\n"
        ),
    ),
    ("describe nosuch", 1, 'error: the server doesn\'t have a resource type "nosuch"\n'),
    ("describe cm zebra", 1, 'Error from server (NotFound): configmaps "zebra" not found\n'),
    ("describe cm zebra zebra", 1, 2 * 'Error from server (NotFound): configmaps "zebra" not found\n'),
    ("describe cm apple -l app=fruit", 1, "error: name cannot be provided when a selector is specified\n"),
    ("describe cm apple -A", 1, "error: a resource cannot be retrieved by name across all namespaces\n"),
    ("describe cm -l app=none", 0, "No resources found in shop namespace.\n"),
    ("describe cm -l app=none -A", 0, "No resources found\n"),
    ("describe -f none.yaml", 1, 'error: the path "none.yaml" does not exist\n'),
]


@pytest.mark.parametrize(("line", "code", "stderr"), REFUSED, ids=[line for line, _, _ in REFUSED])
def test_what_can_not_be_described_is_said(line: str, code: int, stderr: str, read: Read) -> None:
    assert read(*line.split()) == Outcome(code, "", stderr)


def test_what_is_there_is_described_beside_what_is_not(read: Read) -> None:
    done = read("describe", "cm", "apple", "zebra")
    assert (done.code, _names(done)) == (1, ["apple"])
    assert done.stderr == 'Error from server (NotFound): configmaps "zebra" not found\n'
