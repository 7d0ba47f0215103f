"""The verbs that change an object in place, and those that wait for a change or look at its history."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.kubectl.reading import deleted, table

SERVICE = """\
Name:                     web
Labels:                   app=web
Annotations:              <none>
Selector:                 app=web
Type:                     ClusterIP
IP Family Policy:         SingleStack
IP Families:              IPv4
Port:                     <unset>  80/TCP
TargetPort:               8080/TCP
Endpoints:                <none>
Session Affinity:         None
Internal Traffic Policy:  Cluster
Events:                   <none>
"""


@pytest.fixture
def web(kubectl: Kubectl) -> Kubectl:
    """There is a deployment."""
    kubectl.ok("create", "deployment", "web", "--image=nginx:1.27", "--replicas=2", "--port=80")
    return kubectl


def test_labels_and_annotations_come_and_go(web: Kubectl) -> None:
    assert web.ok("label", "deployment", "web", "tier=front") == "deployment.apps/web labeled\n"
    refused = web("label", "deployment", "web", "tier=back")
    assert refused.stderr == "error: 'tier' already has a value (front), and --overwrite is false\n"
    assert web.ok("label", "deployment", "web", "tier=back", "--overwrite") == "deployment.apps/web labeled\n"
    assert web.ok("get", "deployments", "-l", "tier=back,app=web", "-o", "name") == "deployment.apps/web\n"
    assert web.ok("label", "deployment", "web", "tier-") == "deployment.apps/web unlabeled\n"
    assert web("get", "deployments", "-l", "tier").stdout == ""
    assert web.ok("annotate", "deployment", "web", "note=seen") == "deployment.apps/web annotated\n"
    assert web.ok("get", "deployment", "web", "-o", "jsonpath={.metadata.annotations.note}") == "seen"


def test_a_scale_goes_through_the_subresource(web: Kubectl) -> None:
    assert web.ok("scale", "deployment", "web", "--replicas=5") == "deployment.apps/web scaled\n"
    assert web.ok("get", "deployment", "web", "--subresource=scale", "-o", "jsonpath={.kind} {.spec.replicas}") == (
        "Scale 5"
    )
    wrong = web("scale", "deployment", "web", "--current-replicas=2", "--replicas=1")
    assert (wrong.code, wrong.stderr) == (1, "error: Expected replicas to be 2, was 5\n")
    assert table(web.ok("get", "deployment", "web")) == [
        "NAME | READY | UP-TO-DATE | AVAILABLE | AGE",
        "web | 0/5 | 0 | 0 | <age>",
    ]


def test_an_edit_is_what_the_editor_left(web: Kubectl) -> None:
    edited = web.ok("edit", "deployment", "web", KUBE_EDITOR="sed -i s/replicas:.2/replicas:\\ 3/")
    assert edited == "deployment.apps/web edited\n"
    assert web.ok("get", "deployment", "web", "-o", "jsonpath={.spec.replicas} {.metadata.generation}") == "3 2"
    same = web("edit", "deployment", "web", KUBE_EDITOR="true")
    assert (same.code, same.stderr) == (0, "Edit cancelled, no changes made.\n")


def test_an_edit_that_the_server_refuses_is_shown_to_the_editor_again(web: Kubectl) -> None:
    refused = web("edit", "deployment", "web", KUBE_EDITOR="sed -i s/replicas:.2/replicas:\\ -1/")
    assert refused.code == 1
    assert 'deployments.apps "web" is invalid' in refused.stderr
    kept = refused.stderr.partition('stored to "')[2].partition('"')[0]
    assert "# * spec.replicas: Invalid value: -1: must be greater than or equal to 0\n" in Path(kept).read_text()


def test_a_deployment_is_exposed(web: Kubectl) -> None:
    assert web.ok("expose", "deployment", "web", "--port=80", "--target-port=8080") == "service/web exposed\n"
    described = web.ok("describe", "service", "web")
    # 1.27 and 1.28 know no internal traffic policy here; addresses are the server's own choice.
    assert [
        line for line in described.splitlines() if not line.startswith(("IP:", "IPs:", "Namespace:"))
    ] == SERVICE.splitlines()
    assert table(web.ok("get", "service", "web")) == [
        "NAME | TYPE | CLUSTER-IP | EXTERNAL-IP | PORT(S) | AGE",
        "web | ClusterIP | <ip> | <none> | 80/TCP | <age>",
    ]


def test_a_rollout_is_paused_resumed_restarted_and_its_history_told(web: Kubectl) -> None:
    assert web.ok("set", "image", "deployment/web", "nginx=nginx:1.28") == "deployment.apps/web image updated\n"
    assert web.ok("rollout", "pause", "deployment", "web") == "deployment.apps/web paused\n"
    assert web.ok("rollout", "resume", "deployment", "web") == "deployment.apps/web resumed\n"
    assert web.ok("rollout", "restart", "deployment", "web") == "deployment.apps/web restarted\n"
    history = web.ok("rollout", "history", "deployment", "web").splitlines()
    assert [line.rstrip() for line in history if line] == ["deployment.apps/web", "No rollout history found."]


def test_the_history_is_read_from_the_replica_sets_that_somebody_made(web: Kubectl) -> None:
    for revision in (1, 2):
        web.ok("create", "-f", "-", stdin=json.dumps(_replica_set(web, revision)))
    web.ok("annotate", "replicaset", "web-2", "kubernetes.io/change-cause=because")
    assert [line.split() for line in web.ok("rollout", "history", "deployment", "web").splitlines() if line] == [
        ["deployment.apps/web"],
        ["REVISION", "CHANGE-CAUSE"],
        ["1", "<none>"],
        ["2", "because"],
    ]


def _replica_set(kubectl: Kubectl, revision: int) -> dict[str, object]:
    labels = {"app": "web", "pod-template-hash": str(revision)}
    owner = kubectl("get", "deployment", "web", "-o", "jsonpath={.metadata.uid}").stdout
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"web-{revision}",
            "labels": labels,
            "annotations": {"deployment.kubernetes.io/revision": str(revision)},
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": owner, "controller": True}
            ],
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}},
        },
    }


def test_patches_of_every_kind(web: Kubectl) -> None:
    path = ("patch", "deployment", "web")
    strategic = '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","env":[{"name":"A","value":"1"}]}]}}}}'
    assert web.ok(*path, "-p", strategic) == "deployment.apps/web patched\n"
    assert web.ok(*path, "-p", strategic) == "deployment.apps/web patched (no change)\n"
    assert web.ok(*path, "--type=merge", "-p", '{"spec":{"minReadySeconds":5}}') == "deployment.apps/web patched\n"
    json_patch = (
        '[{"op":"test","path":"/spec/minReadySeconds","value":5},{"op":"remove","path":"/spec/minReadySeconds"}]'
    )
    assert web.ok(*path, "--type=json", "-p", json_patch) == "deployment.apps/web patched\n"
    wanted = "{.spec.template.spec.containers[*].image} {.spec.template.spec.containers[*].env[*].name}"
    assert web.ok("get", "deployment", "web", "-o", f"jsonpath={wanted}{{.spec.minReadySeconds}}") == "nginx:1.27 A"


def test_a_wait_ends_when_it_has_happened_and_not_before(web: Kubectl) -> None:
    late = web("wait", "deployment/web", "--for=condition=Available", "--timeout=300ms")
    assert (late.code, late.stderr) == (1, "error: timed out waiting for the condition on deployments/web\n")
    with _meanwhile(web, "scale", "deployment", "web", "--replicas=4"):
        assert web.ok("wait", "deployment/web", "--for=jsonpath={.spec.replicas}=4", "--timeout=20s") == (
            "deployment.apps/web condition met\n"
        )
    with _meanwhile(web, "delete", "deployment", "web"):
        assert (
            web.ok("wait", "deployment/web", "--for=delete", "--timeout=20s") == "deployment.apps/web condition met\n"
        )


@contextmanager
def _meanwhile(kubectl: Kubectl, *arguments: str) -> Iterator[None]:
    """A command a moment later, so that the one in the block has begun to look."""
    later = threading.Timer(0.4, lambda: kubectl.ok(*arguments))
    later.start()
    try:
        yield
    finally:
        later.join()


def test_a_replaced_object_needs_the_version_that_was_read(kubectl: Kubectl) -> None:
    kubectl.ok("create", "configmap", "a", "--from-literal=x=1")
    read = kubectl("get", "configmap", "a", "-o", "json").stdout
    kubectl.ok("patch", "configmap", "a", "-p", '{"data":{"x":"2"}}')
    stale = kubectl("replace", "-f", "-", stdin=read)
    assert stale.code == 1
    assert stale.stderr == (
        'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "a": '
        "the object has been modified; please apply your changes to the latest version and try again\n"
    )
    assert kubectl.ok("replace", "--force", "-f", "-", stdin=_without_version(read)).endswith("configmap/a replaced\n")
    assert kubectl.ok("get", "configmap", "a", "-o", "jsonpath={.data.x}") == "1"
    assert deleted(kubectl.ok("delete", "configmap", "a")) == 'configmap "a" deleted\n'


def _without_version(text: str) -> str:
    body = json.loads(text)
    del body["metadata"]["resourceVersion"], body["metadata"]["uid"]
    return json.dumps(body)
