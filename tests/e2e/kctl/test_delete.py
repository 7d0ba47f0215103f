"""`kctl delete`: whole outputs, and every flag once."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_IMMEDIATE = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The "
    "resource may continue to run on the cluster indefinitely.\n"
)
_GONE = 'configmap "{}" deleted from <ns> namespace\n'
_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {nodeName: nowhere, containers: [{name: c, image: i}]}
"""


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """Config maps a, b and c, the first two with a label."""
    for name in "abc":
        label = "" if name == "c" else ", labels: {kept: short}"
        desk.write(f"{name}.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{label}}}\n")
    desk.run("create", "-f", ".")
    return desk


def test_objects_are_deleted_by_name_file_and_label(filled: Desk) -> None:
    assert filled.run("delete", "cm", "c") == Outcome(0, _GONE.format("c"), "")
    assert filled.run("delete", "-f", "a.yaml") == Outcome(0, _GONE.format("a"), "")
    assert filled.run("delete", "cm", "-l", "kept=short") == Outcome(0, _GONE.format("b"), "")
    assert filled.run("delete", "cm", "-l", "kept=short") == Outcome(0, "No resources found\n", "")


def test_objects_are_deleted_by_field_and_all_of_a_type(filled: Desk) -> None:
    assert filled.run("delete", "cm", "--field-selector=metadata.name=b") == Outcome(0, _GONE.format("b"), "")
    done = filled.run("delete", "cm", "--all")
    assert done.stdout.splitlines()[:2] == [_GONE.format("a").rstrip(), _GONE.format("c").rstrip()]


def test_all_namespaces_are_meant_if_told(filled: Desk) -> None:
    assert filled.run("delete", "cm", "-l", f"mine={filled.namespace}", "-A") == Outcome(0, "No resources found\n", "")
    filled.run("label", "cm", "a", f"mine={filled.namespace}")
    done = filled.run("-n", "default", "delete", "cm", "-l", f"mine={filled.namespace}", "-A")
    assert done == Outcome(0, _GONE.format("a"), "")


def test_directories_and_kustomizations_say_what_goes(filled: Desk) -> None:
    filled.write("d/e/a.yaml", (filled.directory / "a.yaml").read_text())
    filled.write("k/b.yaml", (filled.directory / "b.yaml").read_text())
    filled.write("k/kustomization.yaml", "resources: [b.yaml]\n")
    assert filled.run("delete", "-R", "-f", "d") == Outcome(0, _GONE.format("a"), "")
    assert filled.run("delete", "-k", "k") == Outcome(0, _GONE.format("b"), "")


def test_what_is_not_there_is_told_unless_it_may_be_missing(desk: Desk) -> None:
    said = 'Error from server (NotFound): configmaps "{}" not found\n'
    assert desk.run("delete", "cm", "x", "y") == Outcome(1, "", said.format("x") + said.format("y"))
    assert desk.run("delete", "cm", "x", "--ignore-not-found") == Outcome(0, "", "")


def test_an_empty_name_never_means_everything(filled: Desk) -> None:
    assert filled.run("delete", "cm", "") == Outcome(1, "", "error: resource name may not be empty\n")
    nameless = filled.write("n.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n")
    said = 'error: error when deleting "n.yaml": resource name may not be empty\n'
    assert filled.run("delete", "-f", nameless) == Outcome(1, "", said)
    assert "configmap/a\nconfigmap/b\nconfigmap/c\n" in filled.run("get", "cm", "-o", "name").stdout


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        (["--dry-run=client"], 'configmap "a" deleted from <ns> namespace (dry run)\n'),
        (["--dry-run=server"], 'configmap "a" deleted from <ns> namespace (server dry run)\n'),
        (["--dry-run=client", "-o", "name"], "configmap/a\n"),
    ],
)
def test_a_dry_run_deletes_nothing(filled: Desk, flags: list[str], printed: str) -> None:
    assert filled.run("delete", "cm", "a", *flags) == Outcome(0, printed, "")
    assert filled.run("get", "cm", "a", "-o", "name").stdout == "configmap/a\n"


def test_force_says_what_it_does(filled: Desk) -> None:
    done = filled.run("delete", "cm", "a", "--force")
    assert done == Outcome(0, 'configmap "a" force deleted from <ns> namespace\n', _IMMEDIATE)


