"""`kubectl get -w`: rows as they come."""

from __future__ import annotations

from tests.e2e.examples.kubectl import Kubectl


def test_get_all_shows_them_all_and_kubectl_itself_watches_one_kind_only(kubectl: Kubectl) -> None:
    kubectl.ok("create", "deployment", "web", "--image=nginx", "--replicas=3")
    kubectl.ok("run", "pod", "--image=nginx")
    kubectl.ok("create", "job", "once", "--image=busybox")
    kubectl.ok("create", "service", "clusterip", "web", "--tcp=80")
    assert kubectl.ok("get", "all", "-o", "name").split() == [
        "pod/pod",
        "service/web",
        "deployment.apps/web",
        "job.batch/once",
    ]
    assert "service/kubernetes" in kubectl.ok("get", "all", "-A")
    refused = kubectl("get", "all", "-A", "-w")
    assert (refused.code, refused.stderr) == (1, "error: you may only specify a single resource type\n")


def test_a_watch_of_every_namespace_shows_each_change(kubectl: Kubectl) -> None:
    where = kubectl.namespace
    with kubectl.running("get", "deployments", "-A", "-w", "--output-watch-events=true") as watching:
        assert watching.stdout is not None
        ours = (line.split()[:6] for line in iter(watching.stdout.readline, "") if where in line)
        kubectl.ok("create", "deployment", "web", "--image=nginx", "--replicas=3")
        assert next(ours) == ["ADDED", where, "web", "0/3", "0", "0"]
        kubectl.ok("scale", "deployment", "web", "--replicas=1")
        assert next(ours) == ["MODIFIED", where, "web", "0/1", "0", "0"]
        kubectl.ok("delete", "deployment", "web")
        assert next(ours) == ["DELETED", where, "web", "0/1", "0", "0"]


def test_a_watch_of_one_kind_follows_a_label(kubectl: Kubectl) -> None:
    kubectl.ok("create", "configmap", "a")
    with kubectl.running("get", "configmaps", "-l", "on=yes", "-w", "--output-watch-events=true") as watching:
        assert watching.stdout is not None
        kubectl.ok("label", "configmap", "a", "on=yes")
        lines = iter(watching.stdout.readline, "")
        assert next(lines).split() == ["EVENT", "NAME", "DATA", "AGE"]
        assert next(lines).split()[:3] == ["ADDED", "a", "0"]
        kubectl.ok("patch", "configmap", "a", "-p", '{"data":{"x":"1"}}')
        assert next(lines).split()[:3] == ["MODIFIED", "a", "1"]
        kubectl.ok("label", "configmap", "a", "on-")
        assert next(lines).split()[:3] == ["DELETED", "a", "1"]


def test_a_wait_for_all_pods_of_a_selection_sees_the_status_that_somebody_writes(kubectl: Kubectl) -> None:
    kubectl.ok("run", "web", "--image=nginx", "--labels=app=web")
    with kubectl.running("wait", "pods", "-l", "app=web", "--for=condition=Ready", "--timeout=30s") as waiting:
        ready = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
        told = kubectl.ok("patch", "pod", "web", "--subresource=status", "-p", ready)
        assert told == "pod/web patched\n"
        stdout, _ = waiting.communicate(timeout=30)
        assert stdout == "pod/web condition met\n"
        assert kubectl.ok("get", "pod", "web", "--no-headers").split()[:3] == ["web", "0/1", "Running"]
