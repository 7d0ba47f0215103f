"""`kctl label`: whole outputs."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk


@pytest.fixture
def made(desk: Desk) -> Desk:
    """Config maps a and b; a is labelled app=fruit."""
    desk.run("create", "-f", desk.write("made.yaml", MADE))
    return desk


MADE = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: fruit}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
"""


def label(desk: Desk, line: str) -> Outcome:
    return desk.run("label", *shlex.split(line))


def labels(desk: Desk, name: str = "a") -> str:
    return desk.run("get", "cm", name, "-o", "jsonpath={.metadata.labels}").stdout


def test_labels_are_set_changed_and_taken_away(made: Desk) -> None:
    steps = [
        ("k=1", Outcome(0, "configmap/a labeled\n", "")),
        ("k=1", Outcome(0, "configmap/a not labeled\n", "")),
        ("k=2", Outcome(1, "", "error: 'k' already has a value (1), and --overwrite is false\n")),
        ("k=2 app=x", Outcome(1, "", "'k' already has a value (1), and --overwrite is false\n"
                                     "'app' already has a value (fruit), and --overwrite is false\n")),
        ("k=2 --overwrite", Outcome(0, "configmap/a labeled\n", "")),
        ("k- new=1", Outcome(0, "configmap/a modified\n", "")),
        ("k- new-", Outcome(0, 'label "k" not found.\nconfigmap/a unlabeled\n', "")),
        ("app- app-", Outcome(0, "configmap/a unlabeled\n", "")),
        ("example.com/team=shop empty=", Outcome(0, "configmap/a labeled\n", "")),
    ]  # fmt: skip
    for words, outcome in steps:
        assert label(made, f"cm a {words}") == outcome, words
    assert labels(made) == '{"empty":"","example.com/team":"shop"}'


DRY = [
    ("k=3 --dry-run=client", "configmap/a labeled (dry run)\n"),
    ("k=3 --dry-run=server", "configmap/a labeled (server dry run)\n"),
    ("app- k=3 --dry-run=server", "configmap/a modified (server dry run)\n"),
    ("gone- --dry-run=client", "configmap/a not labeled (dry run)\n"),
    ("gone- --dry-run=server", 'label "gone" not found.\nconfigmap/a not labeled (server dry run)\n'),
]


def test_a_dry_run_changes_nothing(made: Desk) -> None:
    for words, stdout in DRY:
        assert label(made, f"cm a {words}") == Outcome(0, stdout, ""), words
    assert labels(made) == '{"app":"fruit"}'


CHOSEN = [
    ("cm a b", "ab"),
    ("cm/a cm/b", "ab"),
    ("cm -l app=fruit", "a"),
    ("cm -l 'app notin (fruit),!root' --field-selector=metadata.name!=kube-root-ca.crt", "b"),
    ("cm --field-selector=metadata.name=b", "b"),
    ("-f made.yaml", "ab"),
    ("-f made.yaml -l app=fruit", "a"),
]


def test_objects_are_chosen_by_name_selector_or_file(made: Desk) -> None:
    for number, (words, names) in enumerate(CHOSEN):
        said = "".join(f"configmap/{name} labeled\n" for name in names)
        assert label(made, f"{words} x{number}=1") == Outcome(0, said, ""), words


def test_all_means_all_of_a_type(made: Desk) -> None:
    made.run("create", "secret", "generic", "s")
    assert label(made, "secrets --all x=1") == Outcome(0, "secret/s labeled\n", "")
    assert label(made, "pods --all x=1") == Outcome(0, "", "")


def test_all_namespaces_are_looked_through(made: Desk) -> None:
    label(made, f"cm a where={made.namespace}")
    assert label(made, f"cm -n default -l where={made.namespace} x=1") == Outcome(0, "", "")
    assert label(made, f"cm -n default -A -l where={made.namespace} x=1").stdout == "configmap/a labeled\n"
    assert label(made, "cm a --all-namespaces x=1").stderr == (
        "error: a resource cannot be retrieved by name across all namespaces\n"
    )


def test_directories_are_entered_only_when_asked(made: Desk) -> None:
    made.config_map("dir/a.yaml", "a")
    made.config_map("dir/deep/b.yaml", "b")
    assert label(made, "-f dir x=1").stdout == "configmap/a labeled\n"
    assert label(made, "-f dir -R y=1").stdout == "configmap/a labeled\nconfigmap/b labeled\n"


def test_a_kustomization_says_which_objects(made: Desk) -> None:
    made.write("kus/kustomization.yaml", "resources: [a.yaml]\n")
    made.config_map("kus/a.yaml", "a")
    assert label(made, "-k kus x=1") == Outcome(0, "configmap/a labeled\n", "")
    assert label(made, "-k kus -R x=1").stderr == "error: the -k flag can't be used with -f or -R\n"


