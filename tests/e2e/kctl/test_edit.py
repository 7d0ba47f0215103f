"""`kctl edit` and `create --edit`: the user's editor, and what becomes of what comes back."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_HEADER = """\
# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
"""
_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
_KEPT = 'A copy of your changes has been stored to "<edited>.yaml"\n'


@pytest.fixture
def made(desk: Desk) -> Desk:
    desk.run("create", "-f", desk.config_map("a.yaml", "a", x="1"))
    return desk


def _object(desk: Desk) -> dict[str, object]:
    shown: dict[str, object] = json.loads(desk.run("get", "cm", "a", "-o", "json", "--show-managed-fields").stdout)
    return shown


def test_a_change_is_sent_as_a_patch(made: Desk) -> None:
    editor = made.editor("text = text.replace('x: \"1\"', 'x: \"2\"')")
    done = made.run("edit", "cm", "a", "--output-patch", KUBE_EDITOR=editor)
    assert done == Outcome(0, 'Patch: {"data":{"x":"2"}}\nconfigmap/a edited\n', "")


def test_no_change_is_no_edit(made: Desk) -> None:
    editor = made.editor("print(text, file=sys.stderr, end='')")
    done = made.run("edit", "cm", "a", KUBE_EDITOR=editor)
    assert (done.code, done.stdout) == (0, "")
    assert done.stderr == (
        f'{_HEADER}apiVersion: v1\ndata:\n  x: "1"\nkind: ConfigMap\nmetadata:\n  creationTimestamp: "<time>"\n'
        '  name: a\n  namespace: <ns>\n  resourceVersion: "<rv>"\n  uid: <uid>\nEdit cancelled, no changes made.\n'
    )


def test_other_words_for_the_same_are_no_change(made: Desk) -> None:
    editor = made.editor("text = text.replace('x: \"1\"', \"x:   '1'\").replace('kind', '# new\\nkind')")
    done = made.run("edit", "cm", "a", KUBE_EDITOR=editor)
    assert done == Outcome(0, "", "Edit cancelled, no changes made.\n")


def test_it_is_opened_as_it_is_asked_for(made: Desk) -> None:
    show = made.program("print(repr(open(sys.argv[-1], 'rb').read().decode()), file=sys.stderr)")
    assert made.run("edit", "cm", "a", "-o", "json", KUBE_EDITOR=show).stderr.startswith('\'{\\n    "apiVersion": "v1"')
    crlf = made.run("edit", "cm", "a", "--windows-line-endings", KUBE_EDITOR=show).stderr
    assert "will be ignored,\\r\\n#" in crlf
    assert "kind: ConfigMap\\r\\n" in crlf
    assert made.run("edit", "cm", "a", "-o", "wide", KUBE_EDITOR=show) == Outcome(
        1,
        "",
        'error: unable to match a printer suitable for the output format "wide", '
        "allowed formats are: json,kyaml,yaml\n",
    )


def test_the_edited_object_is_printed_as_it_is_asked_for(made: Desk) -> None:
    editor = made.editor("text = text.replace('x: \"1\"', 'x: \"2\"')")
    managed = ("-o", "yaml", "--show-managed-fields", "--field-manager=me")
    shown = made.run("edit", "cm", "a", *managed, KUBE_EDITOR=editor)
    assert "    manager: me\n" in shown.stdout
    back = made.editor("text = text.replace('x: \"2\"', 'x: \"1\"')")
    named = made.run(
        "edit", "cm", "a", "--template={{.data.x}}", "--allow-missing-template-keys=false", KUBE_EDITOR=back
    )
    assert named == Outcome(0, "1", "")
    strict = ("--template={{.nope}}", "--allow-missing-template-keys=false")
    again = made.editor("text = text.replace('x: \"1\"', 'x: \"2\"')")
    assert made.run("edit", "cm", "a", *strict, KUBE_EDITOR=again).code == 1


def test_the_object_remembers_what_was_edited_and_by_which_command(made: Desk) -> None:
    editor = made.editor("text = text.replace('x: \"1\"', 'x: \"2\"')")
    made.run("edit", "cm", "a", "--save-config", "--record", KUBE_EDITOR=editor)
    annotations = _object(made)["metadata"]["annotations"]  # type: ignore[index]  # of an object it is a map
    assert json.loads(annotations[_ANNOTATION])["data"] == {"x": "2"}
    cause = "kctl edit cm a --namespace=<ns> --save-config=true --record=true"
    assert annotations["kubernetes.io/change-cause"] == cause


def test_files_directories_and_kustomizations_say_what_is_edited(made: Desk) -> None:
    show = made.editor("print(text.count('name: a'), file=sys.stderr)")
    cancelled = "1\nEdit cancelled, no changes made.\n"
    made.write("d/e/a.yaml", (made.directory / "a.yaml").read_text())
    assert made.run("edit", "-R", "-f", "d", KUBE_EDITOR=show) == Outcome(0, "", cancelled)
    made.write("d/e/kustomization.yaml", "resources: [a.yaml]\n")
    assert made.run("edit", "-k", "d/e", KUBE_EDITOR=show) == Outcome(0, "", cancelled)


def test_a_part_of_an_object_is_edited(desk: Desk) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n"
    desk.run("create", "-f", "-", stdin=pod)
    editor = desk.editor("text = text.replace('phase: Pending', 'phase: Running')")
    done = desk.run("edit", "pod", "p", "--subresource=status", "--output-patch", KUBE_EDITOR=editor)
    assert done == Outcome(0, 'Patch: {"status":{"phase":"Running"}}\npod/p edited\n', "")
    assert desk.run("get", "pod", "p", "-o", "jsonpath={.status.phase}").stdout == "Running"


def test_what_the_server_refuses_is_shown_again_with_its_reasons(made: Desk) -> None:
    editor = made.editor(
        "refused = 'was not valid' in text\n"
        "text = text.replace('x: \"1\"', 'bad key: \"1\"') if not refused else text.replace('bad key', 'good')\n"
        "print(text.split('apiVersion')[0], file=sys.stderr) if refused else None"
    )
    done = made.run("edit", "cm", "a", KUBE_EDITOR=editor)
    assert (done.code, done.stdout) == (0, "configmap/a edited\n")
    assert done.stderr.startswith(
        f'error: configmaps "a" is invalid\n{_HEADER}# configmaps "a" was not valid:\n# * data'
    )


def test_fields_that_nobody_knows_may_be_dropped(made: Desk) -> None:
    editor = made.editor("text = text.replace('kind:', 'bogus: 1\\nkind:') if 'bogus' not in text else text")
    refused = made.run("edit", "cm", "a", KUBE_EDITOR=editor)
    assert (refused.code, refused.stderr.splitlines()[-1]) == (1, "error: Edit cancelled, no valid changes were saved.")
    warned = made.run("edit", "cm", "a", "--validate=warn", KUBE_EDITOR=editor)
    assert warned == Outcome(0, "configmap/a edited\n", 'Warning: unknown field "bogus"\n')


def test_an_empty_file_is_no_object_and_without_validation_no_edit(made: Desk) -> None:
    empty = made.editor("text = ''")
    said = f'error: configmaps "a" is invalid\n{_KEPT}error: Edit cancelled, no valid changes were saved.\n'
    assert made.run("edit", "cm", "a", KUBE_EDITOR=empty) == Outcome(1, "", said)
    unchecked = made.run("edit", "cm", "a", "--validate=false", KUBE_EDITOR=empty)
    assert unchecked == Outcome(0, "", "Edit cancelled, saved file was empty.\n")


def test_a_name_or_a_namespace_cant_be_edited(made: Desk) -> None:
    renamed = made.run("edit", "cm", "a", KUBE_EDITOR=made.editor("text = text.replace('name: a', 'name: b')"))
    assert renamed == Outcome(1, "", f"{_KEPT}error: At least one of apiVersion, kind and name was changed\n")
    moving = made.editor(f"text = text.replace('namespace: {made.namespace}', 'namespace: other')")
    assert made.run("edit", "cm", "a", KUBE_EDITOR=moving) == Outcome(
        1,
        "",
        f'{_KEPT}error: the namespace from the provided object "other" does not match the namespace "<ns>". You must '
        "pass '--namespace=other' to perform this operation.\n",
    )


def test_who_was_too_late_keeps_the_file(made: Desk) -> None:
    editor = made.editor(
        "text = text.replace('x: \"1\"', 'x: \"2\"')\n"
        "text = text.replace('resourceVersion: \"', 'resourceVersion: \"9')"
    )
    done = made.run("edit", "cm", "a", KUBE_EDITOR=editor)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith('error: configmaps "a" could not be patched: Operation cannot be fulfilled on')
    assert done.stderr.endswith("You can run `kctl replace -f <edited>.yaml` to try this update again.\n")


def test_several_objects_are_edited_in_one_file(made: Desk) -> None:
    made.run("create", "-f", made.config_map("b.yaml", "b", x="1"))
    editor = made.editor("text = text.replace('x: \"1\"', 'x: \"2\"', 1)")
    done = made.run("edit", "cm/a", "cm/b", KUBE_EDITOR=editor)
    assert done == Outcome(0, "configmap/a edited\nconfigmap/b skipped\n", "")


def test_an_editor_that_fails_ends_it(made: Desk) -> None:
    editor = made.editor("sys.exit(3)")
    done = made.run("edit", "cm", "a", EDITOR=editor)
    assert done == Outcome(1, "", f'error: there was a problem with the editor "{editor}"\n')
    missing = made.run("edit", "cm", "a", EDITOR="nosucheditor")
    assert missing == Outcome(1, "", 'error: unable to launch the editor "nosucheditor"\n')


def test_an_object_is_edited_before_it_is_created(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    editor = desk.editor("text = text.replace('\"1\"', '\"9\"')")
    assert desk.run("create", "-f", file, "--edit", KUBE_EDITOR=editor) == Outcome(0, "configmap/a created\n", "")
    assert desk.run("get", "cm", "a", "-o", "jsonpath={.data.x}").stdout == "9"
