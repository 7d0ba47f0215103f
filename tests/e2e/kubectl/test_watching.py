"""`kubectl get -w`: rows as they come."""

from __future__ import annotations

from tests.e2e.examples.kubectl import Kubectl


def test_get_all_in_every_namespace_watches_them_all(kubectl: Kubectl) -> None:
    """kubectl opens a watch for each of the kinds, one after the other, and prints what any of them sees."""
    where = kubectl.namespace
    with kubectl.running("get", "all", "-A", "-w", "--output-watch-events=true") as watching:
        assert watching.stdout is not None
        until_told = iter(watching.stdout.readline, "")
        assert "service/kubernetes" in next(line for line in until_told if line.startswith("ADDED"))
        kubectl.ok("create", "deployment", "web", "--image=nginx", "--replicas=3")
        created = next(line for line in until_told if where in line)
        assert created.split()[:6] == ["ADDED", where, "deployment.apps/web", "0/3", "0", "0"]
        kubectl.ok("run", "pod", "--image=nginx")
        ran = next(line for line in until_told if where in line)
        assert ran.split()[:6] == ["ADDED", where, "pod/pod", "0/1", "Pending", "0"]
        kubectl.ok("scale", "deployment", "web", "--replicas=1")
        scaled = next(line for line in until_told if where in line)
        assert scaled.split()[:6] == ["MODIFIED", where, "deployment.apps/web", "0/1", "0", "0"]
        kubectl.ok("delete", "pod", "pod")
        ended = next(line for line in until_told if where in line and line.startswith("DELETED"))
        assert ended.split()[2] == "pod/pod"


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
