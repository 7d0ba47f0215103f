"""`kctl create -f`: objects out of files, as they are, edited, or raw."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

SAVED = "kubectl.kubernetes.io/last-applied-configuration"


def test_objects_are_made_and_said(desk: Desk) -> None:
    file = desk.write(
        "two.yaml", "".join(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {n}}}\n---\n" for n in "ab")
    )
    assert desk.run("create", "-f", file, "--dry-run=client") == Outcome(
        0, "configmap/a created (dry run)\nconfigmap/b created (dry run)\n", ""
    )
    assert desk.run("create", "-f", file) == Outcome(0, "configmap/a created\nconfigmap/b created\n", "")
    there = "".join(
        f'Error from server (AlreadyExists): error when creating "two.yaml": configmaps "{n}" already exists\n'
        for n in "ab"
    )
    assert desk.run("create", "-f", file) == Outcome(1, "", there)
    assert desk.run("create", "--filename", file, "--dry-run=server") == Outcome(1, "", there)


def test_a_pipe_will_do(desk: Desk) -> None:
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"piped"}}'
    assert desk.run("create", "-f", "-", stdin=text) == Outcome(0, "configmap/piped created\n", "")
    assert desk.run("create", "-f", "-") == Outcome(1, "", "error: no objects passed to create\n")


def test_directories_are_read_as_deep_as_one_wants(desk: Desk) -> None:
    desk.config_map("dir/a.yaml", "a")
    desk.config_map("dir/deep/b.yaml", "b")
    desk.write("dir/notes.txt", "nothing")
    shallow = "configmap/a created (dry run)\n"
    assert desk.run("create", "-f", "dir", "--dry-run=client") == Outcome(0, shallow, "")
    deep = shallow + "configmap/b created (dry run)\n"
    assert desk.run("create", "-f", "dir", "-R", "--dry-run=client") == Outcome(0, deep, "")
    assert desk.run("create", "-f", "dir", "--recursive", "--dry-run=client") == Outcome(0, deep, "")


def test_a_kustomization_is_built(desk: Desk) -> None:
    desk.config_map("base/a.yaml", "a")
    desk.write("base/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: my-\n")
    for flag in ("-k", "--kustomize"):
        assert desk.run("create", flag, "base", "--dry-run=client") == Outcome(
            0, "configmap/my-a created (dry run)\n", ""
        )


def test_only_what_a_selector_means_is_made(desk: Desk) -> None:
    text = "".join(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {n}, labels: {{of: {n}}}}}\n---\n" for n in "ab"
    )
    file = desk.write("two.yaml", text)
    assert desk.run("create", "-f", file, "-l", "of=b", "--dry-run=client").stdout == "configmap/b created (dry run)\n"
    assert desk.run("create", "-f", file, "--selector", "of=c") == Outcome(
        1, "", "error: no objects passed to create\n"
    )


def test_fields_that_nobody_knows_are_refused_warned_of_or_ignored(desk: Desk) -> None:
    file = desk.write("odd.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\nodd: 1\n")
    said = (
        'Error from server (BadRequest): error when creating "odd.yaml": ConfigMap in version "v1" cannot be handled '
        'as a ConfigMap: strict decoding error: unknown field "odd"\n'
    )
    assert desk.run("create", "-f", file) == Outcome(1, "", said)
    warned = desk.run("create", "-f", file, "--validate=warn", "--dry-run=server")
    assert warned == Outcome(0, "configmap/odd created (server dry run)\n", 'Warning: unknown field "odd"\n')
    assert desk.run("create", "-f", file, "--validate=ignore") == Outcome(0, "configmap/odd created\n", "")


def test_who_made_it_and_what_was_asked_for_is_remembered(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", k="v")
    done = desk.run(
        *(
            "create",
            "-f",
            file,
            "--save-config",
            "--field-manager=me",
            "--record",
            "--show-managed-fields",
            "-o",
            "json",
        )
    )
    assert (done.code, done.stderr) == (
        0,
        "Flag --record has been deprecated, --record will be removed in the future\n",
    )
    metadata = json.loads(done.stdout)["metadata"]
    assert [one["manager"] for one in metadata["managedFields"]] == ["me"]
    assert json.loads(metadata["annotations"][SAVED])["data"] == {"k": "v"}
    assert metadata["annotations"]["kubernetes.io/change-cause"].startswith("kctl create --")
    hidden = desk.run("create", "-f", desk.config_map("b.yaml", "b"), "-o", "jsonpath={.metadata.name}")
    assert hidden == Outcome(0, "b", "")


def test_templates_choose_what_is_shown(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a")
    line = ("create", "-f", file, "--dry-run=client")
    assert desk.run(*line, "--template={{.kind}}{{.x}}") == Outcome(0, "ConfigMap<no value>", "")
    strict = desk.run(*line, "-o", "go-template={{.x}}", "--allow-missing-template-keys=false")
    assert strict.code == 1
    assert 'map has no entry for key "x"' in strict.stderr


def test_an_object_is_edited_before_it_is_made(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", k="v")
    editor = desk.editor("text = text.replace('k: v', 'k: edited')")
    assert desk.run("create", "-f", file, "--edit", KUBE_EDITOR=editor) == Outcome(0, "configmap/a created\n", "")
    assert desk.run("get", "cm", "a", "-o", "jsonpath={.data.k}").stdout == "edited"
    same = desk.run("create", "-f", file, "--edit", KUBE_EDITOR=desk.editor(""))
    assert same == Outcome(0, "", "Edit cancelled, no changes made.\n")


def test_an_editor_for_windows_sees_its_line_ends(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", k="v")
    seen = desk.directory / "seen"
    editor = desk.program(
        f"import pathlib\npathlib.Path({str(seen)!r}).write_bytes(pathlib.Path(sys.argv[-1]).read_bytes())"
    )
    desk.run("create", "-f", file, "--edit", "--windows-line-endings", KUBE_EDITOR=editor)
    assert b"kind: ConfigMap\r\n" in seen.read_bytes()


def test_a_file_is_sent_as_it_is(desk: Desk) -> None:
    file = desk.write("raw.json", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"}}')
    path = f"/api/v1/namespaces/{desk.namespace}/configmaps"
    assert json.loads(desk.run("create", "--raw", path, "-f", file).stdout)["metadata"]["name"] == "raw"
    again = desk.run("create", "--raw", path, "-f", file)
    assert again == Outcome(1, "", 'Error from server (AlreadyExists): configmaps "raw" already exists\n')


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "must specify one of -f and -k"),
        (["-f", "nope"], 'the path "nope" does not exist'),
        (["-f", "a.yaml", "--dry-run=odd"], 'Invalid dry-run value (odd). Must be "none", "server", or "client".'),
        (["-f", "a.yaml", "--raw=/x", "--edit"], "--raw and --edit are mutually exclusive"),
        (["-f", "a.yaml", "-f", "a.yaml", "--raw=/x"], "--raw can only use a single local file or stdin"),
        (["-f", "http://x/y", "--raw=/x"], "--raw cannot read from a url"),
        (["-f", "a.yaml", "-R", "--raw=/x"], "--raw and --recursive are mutually exclusive"),
        (["-f", "a.yaml", "-l", "a=b", "--raw=/x"], "--raw and --selector (-l) are mutually exclusive"),
        (["-f", "a.yaml", "-o", "yaml", "--raw=/x"], "--raw and --output are mutually exclusive"),
        (["-f", "a.yaml", "--raw=x"], '--raw must be a valid URL path: parse "x": invalid URI for request'),
        (["-f", "nope", "--raw=/x"], "open nope: no such file or directory"),
    ],
)
def test_a_wrong_command_line_is_refused(desk: Desk, words: list[str], said: str) -> None:
    desk.config_map("a.yaml", "a")
    assert desk.run("create", *words) == Outcome(1, "", f"error: {said}\n")


def test_words_that_nobody_expected_are_refused(desk: Desk) -> None:
    said = "error: Unexpected args: [a b]\nSee 'kctl create -h' for help and examples\n"
    assert desk.run("create", "-f", "x", "a", "b") == Outcome(1, "", said)