def test_a_pod_gets_the_time_it_is_given(desk: Desk) -> None:
    desk.run("create", "-f", desk.write("p.yaml", _POD))
    left = ("get", "pod", "p", "-o", "jsonpath={.metadata.deletionGracePeriodSeconds}")
    gone = 'pod "p" deleted from <ns> namespace\n'
    assert desk.run("delete", "pod", "p", "--grace-period=7", "--wait=false") == Outcome(0, gone, "")
    assert desk.run(*left).stdout == "7"
    assert desk.run("delete", "pod", "p", "--now", "--wait=false") == Outcome(0, gone, "")
    assert desk.run(*left).stdout == "1"
    assert desk.run("delete", "pod", "p", "--force").stdout == 'pod "p" force deleted from <ns> namespace\n'
    assert desk.run("get", "pod", "p").code == 1


def test_what_an_object_owns_stays_if_told(filled: Desk) -> None:
    owner = f"{{apiVersion: v1, kind: ConfigMap, name: a, uid: {filled.uid('cm', 'a')}}}"
    metadata = f"{{name: child, ownerReferences: [{owner}]}}"
    filled.run("create", "-f", filled.write("child.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n"))
    assert filled.run("delete", "cm", "a", "--cascade=orphan") == Outcome(0, _GONE.format("a"), "")
    assert filled.run("get", "cm", "child", "-o", "jsonpath={.metadata.ownerReferences}") == Outcome(0, "", "")


def test_what_the_user_does_not_confirm_stays(filled: Desk) -> None:
    asked = "You are about to delete the following 1 resource(s):\nconfigmap/a\nDo you want to continue? (y/N): "
    no = filled.run("delete", "cm", "a", "-i", stdin="n\n")
    assert no == Outcome(0, f"{asked}deletion is cancelled\n", "")
    yes = filled.run("delete", "cm", "a", "--interactive", stdin="y\n")
    assert yes == Outcome(0, f"{asked}{_GONE.format('a')}", "")


def test_it_waits_for_finalizers_no_longer_than_told(filled: Desk) -> None:
    filled.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/held"]}}')
    done = filled.run("delete", "cm", "a", "--timeout=1s")
    said = "error: timed out waiting for the condition on configmaps/a\n"
    assert done == Outcome(1, _GONE.format("a"), said)
    assert filled.run("delete", "cm", "a", "--wait=false").code == 0
    filled.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert filled.run("get", "cm", "a", "--ignore-not-found") == Outcome(0, "", "")


def test_a_path_is_deleted_as_it_stands(filled: Desk) -> None:
    path = f"/api/v1/namespaces/{filled.namespace}/configmaps"
    answer = json.loads(filled.run("delete", "--raw", f"{path}/a").stdout)
    assert (answer["status"], answer["details"]["name"]) == ("Success", "a")
    options = filled.write("options.json", '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}')
    assert filled.run("delete", "--raw", f"{path}/b", "-f", options).code == 0
    assert filled.run("get", "cm", "b", "-o", "name").stdout == "configmap/b\n"
    assert filled.run("delete", "--raw", "b") == Outcome(
        1, "", 'error: --raw must be a valid URL path: parse "b": invalid URI for request\n'
    )


def test_what_failed_is_told_before_what_could_not_be_found_a_place_for(desk: Desk) -> None:
    def text(kind: str, name: str) -> str:
        return f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n---\n"

    file = desk.write("x.yaml", text("ConfigMap", "a") + text("Nope", "q") + text("ConfigMap", "b"))
    missing = 'Error from server (NotFound): error when deleting "x.yaml": configmaps "{}" not found\n'
    unknown = (
        'resource mapping not found for name: "q" namespace: "" from "x.yaml": no matches for kind "Nope" in version '
        '"v1"\nensure CRDs are installed first\n'
    )
    assert desk.run("delete", "-f", file) == Outcome(1, "", missing.format("a") + missing.format("b") + unknown)
    assert desk.run("delete", "-f", file, "--ignore-not-found") == Outcome(1, "", unknown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cm"], "resource(s) were provided, but no name was specified"),
        (["cm", "a", "--all"], "name cannot be provided when a selector is specified"),
        (["cm", "--all", "-l", "a=b"], "setting 'all' parameter but found a non empty selector. "),
        (["cm", "a", "--now", "--grace-period=3"], "--now and --grace-period cannot be specified together"),
        (["cm", "a", "--force", "--grace-period=3"],
         "--force and --grace-period greater than 0 cannot be specified together"),
        (["cm", "a", "--cascade=x"], 'invalid cascade value (x). Must be "background", "foreground", or "orphan"'),
        (["cm", "a", "-o", "yaml"], "unexpected -o output mode: yaml. We only support '-o name'"),
        (["bogus", "x"], 'the server doesn\'t have a resource type "bogus"'),
        (["cm", "a", "-A"], "a resource cannot be retrieved by name across all namespaces"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_refused(desk: Desk, arguments: list[str], said: str) -> None:
    assert desk.run("delete", *arguments) == Outcome(1, "", f"error: {said}\n")
