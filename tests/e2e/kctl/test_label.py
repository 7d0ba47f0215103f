"""`kctl label` and `kctl annotate`: whole outputs."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk


@pytest.fixture
def made(desk: Desk) -> Desk:
    """Config maps a and b."""
    for name in "ab":
        desk.run("create", "-f", desk.config_map(f"{name}.yaml", name))
    return desk


def test_labels_are_set_changed_and_taken_away(made: Desk) -> None:
    steps = [
        (["k=1"], 0, "configmap/a labeled\n", ""),
        (["k=1"], 0, "configmap/a not labeled\n", ""),
        (["k=2"], 1, "", "error: 'k' already has a value (1), and --overwrite is false\n"),
        (["k=2", "--overwrite"], 0, "configmap/a labeled\n", ""),
        (["k-", "new=1"], 0, "configmap/a modified\n", ""),
        (["k-", "new-"], 0, 'label "k" not found.\nconfigmap/a unlabeled\n', ""),
        (["k=3", "--dry-run=client"], 0, "configmap/a labeled (dry run)\n", ""),
    ]
    for words, code, stdout, stderr in steps:
        assert made.run("label", "cm", "a", *words) == Outcome(code, stdout, stderr)
    assert made.run("get", "cm", "a", "-o", "jsonpath={.metadata.labels}").stdout == ""


def test_many_objects_are_labelled_and_listed(made: Desk) -> None:
    made.run("label", "cm", "a", "b", "mine=yes")
    assert made.run("label", "cm", "-l", "mine=yes", "x=1") == Outcome(
        0, "configmap/a labeled\nconfigmap/b labeled\n", ""
    )
    listed = "Listing labels for ConfigMap./{}:\n mine=yes\n x=1\n"
    assert made.run("label", "cm", "a", "b", "--list").stdout == listed.format("a") + listed.format("b")
    assert made.run("label", "cm", "a", "--list").stdout == "mine=yes\nx=1\n"


def test_a_file_is_labelled_without_a_server(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a")
    done = desk.run("label", "-f", file, "--local", "k=v", "-o", "yaml")
    assert done.stdout == "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    k: v\n  name: a\n"


@pytest.mark.parametrize(
    ("verb", "words", "said"),
    [
        ("label", ["cm", "a"], "at least one label update is required"),
        ("label", ["cm", "a", "k=v", "k-"], "can not both modify and remove a label in the same command"),
        ("label", ["cm", "a", "k=v", "b"], "all resources must be specified before label changes: b"),
        ("label", ["cm", "a", "k=v=w"], "invalid label spec: k=v=w"),
        ("label", [], "one or more resources must be specified as <resource> <name> or <resource>/<name>"),
        ("label", ["cm", "a", "b", "k=v", "--resource-version=1"],
         "--resource-version may only be used with a single resource"),
        ("annotate", ["cm", "a"], "at least one annotation update is required"),
        ("annotate", ["cm", "a", "k=v", "k-"],
         "can not both modify and remove the following annotation(s) in the same command: k"),
        ("annotate", ["cm", "a", "--list", "-o", "yaml"], "--list and --output may not be specified together"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_refused(made: Desk, verb: str, words: list[str], said: str) -> None:
    assert made.run(verb, *words) == Outcome(1, "", f"error: {said}\n")


def test_annotations_are_set_and_taken_away(made: Desk) -> None:
    assert made.run("annotate", "cm", "a", "note=hello there") == Outcome(0, "configmap/a annotated\n", "")
    assert made.run("annotate", "cm", "a", "note=other").stderr == (
        "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (hello "
        "there)\n"
    )
    assert made.run("annotate", "cm", "a", "note=other", "--overwrite").code == 0
    assert made.run("annotate", "cm", "a", "--list").stdout == "note=other\n"
    assert made.run("annotate", "cm", "a", "note-").stdout == "configmap/a annotated\n"
    everything = made.run("annotate", "cm", "--all", "all=1").stdout
    assert everything.startswith("configmap/a annotated\nconfigmap/b annotated\n")


def test_a_change_may_be_for_one_version_only(made: Desk) -> None:
    for verb in ("label", "annotate"):
        done = made.run(verb, "cm", "a", "k=v", "--resource-version=1")
        assert done == Outcome(
            1,
            "",
            'Error from server (Conflict): Operation cannot be fulfilled on configmaps "a": the object has been '
            "modified; please apply your changes to the latest version and try again\n",
        )
