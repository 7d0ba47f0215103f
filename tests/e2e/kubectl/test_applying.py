"""`kubectl apply`, client-side and server-side, with its conflicts, and `kubectl diff`."""

from __future__ import annotations

import json

from tests.e2e.examples.kubectl import Kubectl

CONFLICT = """\
error: Apply failed with 1 conflict: conflict with "alice": .data.a
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27"}
      - {name: log, image: busybox}
"""


def _config(**data: str) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})


def test_apply_creates_configures_leaves_alone_and_takes_away(kubectl: Kubectl) -> None:
    apply = ("apply", "-f", "-")
    assert kubectl.ok(*apply, stdin=_config(a="1", b="2")) == "configmap/a created\n"
    assert kubectl.ok(*apply, stdin=_config(a="1", b="2")) == "configmap/a unchanged\n"
    kubectl.ok("patch", "configmap", "a", "-p", '{"data":{"c":"3"}}')
    assert kubectl.ok(*apply, stdin=_config(a="4")) == "configmap/a configured\n"
    assert json.loads(kubectl.ok("get", "configmap", "a", "-o", "jsonpath={.data}")) == {"a": "4", "c": "3"}


def test_apply_merges_containers_by_name(kubectl: Kubectl) -> None:
    assert kubectl.ok("apply", "-f", "-", stdin=DEPLOYMENT) == "deployment.apps/web created\n"
    kubectl.ok("set", "env", "deployment/web", "-c", "web", "A=1")
    changed = DEPLOYMENT.replace("nginx:1.27", "nginx:1.28").replace("      - {name: log, image: busybox}\n", "")
    assert kubectl.ok("apply", "-f", "-", stdin=changed) == "deployment.apps/web configured\n"
    containers = json.loads(kubectl.ok("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers}"))
    assert [(each["name"], each["image"], each["env"]) for each in containers] == [
        ("web", "nginx:1.28", [{"name": "A", "value": "1"}])
    ]


def test_server_side_apply_keeps_who_owns_what(kubectl: Kubectl) -> None:
    alice = ("apply", "--server-side", "--field-manager=alice", "-f", "-")
    bob = ("apply", "--server-side", "--field-manager=bob", "-f", "-")
    assert kubectl.ok(*alice, stdin=_config(a="1")) == "configmap/a serverside-applied\n"
    assert kubectl.ok(*bob, stdin=_config(b="2")) == "configmap/a serverside-applied\n"
    conflict = kubectl(*bob, stdin=_config(a="9", b="2"))
    assert (conflict.code, conflict.stdout, conflict.stderr) == (1, "", CONFLICT)
    assert kubectl.ok(*bob, "--force-conflicts", stdin=_config(a="9", b="2")) == "configmap/a serverside-applied\n"
    assert kubectl.ok(*bob, stdin=_config(a="9")) == "configmap/a serverside-applied\n"
    assert json.loads(kubectl.ok("get", "configmap", "a", "-o", "jsonpath={.data}")) == {"a": "9"}
    managed = json.loads(kubectl.ok("get", "configmap", "a", "--show-managed-fields", "-o", "json"))["metadata"]
    assert [(each["manager"], each["operation"], each["fieldsV1"]) for each in managed["managedFields"]] == [
        ("bob", "Apply", {"f:data": {"f:a": {}}})
    ]


def test_server_side_apply_takes_over_what_was_applied_by_the_client(kubectl: Kubectl) -> None:
    kubectl.ok("apply", "-f", "-", stdin=_config(a="1", b="2"))
    assert kubectl.ok("apply", "--server-side", "-f", "-", stdin=_config(a="2")) == "configmap/a serverside-applied\n"
    assert json.loads(kubectl.ok("get", "configmap", "a", "-o", "jsonpath={.data}")) == {"a": "2"}


def test_a_diff_shows_what_an_apply_would_change(kubectl: Kubectl) -> None:
    kubectl.ok("apply", "-f", "-", stdin=_config(a="1"))
    assert kubectl.ok("diff", "-f", "-", stdin=_config(a="1")) == ""
    for flags in ((), ("--server-side", "--force-conflicts")):
        differs = kubectl("diff", *flags, "-f", "-", stdin=_config(a="2"))
        assert (differs.code, differs.stderr) == (1, "")
        changed = [line for line in differs.stdout.splitlines() if line.startswith(("-  a", "+  a"))]
        assert changed == ['-  a: "1"', '+  a: "2"']
    assert kubectl.ok("get", "configmap", "a", "-o", "jsonpath={.data.a}") == "1"


def test_what_is_no_longer_in_the_files_is_pruned(kubectl: Kubectl) -> None:
    both = {"apiVersion": "v1", "kind": "List", "items": [_labelled("keep"), _labelled("drop")]}
    prune = ("apply", "--prune", "-l", "set=mine", "--prune-allowlist=core/v1/ConfigMap", "-f", "-")
    kubectl.ok("apply", "-f", "-", stdin=json.dumps(both))
    told = kubectl.ok(*prune, stdin=json.dumps(_labelled("keep")))
    assert told == "configmap/keep unchanged\nconfigmap/drop pruned\n"


def _labelled(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"set": "mine"}}}


def test_a_manifest_with_an_unknown_field_is_refused_before_anything_is_stored(kubectl: Kubectl) -> None:
    refused = kubectl("apply", "-f", "-", stdin=DEPLOYMENT.replace("replicas: 2", "replica: 2"))
    assert refused.code == 1
    assert refused.stderr == (
        'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as '
        'a Deployment: strict decoding error: unknown field "spec.replica"\n'
    )
    assert kubectl("get", "deployments").stderr == f"No resources found in {kubectl.namespace} namespace.\n"


def test_every_fault_of_an_object_is_told_at_once(kubectl: Kubectl) -> None:
    wrong = DEPLOYMENT.replace("replicas: 2", "replicas: -1").replace(
        "matchLabels: {app: web}", "matchLabels: {app: x}"
    )
    refused = kubectl("apply", "-f", "-", stdin=wrong)
    assert refused.stderr == (
        'The Deployment "web" is invalid: \n'
        "* spec.replicas: Invalid value: -1: must be greater than or equal to 0\n"
        '* spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`\n'
    )
