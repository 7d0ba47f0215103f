"""`kctl auth can-i`, `whoami` and `reconcile`: whole outputs."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

UNKNOWN = "Warning: the server doesn't have a resource type 'bogus'"
ASKED = [
    ("create pods", 0, "yes\n", ""),
    ("create pods --as=nobody", 1, "no\n", ""),
    ("create pods -q", 0, "", ""),
    ("create pods --quiet --as=nobody", 1, "", ""),
    ("get deploy.apps/web", 0, "yes\n", ""),
    ("get pods.v1.", 0, "yes\n", ""),
    ("get bogus", 0, "yes\n", f"{UNKNOWN}\n\n"),
    ("get bogus.example.com", 0, "yes\n", f"{UNKNOWN} in group 'example.com'\n\n"),
    ("juggle pods", 0, "yes\n", "Warning: verb 'juggle' is not a known verb\n\n"),
    ("get nodes", 0, "yes\n", "Warning: resource 'nodes' is not namespace scoped\n\n"),
    ("get nodes -A", 0, "yes\n", ""),
    ("get clusterroles", 0, "yes\n", ("Warning: resource 'clusterroles' is not namespace scoped in group "
     "'rbac.authorization.k8s.io'\n\n")),
    ("impersonate users", 0, "yes\n", ""),
    ("get /healthz --as=nobody", 0, "yes\n", ""),
    ("get /logs --as=nobody", 1, "no\n", ""),
    ("list /healthz", 0, "yes\n", "Warning: verb 'list' is not a known verb\n\n"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "code", "stdout", "stderr"), ASKED, ids=[line for line, *_ in ASKED])
def test_what_i_may(read: Read, line: str, code: int, stdout: str, stderr: str) -> None:
    assert read("auth", "can-i", *line.split()) == Outcome(code, stdout, stderr)


ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: %s, labels: {own: "1"}}
rules:
- {apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}
- {apiGroups: [apps], resources: [deployments], verbs: [get], resourceNames: [web]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: %s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}
"""
OTHER = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: %s, labels: {own: "2", more: "1"}}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: %s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: Group, name: team, apiGroup: rbac.authorization.k8s.io}
"""
NAMED = ("role.rbac.authorization.k8s.io/reader", "rolebinding.rbac.authorization.k8s.io/readers")


def auth(desk: Desk, line: str) -> Outcome:
    return desk.run("auth", *shlex.split(line))


@pytest.fixture
def made(desk: Desk) -> Desk:
    """Files rbac/role.yaml and rbac/deep/other.yaml; nothing is sent yet."""
    desk.write("rbac/role.yaml", ROLE % (desk.namespace, desk.namespace))
    desk.write("rbac/deep/other.yaml", OTHER % (desk.namespace, desk.namespace))
    return desk


def test_permissions_are_reconciled_and_listed(made: Desk) -> None:
    reconciled = "".join(f"{name} reconciled\n" for name in NAMED)
    rule = "{{Verbs:[{}] APIGroups:[{}] Resources:[{}] ResourceNames:[{}] NonResourceURLs:[]}}"
    jane = "{Kind:User APIGroup:rbac.authorization.k8s.io Name:jane Namespace:}"
    created = (
        "\treconciliation required create\n\tmissing rules added:\n"
        f"\t\t{rule.format('get list', '', 'pods pods/log', '')}\n"
        f"\t\t{rule.format('get', 'apps', 'deployments', 'web')}\n"
        f"\treconciliation required create\n\tmissing subjects added:\n\t\t{jane}\n"
    )
    assert auth(made, "reconcile -f rbac --dry-run=client") == Outcome(
        0, reconciled.replace("\n", " (dry run)\n"), created
    )
    assert made.run("get", "role", "reader").code == 1
    assert auth(made, "reconcile -f rbac") == Outcome(0, reconciled, created)
    assert auth(made, "reconcile -f rbac") == Outcome(0, reconciled, "")
    assert auth(made, "can-i get pods --as=jane").stdout == "yes\n"
    assert auth(made, "can-i get pods --subresource=log --as=jane").stdout == "yes\n"
    assert auth(made, "can-i get pods --subresource=exec --as=jane").stdout == "no\n"
    listed = auth(made, "can-i --list --as=jane").stdout.splitlines()
    assert listed[0].split("  ")[0] == "Resources"
    assert [" ".join(line.split()) for line in listed if "deployments" in line] == ["deployments.apps [] [web] [get]"]
    bare = auth(made, "can-i --list --as=jane --no-headers").stdout.splitlines()
    assert [line.split() for line in bare] == [line.split() for line in listed[1:]]


def test_what_is_not_wanted_is_only_taken_away_when_asked(made: Desk) -> None:
    auth(made, "reconcile -f rbac")
    told = auth(made, "reconcile -f rbac/deep -o name")
    assert told.stdout == "".join(f"{name}\n" for name in NAMED)
    assert "removed" not in told.stderr
    assert made.run("get", "role", "reader", "-o", "jsonpath={.metadata.labels}{.rules[*].verbs}").stdout == (
        '{"more":"1","own":"1"}["get","list"] ["get"] ["watch"]'
    )
    told = auth(made, "reconcile -f rbac/deep --remove-extra-permissions --remove-extra-subjects")
    assert told.stderr.count("extra rules removed:\n") == 1
    assert told.stderr.endswith(
        "\textra subjects removed:\n\t\t{Kind:User APIGroup:rbac.authorization.k8s.io Name:jane Namespace:}\n"
    )
    assert made.run("get", "role", "reader", "-o", "jsonpath={.rules[*].verbs}").stdout == '["get","watch"]'
    assert made.run("get", "rolebinding", "readers", "-o", "jsonpath={.subjects[*].name}").stdout == "team"


def test_files_are_read_from_directories_and_kustomizations(made: Desk) -> None:
    made.write("rbac/kustomization.yaml", "resources: [role.yaml]\n")
    assert auth(made, "reconcile -k rbac --dry-run=client -o name").stdout == "".join(f"{name}\n" for name in NAMED)
    (made.directory / "rbac" / "kustomization.yaml").unlink()
    once = auth(made, "reconcile -f rbac --dry-run=client -o name").stdout
    assert auth(made, "reconcile -f rbac -R --dry-run=client -o name").stdout == once * 2


def test_the_object_is_printed_as_asked(made: Desk) -> None:
    auth(made, "reconcile -f rbac")
    steps = [
        ("-o jsonpath={.kind}", "RoleRoleBinding"),
        ("--template={{.kind}}", "RoleRoleBinding"),
        ("-o jsonpath={.nope}", ""),
    ]
    for flags, stdout in steps:
        assert auth(made, f"reconcile -f rbac {flags}") == Outcome(0, stdout, "")
    strict = auth(made, "reconcile -f rbac -o jsonpath={.nope} --allow-missing-template-keys=false")
    assert "nope is not found" in strict.stderr
    assert "manager:" not in auth(made, "reconcile -f rbac -o yaml").stdout
    assert "manager:" in auth(made, "reconcile -f rbac -o yaml --show-managed-fields").stdout


def test_who_i_am(read: Read) -> None:
    said = read("auth", "whoami", "--as=jane", "--as-group=a", "--as-group=b", "--as-uid=7", "--as-user-extra=k=v")
    assert said.stdout == (
        "ATTRIBUTE   VALUE\nUsername    jane\nUID         7\nGroups      [a b system:authenticated]\nExtra: k    [v]\n"
    )
    steps = [
        (["-o", "jsonpath={.status.userInfo.username}"], "jane"),
        (["-o", "go-template={{.kind}}"], "SelfSubjectReview"),
        (["-o", "go-template", "--template={{.kind}}"], "SelfSubjectReview"),
        (["-o", "jsonpath={.nope}"], ""),
        (["--template={{.kind}}"], "ATTRIBUTE   VALUE\nUsername    jane\nGroups      [system:authenticated]\n"),
    ]
    for flags, stdout in steps:
        assert read("auth", "whoami", "--as=jane", *flags) == Outcome(0, stdout, "")
    strict = read("auth", "whoami", "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert "nope is not found" in strict.stderr


TWO = "error: you must specify two arguments: verb resource or verb resource/resourceName.\n"
REFUSED = [
    ("can-i get", f"{TWO}See 'kctl auth can-i -h' for help and examples.\n"),
    ("can-i get /logs --subresource=x", "error: --subresource can not be used with NonResourceURL\n"),
    ("can-i get pods --no-headers", "error: --no-headers cannot be set without --list specified\n"),
    ("can-i --list get", "error: list option must be specified with no arguments\n"),
    ("can-i --list --all-namespaces",
     "error: list option can't be specified with neither quiet, all-namespaces nor subresource options\n"),
    ("reconcile", "error: must specify one of -f and -k\n"),
    ("reconcile -f x.yaml y", "error: no arguments are allowed\n"),
    ("reconcile -f x.yaml --dry-run=server", "error: --dry-run=server for command reconcile is not supported yet\n"),
    ("bogus", "error: unknown command \"bogus\"\nSee 'kctl auth -h' for help and examples\n"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_wrong_command_line_is_refused(read: Read, line: str, stderr: str) -> None:
    assert read("auth", *line.split()) == Outcome(1, "", stderr)
