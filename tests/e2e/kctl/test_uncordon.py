"""`kctl uncordon`: whole outputs."""

from __future__ import annotations

import uuid

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

NODE = "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {set: %s}}, spec: {unschedulable: true}}\n"


@pytest.fixture
def node(desk: Desk) -> str:
    """A node that is cordoned, with a label `set` of its own name."""
    name = f"uncordon{uuid.uuid4().hex[:6]}"
    desk.run("create", "-f", desk.write("node.yaml", NODE % (name, name)))
    return name


def test_nodes_are_marked_by_name_or_label(desk: Desk, node: str) -> None:
    steps = [
        ([node, "--dry-run=client"], f"node/{node} uncordoned (dry run)\n"),
        ([node, "--dry-run=server"], f"node/{node} uncordoned (server dry run)\n"),
        (["-l", f"set={node}"], f"node/{node} uncordoned\n"),
        ([node], f"node/{node} already uncordoned\n"),
        (["-l", "no=body"], ""),
    ]
    for words, stdout in steps:
        assert desk.run("uncordon", *words) == Outcome(0, stdout, ""), words
    assert desk.run("get", "node", node, "-o", "jsonpath={.spec.unschedulable}").stdout == ""


HELP = "See 'kctl uncordon -h' for help and examples\n"
REFUSED = [
    ([], f"error: USAGE: uncordon NODE [flags]\n{HELP}"),
    (["n", "--selector=a=b"], f"error: cannot specify both a node name and a --selector option\n{HELP}"),
    (["nobody"], 'Error from server (NotFound): nodes "nobody" not found\n'),
]


@pytest.mark.parametrize(("words", "stderr"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_what_is_no_node_is_refused(read: Read, words: list[str], stderr: str) -> None:
    assert read("uncordon", *words) == Outcome(1, "", stderr)
