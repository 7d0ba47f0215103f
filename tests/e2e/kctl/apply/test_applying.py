"""`kctl apply`, object by object: whole outputs, as kubectl's are."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.apply.manifests import DEFINITION, DEPLOYMENT, IMMUTABLE, WIDGET
from tests.e2e.kctl.desk import Desk

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


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        (["-o", "name"], "configmap/a\n"),
        (["-o", "jsonpath={.data.x}{.nope}"], "1"),
        (["--template={{.data.x}}"], "1"),
        (["-o", "go-template={{.nope}}"], "<no value>"),
    ],
)
def test_what_was_applied_is_printed_as_it_is_asked_for(desk: Desk, flags: list[str], printed: str) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    assert desk.run("apply", "-f", file, *flags) == Outcome(0, printed, "")


def test_a_template_may_insist_on_what_it_asks_for(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    done = desk.run("apply", "-f", file, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith('error: error executing jsonpath "{.nope}": Error executing template: nope is not f')


def test_several_objects_are_printed_as_a_list(desk: Desk) -> None:
    names = ("-f", desk.config_map("a.yaml", "a"), "-f", desk.config_map("b.yaml", "b"))
    plain = desk.run("apply", *names, "-o", "json")
    assert plain.stdout.startswith(
        '{\n    "kind": "List",\n    "apiVersion": "v1",\n    "metadata": {},\n    "items": ['
    )
    assert "managedFields" not in plain.stdout
    managed = json.loads(desk.run("apply", *names, "-o", "json", "--show-managed-fields").stdout)
    assert {entry["manager"] for item in managed["items"] for entry in item["metadata"]["managedFields"]} == {
        "kubectl-client-side-apply"
    }


def test_lists_are_merged_by_their_keys_and_what_others_added_stays(desk: Desk) -> None:
    one = "      - {name: one, image: i, env: [{name: A, value: '1'}, {name: B, value: '2'}]}\n"
    file = desk.write("d.yaml", f"{DEPLOYMENT}{one}      - {{name: two, image: i}}\n")
    desk.run("apply", "-f", file)
    desk.run(
        "patch", "deploy", "web", "-p",
        '{"spec":{"template":{"spec":{"containers":[{"name":"one","env":[{"name":"C","value":"3"}]}]}}}}',
    )  # fmt: skip
    desk.write(
        "d.yaml", f"{DEPLOYMENT}      - {{name: three, image: i}}\n" + one.replace("{name: A, value: '1'}, ", "")
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


def test_what_others_changed_is_refused_where_it_must_not_be_overwritten(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    desk.run("apply", "-f", file)
    desk.run("patch", "cm", "a", "-p", '{"data":{"x":"9"}}')
    desk.config_map("a.yaml", "a", x="2")
    refused = desk.run("apply", "-f", file, "--overwrite=false")
    warnings = [line.partition(": patch")[0] for line in refused.stderr.splitlines() if line.startswith("warning")]
    assert (refused.code, warnings) == (
        1,
        [f"warning: error calculating patch from {source}" for source in ("openapi v3 spec", "openapi spec")],
    )
    assert 'conflicts with changes made from original to current:\ndata:\n  x: "9"\n' in refused.stderr
    quiet = desk.run("apply", "-f", file, "--overwrite=false", "--openapi-patch=false")
    assert (quiet.code, "warning: error calculating" in quiet.stderr) == (1, False)
    assert desk.run("apply", "-f", file, "--openapi-patch=false") == Outcome(0, "configmap/a configured\n", "")


@pytest.mark.parametrize(
    ("flags", "outcome"),
    [
        ([], Outcome(
            1,
            "",
            'Error from server (BadRequest): error when creating "a.yaml": ConfigMap in version "v1" cannot be handled '
            'as a ConfigMap: strict decoding error: unknown field "bogus"\n',
        )),
        (["--validate=warn"], Outcome(0, "configmap/a created\n", 'Warning: unknown field "bogus"\n')),
        (["--validate=ignore"], Outcome(0, "configmap/a created\n", "")),
        (["--validate=never"], Outcome(
            1,
            "",
            'error: invalid - validate option "never"; must be one of: strict (or true), warn, ignore (or false)\n',
        )),
    ],
)  # fmt: skip
def test_fields_that_nobody_knows_are_refused_told_or_dropped(desk: Desk, flags: list[str], outcome: Outcome) -> None:
    file = desk.write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbogus: 1\n")
    assert desk.run("apply", "-f", file, *flags) == outcome


def test_fields_belong_to_whom_the_flag_says_and_the_command_line_is_noted(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    done = desk.run("apply", "-f", file, "--field-manager=me", "--record")
    assert done == Outcome(
        0, "configmap/a created\n", "Flag --record has been deprecated, --record will be removed in the future\n"
    )
    metadata = json.loads(desk.run("get", "cm", "a", "-o", "json", "--show-managed-fields").stdout)["metadata"]
    assert [entry["manager"] for entry in metadata["managedFields"]] == ["me"]
    said = "--filename=a.yaml --field-manager=me --record=true"
    assert metadata["annotations"]["kubernetes.io/change-cause"] == f"kctl apply --namespace=<ns> {said}"


def test_a_kind_and_its_objects_come_together_in_any_order(desk: Desk) -> None:
    group = f"{desk.namespace}.example.com"
    file = desk.write("all.yaml", f"{WIDGET}---\n{DEFINITION}".replace("GROUP", group))
    made = (
        f"customresourcedefinition.apiextensions.k8s.io/widgets.<ns>.example.com created\nwidget.{'<ns>'}.example.com"
    )
    assert desk.run("apply", "-f", file) == Outcome(0, f"{made}/one created\n", "")
    desk.write("w.yaml", WIDGET.replace("GROUP", group).replace(", lost: {a: b}", ""))
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


def test_what_cant_be_patched_is_replaced_by_force(desk: Desk) -> None:
    file = desk.write("a.yaml", IMMUTABLE)
    desk.run("apply", "-f", file)
    desk.write("a.yaml", IMMUTABLE.replace("'1'", "'2'"))
    assert desk.run("apply", "-f", file).stderr == (
        'The ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set\n'
    )
    assert desk.run("apply", "-f", file, "--force") == Outcome(0, "configmap/a configured\n", "")


def test_force_makes_an_object_anew_whatever_version_its_file_names(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    desk.run("apply", "-f", file)
    before = desk.uid("cm", "a")
    manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  resourceVersion: '1'\ndata:\n  x: '2'\n"
    desk.write("a.yaml", manifest)
    assert "the object has been modified" in desk.run("apply", "-f", file).stderr
    assert desk.run("apply", "-f", file, "--force") == Outcome(0, "configmap/a configured\n", "")
    assert desk.uid("cm", "a") != before


def test_force_leaves_orphans_and_has_as_much_time_as_it_gets(desk: Desk) -> None:
    file = desk.write("a.yaml", IMMUTABLE)
    desk.run("apply", "-f", file)
    uid = desk.uid("cm", "a")
    owner = f"{{apiVersion: v1, kind: ConfigMap, name: a, uid: {uid}}}"
    metadata = f"{{name: child, ownerReferences: [{owner}]}}"
    desk.run("apply", "-f", desk.write("b.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n"))
    desk.write("a.yaml", IMMUTABLE.replace("'1'", "'2'"))
    done = desk.run("apply", "-f", file, "--force", "--cascade=orphan", "--timeout=20s")
    assert done == Outcome(0, "configmap/a configured\n", "")
    assert desk.run("get", "cm", "child", "-o", "jsonpath={.metadata.ownerReferences}") == Outcome(0, "", "")
    desk.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/held"]}}')
    late = desk.run("apply", "-f", desk.write("c.yaml", IMMUTABLE.replace("'1'", "'3'")), "--force")
    assert (late.code, late.stderr.splitlines()[-1]) == (1, 'for: "c.yaml": context deadline exceeded')
    desk.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_force_with_no_grace_does_not_wait_for_a_pod(desk: Desk) -> None:
    spec = "spec: {nodeName: nowhere, containers: [{name: c, image: i}]}\n"
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\n{spec}"
    file = desk.write("p.yaml", pod)
    assert desk.run("apply", "-f", file).code == 0
    desk.write("p.yaml", pod.replace("nowhere", "elsewhere"))
    assert desk.run("apply", "-f", file, "--force", "--grace-period=0") == Outcome(0, "pod/p configured\n", "")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--force-conflicts"], "--force-conflicts only works with --server-side"),
        (["--server-side", "--force"], "--force cannot be used with --server-side"),
        (["--server-side", "--dry-run=client"],
         "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)"),
        (["--dry-run=server", "--force"], "--dry-run=server cannot be used with --force"),
        (["--subresource=status"], "--subresource can only be specified for --server-side"),
        (["--applyset=x"], "--applyset requires --prune"),
        (["--all", "-l", "a=b"], "cannot set --all and --selector at the same time"),
        (["--cascade=bogus"], 'invalid cascade value (bogus). Must be "background", "foreground", or "orphan"'),
        (["--prune", "--all", "--prune-allowlist=x"],
         "invalid GroupVersionKind format: x, please follow <group/version/kind>"),
        (["-o", "bogus"], _NO_FORMAT),
    ],
)  # fmt: skip
def test_flags_that_dont_go_together_are_refused(desk: Desk, flags: list[str], said: str) -> None:
    file = desk.config_map("a.yaml", "a")
    assert desk.run("apply", "-f", file, *flags) == Outcome(1, "", f"error: {said}\n")


def test_an_argument_is_no_file(desk: Desk) -> None:
    assert desk.run("apply", "a.yaml") == Outcome(
        1, "", "error: Unexpected args: [a.yaml]\nSee 'kctl apply -h' for help and examples\n"
    )
    assert desk.run("apply") == Outcome(1, "", "error: must specify one of -f and -k\n")
