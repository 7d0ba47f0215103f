"""`kctl annotate`: whole outputs."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

MADE = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: fruit}, annotations: {note: hello}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
"""


@pytest.fixture
def made(desk: Desk) -> Desk:
    """Config maps a and b; a has note=hello."""
    desk.run("create", "-f", desk.write("made.yaml", MADE))
    return desk


def annotate(desk: Desk, line: str) -> Outcome:
    return desk.run("annotate", *shlex.split(line))


def annotations_of(desk: Desk, name: str = "a") -> str:
    return desk.run("get", "cm", name, "-o", "jsonpath={.metadata.annotations}").stdout


def test_annotations_are_set_changed_and_taken_away(made: Desk) -> None:
    taken = "error: --overwrite is false but found the following declared annotation(s): "
    steps = [
        ("'text=a = b, c'", Outcome(0, "configmap/a annotated\n", "")),
        ("note=other text=x", Outcome(1, "", f"{taken}'note' already has a value (hello); "
                                             "'text' already has a value (a = b, c)\n")),
        ("note=other --overwrite", Outcome(0, "configmap/a annotated\n", "")),
        ("kubernetes.io/change-cause=one", Outcome(0, "configmap/a annotated\n", "")),
        ("kubernetes.io/change-cause=two", Outcome(0, "configmap/a annotated\n", "")),
        ("text- never-", Outcome(0, "configmap/a annotated\n", "")),
    ]  # fmt: skip
    for words, outcome in steps:
        assert annotate(made, f"cm a {words}") == outcome, words
    assert annotations_of(made) == '{"kubernetes.io/change-cause":"two","note":"other"}'


DRY = [("client", "dry run"), ("server", "server dry run")]


def test_a_dry_run_changes_nothing(made: Desk) -> None:
    for mode, after in DRY:
        assert annotate(made, f"cm a k=v --dry-run={mode}") == Outcome(0, f"configmap/a annotated ({after})\n", "")
    assert annotations_of(made) == '{"note":"hello"}'


CHOSEN = [
    ("cm a b", "ab"),
    ("cm -l app=fruit", "a"),
    ("cm --field-selector=metadata.name=b", "b"),
    ("-f made.yaml", "ab"),
]


def test_objects_are_chosen_by_name_selector_or_file(made: Desk) -> None:
    for number, (words, names) in enumerate(CHOSEN):
        said = "".join(f"configmap/{name} annotated\n" for name in names)
        assert annotate(made, f"{words} x{number}=1") == Outcome(0, said, ""), words


def test_all_of_a_type_in_one_namespace_or_in_all(made: Desk) -> None:
    made.run("create", "secret", "generic", "s")
    made.run("label", "secret", "s", f"where={made.namespace}")
    assert annotate(made, "secrets --all x=1") == Outcome(0, "secret/s annotated\n", "")
    assert annotate(made, f"secrets -n default -l where={made.namespace} y=1") == Outcome(0, "", "")
    assert annotate(made, f"secrets -n default -A -l where={made.namespace} y=1").stdout == "secret/s annotated\n"


def test_directories_are_entered_unless_told_otherwise(made: Desk) -> None:
    made.config_map("dir/a.yaml", "a")
    made.config_map("dir/deep/b.yaml", "b")
    assert annotate(made, "-f dir x=1").stdout == "configmap/a annotated\nconfigmap/b annotated\n"
    assert annotate(made, "-f dir -R=false y=1").stdout == "configmap/a annotated\n"


def test_a_kustomization_needs_a_word_as_well(made: Desk) -> None:
    """-R is on by itself here, and does not go with -k."""
    made.write("kus/kustomization.yaml", "resources: [a.yaml]\n")
    made.config_map("kus/a.yaml", "a")
    assert annotate(made, "-k kus x=1").stderr == "error: the -k flag can't be used with -f or -R\n"
    assert annotate(made, "-k kus -R=false x=1") == Outcome(0, "configmap/a annotated\n", "")
    assert annotate(made, "-k kus -f made.yaml x=1").stderr == (
        "only one of -f or -k can be specified\nthe -k flag can't be used with -f or -R\n"
    )