def test_labels_are_listed_with_the_changes_given(made: Desk) -> None:
    assert label(made, "cm a --list").stdout == "app=fruit\n"
    assert label(made, "cm a --list new=1").stdout == "app=fruit\nnew=1\n"
    assert label(made, "cm a b --list").stdout == (
        "Listing labels for ConfigMap./a:\n app=fruit\nListing labels for ConfigMap./b:\n"
    )
    assert label(made, "cm a --list -o yaml").stderr == "error: --list and --output may not be specified together\n"
    assert labels(made) == '{"app":"fruit"}'


def test_a_file_is_labelled_without_a_server(desk: Desk) -> None:
    desk.config_map("a.yaml", "a")
    assert label(desk, "-f a.yaml --local k=v -o yaml").stdout == (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    k: v\n  name: a\n"
    )
    assert label(desk, "-f a.yaml --local k=v") == Outcome(0, "configmap/a labeled\n", "")
    assert label(desk, "cm a --local k=v").stderr == (
        "error: can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set\n"
    )
    assert desk.run("get", "cm", "a").code == 1


PRINTED = [
    ("-o name", "configmap/a\n"),
    ("-o jsonpath={.metadata.labels.k}", "9"),
    ("--template={{.metadata.labels.k}}", "9"),
    ("-o jsonpath={.nope}", ""),
]


def test_the_object_is_printed_as_asked(made: Desk) -> None:
    for flags, stdout in PRINTED:
        assert label(made, f"cm a k=9 {flags}") == Outcome(0, stdout, ""), flags


def test_a_key_that_is_not_there_may_be_an_error(made: Desk) -> None:
    done = label(made, "cm a k=9 -o jsonpath={.nope} --allow-missing-template-keys=false")
    assert done.code == 1
    assert done.stderr.startswith('error: error executing jsonpath "{.nope}": Error executing template: nope is not')


def test_managers_are_named_and_shown(made: Desk) -> None:
    label(made, "cm a k=9 --field-manager=me")
    plain = label(made, "cm a l=10 -o yaml").stdout
    shown = label(made, "cm a m=11 -o yaml --show-managed-fields").stdout
    assert "manager" not in plain
    assert "    manager: me\n" in shown


def test_a_change_may_be_for_one_version_only(made: Desk) -> None:
    version = made.run("get", "cm", "a", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert label(made, f"cm a k=v --resource-version={version}") == Outcome(0, "configmap/a labeled\n", "")
    assert label(made, f"cm a l=v --resource-version={version}") == Outcome(
        1,
        "",
        'Error from server (Conflict): Operation cannot be fulfilled on configmaps "a": the object has been '
        "modified; please apply your changes to the latest version and try again\n",
    )


def test_the_command_line_is_recorded_for_those_who_still_ask(made: Desk) -> None:
    assert label(made, "cm a k=1 --record") == Outcome(
        0, "configmap/a labeled\n", "Flag --record has been deprecated, --record will be removed in the future\n"
    )
    noted = made.run("get", "cm", "a", "-o", "jsonpath={.metadata.annotations}").stdout
    assert noted == '{"kubernetes.io/change-cause":"kctl label cm a k=1 --namespace=<ns> --record=true"}'


REFUSED = [
    ("", "one or more resources must be specified as <resource> <name> or <resource>/<name>"),
    ("cm a", "at least one label update is required"),
    ("cm k=v", "resource(s) were provided, but no name was specified"),
    ("cm a k=v k-", "can not both modify and remove a label in the same command"),
    ("cm a k=v b", "all resources must be specified before label changes: b"),
    ("cm a k=v=w", "invalid label spec: k=v=w"),
    ("cm a 'k=b c'", (
        'invalid label value: "k=b c": a valid label must be an empty string or consist of alphanumeric characters, '
        "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
        "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')")),
    ("cm --all k=v -l a=b", "cannot set --all and --selector at the same time"),
    ("cm --all k=v --field-selector=a=b", "cannot set --all and --field-selector at the same time"),
    ("cm a b k=v --resource-version=1", "--resource-version may only be used with a single resource"),
    ("nothing a k=v", 'the server doesn\'t have a resource type "nothing"'),
    ("--local k=v", "one or more files must be specified as -f pod.yaml or --filename=pod.json"),
    ("cm a k=v --dry-run=maybe", 'Invalid dry-run value (maybe). Must be "none", "server", or "client".'),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[words for words, _ in REFUSED])
def test_a_wrong_command_line_is_refused(read: Read, words: str, said: str) -> None:
    assert read("label", *shlex.split(words)) == Outcome(1, "", f"error: {said}\n")


def test_one_that_is_missing_does_not_stop_the_others(made: Desk) -> None:
    assert label(made, "cm missing a app=other") == Outcome(
        1,
        "",
        'Error from server (NotFound): configmaps "missing" not found\n'
        "'app' already has a value (fruit), and --overwrite is false\n",
    )
