"""`kctl edit` and `create --edit`: the user's editor, and what becomes of what comes back."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_HEADER = """\
# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
"""


@pytest.fixture
def made(desk: Desk) -> Desk:
    desk.run("create", "-f", desk.config_map("a.yaml", "a", x="1"))
    return desk


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


def test_a_file_that_stays_wrong_is_kept(made: Desk) -> None:
    done = made.run("edit", "cm", "a", KUBE_EDITOR=made.editor("text = ''"))
    assert done == Outcome(
        1,
        "",
        'error: configmaps "a" is invalid\nA copy of your changes has been stored to "<edited>.yaml"\n'
        "error: Edit cancelled, no valid changes were saved.\n",
    )


def test_a_name_cant_be_edited(made: Desk) -> None:
    done = made.run("edit", "cm", "a", KUBE_EDITOR=made.editor("text = text.replace('name: a', 'name: b')"))
    assert done == Outcome(
        1,
        "",
        'A copy of your changes has been stored to "<edited>.yaml"\n'
        "error: At least one of apiVersion, kind and name was changed\n",
    )


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