def test_annotations_are_listed_with_the_changes_given(made: Desk) -> None:
    assert annotate(made, "cm a --list new=1").stdout == "new=1\nnote=hello\n"
    assert annotate(made, "cm a b --list").stdout == (
        "Listing annotations for ConfigMap./a:\n note=hello\nListing annotations for ConfigMap./b:\n"
    )
    assert annotations_of(made) == '{"note":"hello"}'


def test_a_file_is_annotated_without_a_server(desk: Desk) -> None:
    desk.config_map("a.yaml", "a")
    assert annotate(desk, "-f a.yaml --local k=v -o yaml").stdout == (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    k: v\n  name: a\n"
    )
    assert desk.run("get", "cm", "a").code == 1


PRINTED = [
    ("-o name", "configmap/a\n"),
    ("-o jsonpath={.metadata.annotations.k}", "9"),
    ("--template={{.metadata.annotations.k}}", "9"),
    ("-o jsonpath={.nope}", ""),
]


def test_the_object_is_printed_as_asked(made: Desk) -> None:
    for flags, stdout in PRINTED:
        assert annotate(made, f"cm a k=9 {flags}") == Outcome(0, stdout, ""), flags


def test_a_key_that_is_not_there_may_be_an_error(made: Desk) -> None:
    done = annotate(made, "cm a k=9 -o jsonpath={.nope} --allow-missing-template-keys=false")
    assert done.code == 1
    assert "nope is not found" in done.stderr


def test_managers_are_named_and_shown(made: Desk) -> None:
    plain = annotate(made, "cm a k=9 --field-manager=me -o yaml").stdout
    shown = annotate(made, "cm a k=9 -o yaml --show-managed-fields").stdout
    assert "manager" not in plain
    assert "    manager: me\n" in shown


def test_a_change_may_be_for_one_version_only(made: Desk) -> None:
    version = made.run("get", "cm", "a", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert annotate(made, f"cm a k=v --resource-version={version}").stdout == "configmap/a annotated\n"
    assert annotate(made, f"cm a l=v --resource-version={version}") == Outcome(
        1,
        "",
        'Error from server (Conflict): Operation cannot be fulfilled on configmaps "a": the object has been '
        "modified; please apply your changes to the latest version and try again\n",
    )


def test_the_command_line_is_recorded_for_those_who_still_ask(made: Desk) -> None:
    done = annotate(made, "cm b k=1 --record --token=secret -o name")
    assert done.stderr.startswith("Flag --record has been deprecated, --record will be removed in the future\n")
    done = annotate(made, "cm b k=1 --record")
    assert done.stdout == "configmap/b annotated\n"
    assert annotations_of(made, "b") == (
        '{"k":"1","kubernetes.io/change-cause":"kctl annotate cm b k=1 --namespace=<ns> --record=true"}'
    )


REFUSED = [
    ("", "one or more resources must be specified as <resource> <name> or <resource>/<name>"),
    ("cm a", "at least one annotation update is required"),
    ("cm a k=v k-", "can not both modify and remove the following annotation(s) in the same command: k"),
    ("cm a k=v b", "all resources must be specified before annotation changes: b"),
    ("cm a --list -o yaml", "--list and --output may not be specified together"),
    ("cm --all k=v -l a=b", "cannot set --all and --selector at the same time"),
    ("cm a b k=v --resource-version=1", "--resource-version may only be used with a single resource"),
    ("--local k=v", "one or more files must be specified as -f rsrc.yaml or --filename=rsrc.json"),
    ("-f made.yaml k=v -o wide", (
        'unable to match a printer suitable for the output format "wide", allowed formats are: go-template,'
        "go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml")),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[words for words, _ in REFUSED])
def test_a_wrong_command_line_is_refused(read: Read, words: str, said: str) -> None:
    assert read("annotate", *shlex.split(words)) == Outcome(1, "", f"error: {said}\n")
