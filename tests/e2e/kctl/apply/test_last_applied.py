"""`kctl apply view-last-applied`, `set-last-applied` and `edit-last-applied`: what apply remembers."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_META = "metadata:\n  annotations: {}\n  name: a\n  namespace: <ns>\n"
_SEEN = f'apiVersion: v1\ndata:\n  x: "1"\nkind: ConfigMap\n{_META}'


@pytest.fixture
def applied(desk: Desk) -> Desk:
    """A config map a that was applied, and b that was not."""
    desk.run("apply", "-f", desk.config_map("a.yaml", "a", x="1"))
    desk.run("create", "-f", desk.config_map("b.yaml", "b", w="1"))
    return desk


def test_the_annotation_is_shown(applied: Desk) -> None:
    view = ("apply", "view-last-applied")
    assert applied.run(*view, "cm", "a") == Outcome(0, _SEEN, "")
    assert applied.run(*view, "-f", "a.yaml") == Outcome(0, _SEEN, "")
    assert applied.run(*view, "cm", "--all") == Outcome(0, _SEEN, "")
    assert applied.machine.kctl(*view, "cm", "--all").code == 0  # with a namespace kubectl asks for no --all
    assert applied.machine.kctl(*view, "cm").code == 1
    assert applied.run(*view, "cm", "-l", "no=ne") == Outcome(0, "", "")
    shown = json.loads(applied.run(*view, "cm/a", "-o", "json").stdout)
    assert shown["data"] == {"x": "1"}
    assert applied.run(*view, "cm", "a", "-o", "wide") == Outcome(
        1,
        "",
        "error: Unexpected -o output mode: wide, the flag 'output' must be one of yaml|json\n"
        "See 'kctl apply view-last-applied -h' for help and examples\n",
    )
    assert applied.run(*view, "-f", "b.yaml").stderr == (
        'error: error when no last-applied-configuration annotation found on resource: b\n "b.yaml": <nil>\n'
    )


def test_directories_and_kustomizations_say_whose_annotation_is_meant(applied: Desk) -> None:
    show = applied.editor("print(text.count('name: a'), file=sys.stderr)")
    cancelled = Outcome(0, "", "1\nEdit cancelled, no changes made.\n")
    applied.write("d/e/a.yaml", (applied.directory / "a.yaml").read_text())
    assert applied.run("apply", "view-last-applied", "-R", "-f", "d") == Outcome(0, _SEEN, "")
    assert applied.run("apply", "edit-last-applied", "-R", "-f", "d", KUBE_EDITOR=show) == cancelled
    applied.write("d/e/kustomization.yaml", "resources: [a.yaml]\n")
    assert applied.run("apply", "view-last-applied", "-k", "d/e") == Outcome(0, _SEEN, "")
    assert applied.run("apply", "edit-last-applied", "-k", "d/e", KUBE_EDITOR=show) == cancelled


def test_the_annotation_is_set(applied: Desk) -> None:
    applied.config_map("a.yaml", "a", x="2")
    setting = ("apply", "set-last-applied", "-f", "a.yaml")
    assert applied.run(*setting, "--dry-run=client") == Outcome(0, "configmap/a configured (dry run)\n", "")
    assert applied.run(*setting, "--dry-run=server", "-o", "name") == Outcome(0, "configmap/a\n", "")
    assert applied.run("apply", "view-last-applied", "cm", "a").stdout == _SEEN
    assert applied.run(*setting) == Outcome(0, "configmap/a configured\n", "")
    assert applied.run(*setting) == Outcome(0, "set-last-applied a: no changes required.\n", "")
    assert applied.run("get", "cm", "a", "-o", "jsonpath={.data.x}").stdout == "1"


def test_the_annotation_is_created_if_asked_for(applied: Desk) -> None:
    setting = ("apply", "set-last-applied", "-f", "b.yaml")
    assert applied.run(*setting) == Outcome(
        1,
        "",
        "error: no last-applied-configuration annotation found on resource: b, to create the annotation, run the "
        "command with --create-annotation\n",
    )
    done = applied.run(*setting, "--create-annotation", "--template={{.metadata.name}}")
    assert done == Outcome(0, "b", "")
    managed = applied.run(*setting[:2], "-f", applied.config_map("b.yaml", "b", z="1"), "-o", "json")
    assert "managedFields" not in managed.stdout
    shown = applied.run(
        *setting[:2], "-f", applied.config_map("b.yaml", "b", z="2"), "-o", "json", "--show-managed-fields"
    )
    assert "managedFields" in shown.stdout
    applied.config_map("b.yaml", "b", z="3")
    missing = applied.run(*setting, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert missing.code == 1


def test_the_annotation_is_edited_and_the_object_stays(applied: Desk) -> None:
    editor = applied.editor("text = text.replace('\"1\"', '\"3\"')")
    edit = ("apply", "edit-last-applied")
    done = applied.run(*edit, "cm", "a", "--field-manager=me", "--record", "--validate=warn", KUBE_EDITOR=editor)
    assert (done.code, done.stdout) == (0, "configmap/a edited\n")
    shown = json.loads(applied.run("get", "cm", "a", "-o", "json", "--show-managed-fields").stdout)
    remembered = json.loads(shown["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    assert (shown["data"], remembered["data"]) == ({"x": "1"}, {"x": "3"})
    assert remembered["metadata"]["annotations"]["kubernetes.io/change-cause"].startswith(
        "kctl apply edit-last-applied"
    )
    assert "me" in [entry["manager"] for entry in shown["metadata"]["managedFields"]]
    assert applied.run(*edit, "-f", "a.yaml", KUBE_EDITOR=editor) == Outcome(
        0, "", "Edit cancelled, no changes made.\n"
    )


def test_an_edited_annotation_is_printed_as_it_is_asked_for_and_read_as_strictly(applied: Desk) -> None:
    edit = ("apply", "edit-last-applied", "cm", "a")
    editor = applied.editor("text = text.replace('x: \"1\"', 'x: \"2\"')")
    shown = applied.run(*edit, "--template={{.data.x}}{{.nope}}", KUBE_EDITOR=editor)
    assert shown == Outcome(0, "2<no value>", "")
    back = applied.editor("text = text.replace('x: \"2\"', 'x: \"1\"')")
    strict = applied.run(*edit, "--template={{.nope}}", "--allow-missing-template-keys=false", KUBE_EDITOR=back)
    assert strict.code == 1
    editor = applied.editor("text = text.replace('x: \"1\"', 'x: \"2\"')")
    lenient = applied.run(*edit, "--validate=ignore", "-v=6", KUBE_EDITOR=editor)
    assert (lenient.code, lenient.stdout) == (0, "configmap/a edited\n")
    assert "fieldValidation=Ignore" in lenient.stderr


def test_an_edited_annotation_is_opened_as_it_is_asked_for(applied: Desk) -> None:
    show = applied.program("print(repr(open(sys.argv[-1], 'rb').read().decode()), file=sys.stderr)")
    crlf = applied.run("apply", "edit-last-applied", "cm", "a", "--windows-line-endings", KUBE_EDITOR=show)
    assert "annotations below.\\r\\n# Lines" in crlf.stderr
    assert "kind: ConfigMap\\r\\n" in crlf.stderr
    as_json = applied.run("apply", "edit-last-applied", "cm", "a", "-o", "json", KUBE_EDITOR=show)
    assert as_json.stderr.startswith('\'{\\n    "apiVersion": "v1",\\n')
    missing = applied.run("apply", "edit-last-applied", "cm", "b", KUBE_EDITOR=show)
    assert missing == Outcome(
        1,
        "",
        "error: no last-applied-configuration annotation found on resources, to create the annotation, use command "
        "`kctl apply set-last-applied --create-annotation`\n",
    )
