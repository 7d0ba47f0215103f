"""`kctl apply`: whole outputs, as kubectl's are."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.desk import Desk

_DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: "widgets.GROUP"}
spec:
  group: GROUP
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
_WIDGET = """\
apiVersion: GROUP/v1
kind: Widget
metadata: {name: one}
spec: {size: 3, lost: {a: b}}
"""
_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
"""

_NO_FORMAT = (
    'unable to match a printer suitable for the output format "bogus", allowed formats are: go-template,'
    "go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml"
)


def test_an_object_is_created_left_alone_and_configured(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1", gone="soon")
    assert desk.run("apply", "-f", file) == Outcome(0, "configmap/a created\n", "")
    assert desk.run("apply", "-f", file) == Outcome(0, "configmap/a unchanged\n", "")
    desk.run("annotate", "cm", "a", "mine=kept")
    desk.config_map("a.yaml", "a", x="<2>")
    assert desk.run("apply", "-f", file, "-o", "yaml") == Outcome(
        0,
        """\
apiVersion: v1
data:
  x: <2>
kind: ConfigMap
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","data":{"x":"\\u003c2\\u003e"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"<ns>"}}
    mine: kept
  creationTimestamp: "<time>"
  name: a
  namespace: <ns>
  resourceVersion: "<rv>"
  uid: <uid>
""",
        "",
    )


def test_a_dry_run_changes_nothing(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    for strategy, tail in (("client", "(dry run)"), ("server", "(server dry run)")):
        done = desk.run("apply", "-f", file, f"--dry-run={strategy}")
        assert done == Outcome(0, f"configmap/a created {tail}\n", "")
    assert desk.run("get", "cm", "a").code == 1


def test_lists_are_merged_by_their_keys_and_what_others_added_stays(desk: Desk) -> None:
    one = "      - {name: one, image: i, env: [{name: A, value: '1'}, {name: B, value: '2'}]}\n"
    file = desk.write("d.yaml", f"{_DEPLOYMENT}{one}      - {{name: two, image: i}}\n")
    desk.run("apply", "-f", file)
    desk.run(
        "patch", "deploy", "web", "-p",
        '{"spec":{"template":{"spec":{"containers":[{"name":"one","env":[{"name":"C","value":"3"}]}]}}}}',
    )  # fmt: skip
    desk.write(
        "d.yaml", f"{_DEPLOYMENT}      - {{name: three, image: i}}\n" + one.replace("{name: A, value: '1'}, ", "")
    )
    assert desk.run("apply", "-f", file).stdout == "deployment.apps/web configured\n"
    shown = desk.run(
        "get", "deploy", "web", "-o", "jsonpath={range .spec.template.spec.containers[*]}{.name}={.env[*].name} {end}"
    )
    assert shown.stdout == "three= one=C B "


def test_an_object_that_was_not_applied_is_warned_of(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    desk.run("create", "-f", file)
    assert desk.run("apply", "-f", file) == Outcome(
        0,
        "configmap/a configured\n",
        "Warning: resource configmaps/a is missing the kubectl.kubernetes.io/last-applied-configuration annotation "
        "which is required by kctl apply. kctl apply should only be used on resources created declaratively by either "
        "kctl create --save-config or kctl apply. The missing annotation will be patched automatically.\n",
    )


def test_a_kind_and_its_objects_come_together_in_any_order(desk: Desk) -> None:
    group = f"{desk.namespace}.example.com"
    file = desk.write("all.yaml", f"{_WIDGET}---\n{_DEFINITION}".replace("GROUP", group))
    made = (
        f"customresourcedefinition.apiextensions.k8s.io/widgets.<ns>.example.com created\nwidget.{'<ns>'}.example.com"
    )
    assert desk.run("apply", "-f", file) == Outcome(0, f"{made}/one created\n", "")
    desk.write("w.yaml", _WIDGET.replace("GROUP", group).replace(", lost: {a: b}", ""))
    assert desk.run("apply", "-f", "w.yaml").stdout == "widget.<ns>.example.com/one configured\n"
    assert desk.run("get", "widget", "one", "-o", "jsonpath={.spec}").stdout == '{"size":3}'
    assert desk.run("delete", "-f", file).code == 0


def test_a_namespace_may_come_after_what_is_in_it(desk: Desk) -> None:
    inside = f"{desk.namespace}-in"
    desk.write("a.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: {inside}}}\n")
    desk.write("z.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {inside}}}\n")
    done = desk.machine.kctl("apply", "-f", str(desk.directory / "a.yaml"), "-f", str(desk.directory / "z.yaml"))
    assert done == Outcome(0, f"namespace/{inside} created\nconfigmap/a created\n", "")
    assert desk.machine.kctl("delete", "ns", inside).code == 0


def test_what_was_applied_and_is_in_no_file_is_pruned(desk: Desk) -> None:
    desk.write("all.yaml", "".join(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {n}}}\n---\n" for n in "ab"))
    desk.run("apply", "-f", "all.yaml")
    file = desk.config_map("a.yaml", "a")
    allowed = "--prune-allowlist=core/v1/ConfigMap"
    done = desk.run("apply", "-f", file, "--prune", "--all", allowed)
    assert done == Outcome(0, "configmap/a unchanged\nconfigmap/b pruned\n", "")
    assert desk.run("apply", "-f", file, "--prune").stderr.startswith("error: all resources selected for prune without")


def test_who_asks_waits_until_what_was_pruned_is_gone(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a")
    metadata = "{name: b, finalizers: [example.com/held]}"
    held = desk.write("b.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n")
    assert desk.run("apply", "-f", file, "-f", held).code == 0
    pruning = ("apply", "-f", file, "--prune", "--all", "--prune-allowlist=core/v1/ConfigMap")
    done = desk.run(*pruning, "--wait", "--timeout=1s")
    assert done == Outcome(
        1,
        "configmap/a unchanged\nconfigmap/b pruned\n",
        "error: timed out waiting for the condition on configmaps/b\n",
    )
    assert desk.run("patch", "cm/b", "--type=merge", "-p", '{"metadata": {"finalizers": null}}').code == 0


def test_an_apply_set_prunes_what_left_it(desk: Desk) -> None:
    desk.config_map("a.yaml", "a")
    desk.config_map("b.yaml", "b")
    both = ("apply", "-f", "a.yaml", "-f", "b.yaml", "--prune", "--applyset=mine")
    assert desk.run(*both) == Outcome(0, "configmap/a created\nconfigmap/b created\n", "")
    done = desk.run("apply", "-f", "b.yaml", "--prune", "--applyset=mine")
    assert done == Outcome(0, "configmap/b unchanged\nconfigmap/a pruned\n", "")


def test_what_cant_be_patched_is_replaced_by_force(desk: Desk) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nimmutable: true\ndata: {x: '1'}\n"
    file = desk.write("a.yaml", text)
    desk.run("apply", "-f", file)
    desk.write("a.yaml", text.replace("'1'", "'2'"))
    assert desk.run("apply", "-f", file).stderr == (
        'The ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set\n'
    )
    assert desk.run("apply", "-f", file, "--force") == Outcome(0, "configmap/a configured\n", "")


def test_the_server_merges_and_takes_over_what_the_client_applied(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    desk.run("apply", "-f", file)
    assert desk.run("apply", "-f", file, "--server-side") == Outcome(0, "configmap/a serverside-applied\n", "")
    managers = desk.run(
        "get", "cm", "a", "-o", 'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation}{"\\n"}{end}'
    )
    assert sorted(managers.stdout.splitlines()) == ["kctl Apply", "kctl-last-applied Apply"]
    desk.config_map("b.yaml", "a", x="2")
    refused = desk.run("apply", "-f", "b.yaml", "--server-side", "--field-manager=rival")
    assert refused.stderr.startswith(
        'error: Apply failed with 1 conflict: conflict with "kctl": .data.x\nPlease review'
    )
    forced = desk.run("apply", "-f", "b.yaml", "--server-side", "--field-manager=rival", "--force-conflicts")
    assert forced == Outcome(0, "configmap/a serverside-applied\n", "")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--force-conflicts"], "--force-conflicts only works with --server-side"),
        (["--server-side", "--force"], "--force cannot be used with --server-side"),
        (["--dry-run=server", "--force"], "--dry-run=server cannot be used with --force"),
        (["--subresource=status"], "--subresource can only be specified for --server-side"),
        (["--applyset=x"], "--applyset requires --prune"),
        (["--cascade=bogus"], 'invalid cascade value (bogus). Must be "background", "foreground", or "orphan"'),
        (["--prune", "--all", "--prune-allowlist=x"],
         "invalid GroupVersionKind format: x, please follow <group/version/kind>"),
        (["-o", "bogus"], _NO_FORMAT),
    ],
)  # fmt: skip
def test_flags_that_dont_go_together_are_refused(desk: Desk, flags: list[str], said: str) -> None:
    file = desk.config_map("a.yaml", "a")
    assert desk.run("apply", "-f", file, *flags) == Outcome(1, "", f"error: {said}\n")


def test_a_fault_in_a_file_is_told_with_its_line_and_the_rest_is_applied(desk: Desk) -> None:
    desk.config_map("a.yaml", "a")
    desk.write("b.yaml", "apiVersion: v1\nkind: [\n")
    desk.write("c.yaml", "apiVersion: v1\nmetadata: {name: c}\n")
    assert desk.run("apply", "-f", ".") == Outcome(
        1,
        "configmap/a created\n",
        "error parsing b.yaml: error converting YAML to JSON: yaml: line 2: did not find expected node content\n"
        'error validating "c.yaml": error validating data: kind not set; if you choose to ignore these errors, turn '
        "validation off with --validate=false\n",
    )


def test_the_annotation_can_be_seen_set_and_edited(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    desk.run("apply", "-f", file)
    meta = "metadata:\n  annotations: {}\n  name: a\n  namespace: <ns>\n"
    seen = f'apiVersion: v1\ndata:\n  x: "1"\nkind: ConfigMap\n{meta}'
    view = ("apply", "view-last-applied", "cm", "a")
    assert desk.run(*view).stdout == seen
    desk.config_map("a.yaml", "a", x="2")
    setting = ("apply", "set-last-applied", "-f", file)
    assert desk.run(*setting) == Outcome(0, "configmap/a configured\n", "")
    assert desk.run(*setting) == Outcome(0, "set-last-applied a: no changes required.\n", "")
    editor = desk.editor("text = text.replace('\"2\"', '\"3\"')")
    assert desk.run("apply", "edit-last-applied", "cm", "a", KUBE_EDITOR=editor) == Outcome(
        0, "configmap/a edited\n", ""
    )
    assert '"x":"3"' in desk.run("get", "cm", "a", "-o", "jsonpath={.metadata.annotations}").stdout.replace("\\", "")
    assert desk.run("get", "cm", "a", "-o", "jsonpath={.data.x}").stdout == "1"


def test_watched_files_are_applied_again_when_they_change(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    process = subprocess.Popen(
        [*KCTL, "-n", desk.namespace, "apply", "-f", file, "--watch"],
        cwd=desk.directory,
        env=environment(desk.machine.home, {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "configmap/a created\n"
        lines: list[str] = []
        for value in range(2, 40):  # the first change may come before anybody watches
            desk.config_map("a.yaml", "a", x=str(value))
            time.sleep(0.2)
            if desk.run("get", "cm", "a", "-o", "jsonpath={.data.x}").stdout == str(value):
                break
        while not lines or lines[-1] != "configmap/a configured\n":
            lines.append(process.stdout.readline())
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 0
    assert lines[:2] == ["--- a.yaml (applied)\n", "+++ a.yaml\n"]
    assert "-  x: '1'\n" in lines
