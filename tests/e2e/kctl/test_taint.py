"""`kctl taint`: whole outputs."""

from __future__ import annotations

import shlex
import uuid

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

NODES = """\
{apiVersion: v1, kind: Node, metadata: {name: %s-1, labels: {set: %s}}}
---
{apiVersion: v1, kind: Node, metadata: {name: %s-2, labels: {set: %s}}}
"""


class Nodes:
    """Two nodes of a name that nobody else has; `one` is the first."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.set = f"taint{uuid.uuid4().hex[:6]}"
        self.one, self.two = f"{self.set}-1", f"{self.set}-2"
        desk.run("create", "-f", desk.write("nodes.yaml", NODES % ((self.set,) * 4)))
        for node in (self.one, self.two):
            desk.run("patch", "node", node, "--type=merge", "-p", '{"spec":{"taints":null}}')

    def taint(self, line: str) -> Outcome:
        return self.desk.run("taint", *shlex.split(line.replace("ONE", self.one).replace("TWO", self.two)))

    def taints(self) -> str:
        return self.desk.run("get", "node", self.one, "-o", "jsonpath={.spec.taints}").stdout

    def said(self, *words: str) -> Outcome:
        """Of each node in turn."""
        lines = (f"node/{node} {word}\n" for node, word in zip((self.one, self.two), words, strict=False))
        return Outcome(0, "".join(lines), "")


@pytest.fixture
def nodes(desk: Desk) -> Nodes:
    return Nodes(desk)


def test_taints_are_added_changed_and_removed(nodes: Nodes) -> None:
    there = f"error: node {nodes.one} already has a taint(s) with same effect(s) and --overwrite is false\n"
    steps = [
        ("a=b:NoSchedule", nodes.said("tainted")),
        ("a=c:NoSchedule", Outcome(1, "", there)),
        ("a=c:NoSchedule --overwrite", nodes.said("modified")),
        ("a:NoExecute b=1:PreferNoSchedule", nodes.said("tainted")),
        ("c=1:NoSchedule b-", nodes.said("modified")),
        ("a:NoExecute-", nodes.said("untainted")),
        ("nope- no:NoSchedule-", Outcome(1, "", 'taint "nope" not found\ntaint "no:NoSchedule" not found\n')),
    ]
    for words, outcome in steps:
        assert nodes.taint(f"node ONE {words}") == outcome, words
    assert nodes.taints() == (
        '[{"effect":"NoSchedule","key":"c","value":"1"},{"effect":"NoSchedule","key":"a","value":"c"}]'
    )


def test_several_nodes_by_name_or_label(nodes: Nodes) -> None:
    assert nodes.taint("nodes ONE node/TWO a=b:NoSchedule") == nodes.said("tainted", "tainted")
    assert nodes.taint(f"node -l set={nodes.set} b=c:NoSchedule") == nodes.said("tainted", "tainted")
    assert nodes.taint("node --all everywhere:NoSchedule --dry-run=server").stdout.count("tainted\n") >= 2
    assert nodes.taint("node ONE nobody c=d:NoSchedule") == Outcome(
        1, nodes.said("tainted").stdout, 'Error from server (NotFound): nodes "nobody" not found\n'
    )


def test_a_dry_run_changes_nothing_and_does_not_say_so(nodes: Nodes) -> None:
    for mode in ("client", "server"):
        assert nodes.taint(f"node ONE a=b:NoSchedule --dry-run={mode}") == nodes.said("tainted")
        taints = nodes.taint(f"node ONE a=b:NoSchedule --dry-run={mode} -o jsonpath={{.spec.taints[*].key}}")
        assert taints.stdout == "a"
    assert nodes.taints() == ""


def test_the_node_is_printed_as_asked(nodes: Nodes) -> None:
    steps = [
        ("-o name", f"node/{nodes.one}\n"),
        ("--template={{.kind}}", "Node"),
        ("-o jsonpath={.nope}", ""),
    ]
    for number, (flags, stdout) in enumerate(steps):
        assert nodes.taint(f"node ONE t{number}:NoSchedule {flags}") == Outcome(0, stdout, "")
    strict = nodes.taint("node ONE x:NoSchedule -o jsonpath={.nope} --allow-missing-template-keys=false")
    assert "nope is not found" in strict.stderr
    assert "manager:" not in nodes.taint("node ONE y:NoSchedule -o yaml").stdout
    shown = nodes.taint("node ONE z:NoSchedule -o yaml --show-managed-fields --field-manager=me").stdout
    assert "    manager: me\n" in shown


def test_a_format_that_there_is_not_changes_nothing(nodes: Nodes) -> None:
    assert nodes.taint("node ONE a:NoSchedule -o wide").code == 1
    assert nodes.taints() == ""


def test_how_strictly_it_is_read_is_for_the_server_to_hear(nodes: Nodes) -> None:
    for mode, heard in (("ignore", "Ignore"), ("warn", "Warn")):
        done = nodes.taint(f"node ONE {mode}:NoSchedule --validate={mode} -v=6")
        assert done.stdout == nodes.said("tainted").stdout
        assert f"fieldValidation={heard}" in done.stderr


def test_validation_is_one_of_three(nodes: Nodes) -> None:
    assert nodes.taint("node ONE a:NoSchedule --validate=ignore") == nodes.said("tainted")
    assert nodes.taint("node ONE b:NoSchedule --validate=perhaps") == Outcome(
        1,
        "",
        'error: invalid - validate option "perhaps"; must be one of: strict (or true), warn, ignore (or false)\n',
    )


HELP = "See 'kctl taint -h' for help and examples\n"
REFUSED = [
    ("node", "error: at least one taint update is required\n"),
    ("a=b:NoSchedule", "error: one or more resources must be specified as <resource> <name>\n"),
    ("node a=b:NoSchedule",
     "error: at least one resource name must be specified since 'all' parameter is not set\n"),
    ("node n a:b:c", f"error: invalid taint spec: a:b:c\n{HELP}"),
    ("node n a=b:Soon", f"error: invalid taint effect: Soon, unsupported taint effect\n{HELP}"),
    ("node n a:NoSchedule a=c:NoSchedule",
     f"error: duplicated taints with the same key and effect: {{a c NoSchedule <nil>}}\n{HELP}"),
    ("node n a:NoSchedule a-",
     "error: can not both modify and remove the following taint(s) in the same command: a=\n"),
    ("node n a:NoSchedule x", "error: all resources must be specified before taint changes: x\n"),
    ("node --all -l a=b a:NoSchedule",
     "error: setting 'all' parameter with a non empty selector is prohibited\n"),
    ("pod p a:NoSchedule", "error: invalid resource type pod, only node types are supported\n"),
    ("nothing p a:NoSchedule", 'the server doesn\'t have a resource type "nothing"\n'),
]  # fmt: skip


@pytest.mark.parametrize(("words", "stderr"), REFUSED, ids=[words for words, _ in REFUSED])
def test_a_wrong_command_line_is_refused(read: Read, words: str, stderr: str) -> None:
    assert read("taint", *shlex.split(words)) == Outcome(1, "", stderr)
