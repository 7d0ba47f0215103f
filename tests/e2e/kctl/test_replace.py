"""`kctl replace`: whole outputs, and every flag once."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
_GONE = 'configmap "a" deleted from <ns> namespace\n'


@pytest.fixture
def made(desk: Desk) -> Desk:
    desk.run("create", "-f", desk.config_map("a.yaml", "a", x="1"))
    return desk


def _data(desk: Desk) -> str:
    return desk.run("get", "cm", "a", "-o", "jsonpath={.data}").stdout


def test_an_object_is_replaced_as_a_whole(made: Desk) -> None:
    made.config_map("a.yaml", "a", other="2")
    assert made.run("replace", "-f", "a.yaml") == Outcome(0, "configmap/a replaced\n", "")
    assert _data(made) == '{"other":"2"}'
    stale = made.write("stale.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, resourceVersion: '1'}\n")
    refused = made.run("replace", "-f", stale)
    assert refused.stderr.startswith(
        'Error from server (Conflict): error when replacing "stale.yaml": Operation cannot'
    )
    missing = made.run("replace", "-f", made.config_map("b.yaml", "b"))
    assert missing == Outcome(
        1, "", 'Error from server (NotFound): error when replacing "b.yaml": configmaps "b" not found\n'
    )


def test_a_dry_run_replaces_nothing(made: Desk) -> None:
    made.config_map("a.yaml", "a", other="2")
    for strategy, tail in (("client", "(dry run)"), ("server", "(server dry run)")):
        done = made.run("replace", "-f", "a.yaml", f"--dry-run={strategy}")
        assert done == Outcome(0, f"configmap/a replaced {tail}\n", "")
    assert _data(made) == '{"x":"1"}'


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        (["-o", "name"], "configmap/a\n"),
        (["-o", "jsonpath={.data}{.nope}"], '{"x":"1"}'),
        (["--template={{.data.x}}"], "1"),
    ],
)
def test_what_was_replaced_is_printed_as_it_is_asked_for(made: Desk, flags: list[str], printed: str) -> None:
    assert made.run("replace", "-f", "a.yaml", *flags) == Outcome(0, printed, "")


def test_a_template_may_insist_on_what_it_asks_for(made: Desk) -> None:
    insisting = ("-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert made.run("replace", "-f", "a.yaml", *insisting).code == 1


def test_fields_belong_to_whom_the_flag_says_and_the_object_remembers_itself(made: Desk) -> None:
    made.config_map("a.yaml", "a", x="2")
    managed = ("-o", "json", "--show-managed-fields")
    shown = json.loads(made.run("replace", "-f", "a.yaml", "--field-manager=me", "--save-config", *managed).stdout)
    assert "me" in [entry["manager"] for entry in shown["metadata"]["managedFields"]]
    assert json.loads(shown["metadata"]["annotations"][_ANNOTATION])["data"] == {"x": "2"}


def test_fields_that_nobody_knows_are_refused_told_or_dropped(made: Desk) -> None:
    file = made.write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbogus: 1\n")
    assert made.run("replace", "-f", file).stderr.endswith('strict decoding error: unknown field "bogus"\n')
    warned = made.run("replace", "-f", file, "--validate=warn")
    assert warned == Outcome(0, "configmap/a replaced\n", 'Warning: unknown field "bogus"\n')
    assert made.run("replace", "-f", file, "--validate=ignore") == Outcome(0, "configmap/a replaced\n", "")


def test_directories_and_kustomizations_say_what_is_replaced(made: Desk) -> None:
    made.write("d/e/a.yaml", (made.directory / "a.yaml").read_text().replace("'1'", "'5'"))
    assert made.run("replace", "-R", "-f", "d") == Outcome(0, "configmap/a replaced\n", "")
    assert _data(made) == '{"x":"5"}'
    made.write("d/e/kustomization.yaml", "resources: [a.yaml]\nlabels: [{pairs: {b: c}}]\n")
    assert made.run("replace", "-k", "d/e", "-o", "jsonpath={.metadata.labels}") == Outcome(0, '{"b":"c"}', "")


def test_by_force_it_is_deleted_and_created_anew(made: Desk) -> None:
    before = made.uid("cm", "a")
    text = (made.directory / "a.yaml").read_text()
    done = made.run("replace", "--force", "-f", "-", stdin=text)
    assert done == Outcome(0, f"{_GONE}configmap/a replaced\n", "")
    assert made.uid("cm", "a") != before


def test_by_force_it_waits_no_longer_than_told(made: Desk) -> None:
    made.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/held"]}}')
    late = made.run("replace", "--force", "-f", "a.yaml", "--timeout=1s")
    assert late == Outcome(1, _GONE, "error: context deadline exceeded\n")
    waiting = made.run("replace", "--force", "-f", "a.yaml", "--timeout=1s", "--wait")
    assert waiting == Outcome(1, _GONE, "error: timed out waiting for the condition on configmaps/a\n")
    made.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_by_force_orphans_stay_and_a_pod_gets_the_time_it_is_given(made: Desk) -> None:
    owner = f"{{apiVersion: v1, kind: ConfigMap, name: a, uid: {made.uid('cm', 'a')}}}"
    metadata = f"{{name: child, ownerReferences: [{owner}]}}"
    made.run("create", "-f", made.write("child.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n"))
    done = made.run("replace", "--force", "--cascade=orphan", "-f", "a.yaml")
    assert done == Outcome(0, f"{_GONE}configmap/a replaced\n", "")
    assert made.run("get", "cm", "child", "-o", "jsonpath={.metadata.ownerReferences}") == Outcome(0, "", "")
    spec = "spec: {nodeName: nowhere, containers: [{name: c, image: i}]}\n"
    made.run("create", "-f", made.write("p.yaml", f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\n{spec}"))
    made.run("replace", "--force", "--grace-period=9", "--timeout=1s", "-f", "p.yaml")
    left = made.run("get", "pod", "p", "-o", "jsonpath={.metadata.deletionGracePeriodSeconds}")
    assert left == Outcome(0, "9", "")
    made.run("delete", "pod", "p", "--force")


def test_a_part_of_an_object_is_replaced(desk: Desk) -> None:
    pod = "{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}"
    spec = f"{{replicas: 0, selector: {{matchLabels: {{a: b}}}}, template: {pod}}}"
    whole = f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec: {spec}\n"
    desk.run("create", "-f", "-", stdin=whole)
    printed = ("-o", "jsonpath={.status.collisionCount}")
    changed = f"{whole}status: {{collisionCount: 3}}\n"
    assert desk.run("replace", "-f", "-", "--subresource=status", *printed, stdin=changed) == Outcome(0, "3", "")


def test_a_path_is_written_as_it_stands(made: Desk) -> None:
    path = f"/api/v1/namespaces/{made.namespace}/configmaps/a"
    body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"raw":"1"}}'
    assert json.loads(made.run("replace", "--raw", path, "-f", "-", stdin=body).stdout)["data"] == {"raw": "1"}
    assert made.run("replace", "--raw", path, "-f", "absent") == Outcome(
        1, "", "error: open absent: no such file or directory\n"
    )


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "must specify one of -f and -k"),
        (["-f", "a.yaml", "--grace-period=3"], "--grace-period must have --force specified"),
        (["-f", "a.yaml", "--timeout=3s"], "--timeout must have --force specified"),
        (["-f", "a.yaml", "--force", "--dry-run=client"], "--dry-run can not be used when --force is set"),
        (["-f", "a.yaml", "--cascade=x"], 'invalid cascade value (x). Must be "background", "foreground", or "orphan"'),
        (["-f", "a.yaml", "--raw=/x", "-o", "yaml"], "--raw and --output are mutually exclusive"),
    ],
)
def test_a_wrong_command_line_is_refused(desk: Desk, flags: list[str], said: str) -> None:
    assert desk.run("replace", *flags) == Outcome(1, "", f"error: {said}\n")
