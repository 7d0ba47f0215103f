"""`kctl cordon`: whole outputs."""

from __future__ import annotations

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


@pytest.fixture
def group(desk: Desk) -> str:
    """Nodes GROUP-1 and GROUP-2 with the label set=GROUP."""
    name = f"cordon{uuid.uuid4().hex[:6]}"
    desk.run("create", "-f", desk.write("nodes.yaml", NODES % (name, name, name, name)))
    return name


def test_nodes_are_marked_by_name_or_label(desk: Desk, group: str) -> None:
    one, two = f"node/{group}-1", f"node/{group}-2"
    steps = [
        ([f"{group}-1", "--dry-run=client"], f"{one} cordoned (dry run)\n"),
        ([f"{group}-1", "--dry-run=server"], f"{one} cordoned (server dry run)\n"),
        ([f"{group}-1"], f"{one} cordoned\n"),
        ([one], f"{one} already cordoned\n"),
        (["-l", f"set={group}"], f"{one} already cordoned\n{two} cordoned\n"),
        (["--selector=no=body"], ""),
    ]
    for words, stdout in steps:
        assert desk.run("cordon", *words) == Outcome(0, stdout, ""), words
    assert desk.run("get", "node", f"{group}-1", "-o", "jsonpath={.spec.unschedulable}").stdout == "true"


HELP = "See 'kctl cordon -h' for help and examples\n"
REFUSED = [
    ([], f"error: USAGE: cordon NODE [flags]\n{HELP}"),
    (["n", "-l", "a=b"], f"error: cannot specify both a node name and a --selector option\n{HELP}"),
    (["n", "-l", "a=b", "--dry-run=x"], f"error: cannot specify both a node name and a --selector option\n{HELP}"),
    (["nobody"], 'Error from server (NotFound): nodes "nobody" not found\n'),
    (["cm/apple"], 'error: expected resource of type node, got "/v1, Resource=configmaps"\n'),
]


@pytest.mark.parametrize(("words", "stderr"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_what_is_no_node_is_refused(read: Read, words: list[str], stderr: str) -> None:
    assert read("cordon", *words) == Outcome(1, "", stderr)
