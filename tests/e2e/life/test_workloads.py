"""Workloads move: what people type, with kubectl and with kctl, on a plane as `kctl up` starts it."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.life.conftest import Tool
from tests.e2e.up.machine import Machine

STATEFUL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: postgres, image: postgres, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
DAEMON = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: agent}]}
"""
AUTOSCALED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: busy}
spec:
  selector: {matchLabels: {app: busy}}
  template:
    metadata: {labels: {app: busy}, annotations: {simulation.localplane/cpu: 180m}}
    spec: {containers: [{name: busy, image: busy, resources: {requests: {cpu: 100m}}}]}
"""


def manifest(directory: Path, text: str) -> str:
    path = directory / "manifest.yaml"
    path.write_text(text)
    return str(path)


def test_a_deployment_rolls_out_and_back(tool: Tool) -> None:
    tool("create", "deployment", "web", "--image=nginx:1")
    assert "successfully rolled out" in tool("rollout", "status", "deployment/web", "--timeout=60s")
    assert tool.value("deployment/web", ".status.availableReplicas") == "1"
    assert tool.value("pods", ".items[*].status.phase") == "Running"
    tool("scale", "deployment/web", "--replicas=4")
    tool("wait", "deployment/web", "--for=jsonpath={.status.availableReplicas}=4", "--timeout=60s")
    tool("set", "image", "deployment/web", "nginx=nginx:2")
    assert "successfully rolled out" in tool("rollout", "status", "deployment/web", "--timeout=60s")
    tool.until("pods", ".items[*].spec.containers[0].image", lambda images: set(images.split()) == {"nginx:2"})
    assert [line.split()[0] for line in tool("rollout", "history", "deployment/web").split("\n")[2:4]] == ["1", "2"]
    tool("rollout", "undo", "deployment/web")
    assert "successfully rolled out" in tool("rollout", "status", "deployment/web", "--timeout=60s")
    assert tool.value("deployment/web", ".spec.template.spec.containers[0].image") == "nginx:1"
    assert [line.split()[0] for line in tool("rollout", "history", "deployment/web").split("\n")[2:4]] == ["2", "3"]
    tool("rollout", "pause", "deployment/web")
    tool("set", "image", "deployment/web", "nginx=nginx:3")
    tool.until(
        "deployment/web",
        ".status.conditions[?(@.type=='Progressing')].reason",
        lambda reason: reason == "DeploymentPaused",
    )
    assert tool.value("replicasets", ".items[*].spec.template.spec.containers[0].image").count("nginx:3") == 0
    tool("rollout", "resume", "deployment/web")
    tool("rollout", "restart", "deployment/web")
    assert "successfully rolled out" in tool("rollout", "status", "deployment/web", "--timeout=60s")
    tool("delete", "deployment", "web", "--timeout=60s")
    tool.until("pods,replicasets", ".items[*].metadata.name", lambda names: names == "")


def test_jobs_complete_and_fail(tool: Tool) -> None:
    tool("create", "job", "good", "--image=busybox", "--", "true")
    tool("create", "job", "bad", "--image=busybox", "--", "false")
    tool("patch", "job", "bad", "--type=merge", "-p", '{"spec":{"backoffLimit":1}}')
    tool("wait", "job/good", "--for=condition=complete", "--timeout=60s")
    tool("wait", "job/bad", "--for=condition=failed", "--timeout=60s")
    assert tool.value("job/good", ".status.succeeded") == "1"
    assert tool.value("job/bad", ".status.conditions[?(@.type=='Failed')].reason") == "BackoffLimitExceeded"
    tool("create", "cronjob", "nightly", "--image=busybox", "--schedule=0 3 * * *", "--", "true")
    tool("create", "job", "tonight", "--from=cronjob/nightly")
    tool("wait", "job/tonight", "--for=condition=complete", "--timeout=60s")


def test_a_cron_job_runs_when_its_minute_comes(kctl: Tool) -> None:
    kctl("create", "cronjob", "often", "--image=busybox", "--schedule=* * * * *", "--", "true")
    kctl("clock", "advance", "61s")
    kctl.until("cronjob/often", ".status.lastSuccessfulTime", bool)
    assert kctl.value("jobs", ".items[0].status.succeeded") == "1"


def test_a_stateful_set_has_pods_in_order_and_claims_that_stay(tool: Tool, tmp_path: Path) -> None:
    tool("apply", "-f", manifest(tmp_path, STATEFUL))
    assert "roll out complete" in tool("rollout", "status", "statefulset/db", "--timeout=60s")
    assert tool.value("pods", ".items[*].metadata.name") == "db-0 db-1"
    assert tool.value("pvc", ".items[*].status.phase") == "Bound Bound"
    tool("delete", "statefulset", "db", "--timeout=60s")
    tool.until("pods", ".items[*].metadata.name", lambda names: names == "")
    assert tool.value("pvc", ".items[*].metadata.name") == "data-db-0 data-db-1"
    tool("delete", "pvc", "--all", "--timeout=60s")
    tool.until(
        "pv", f".items[?(@.spec.claimRef.namespace=='{tool.namespace}')].metadata.name", lambda names: names == ""
    )


def test_a_daemon_set_has_a_pod_on_every_node(tool: Tool, tmp_path: Path) -> None:
    tool("apply", "-f", manifest(tmp_path, DAEMON))
    assert "successfully rolled out" in tool("rollout", "status", "daemonset/agent", "--timeout=60s")
    nodes = set(tool.value("nodes", ".items[*].metadata.name").split())
    assert {"node-0", "node-1", "node-2"} <= nodes
    tool.until("pods", ".items[*].spec.nodeName", lambda names: set(names.split()) == nodes)


def test_a_service_has_the_endpoints_of_its_ready_pods(tool: Tool) -> None:
    tool("create", "deployment", "web", "--image=nginx", "--replicas=2")
    tool("expose", "deployment", "web", "--port=80", "--target-port=8080")
    tool("rollout", "status", "deployment/web", "--timeout=60s")
    addresses = set(tool.value("pods", ".items[*].status.podIP").split())
    assert len(addresses) == 2
    slices = "endpointslices"
    tool.until(slices, ".items[*].endpoints[*].addresses[0]", lambda found: set(found.split()) == addresses)
    assert tool.value(slices, ".items[0].ports[0].port") == "8080"


def test_an_autoscaler_follows_the_metrics_that_it_is_told(kctl: Tool, tmp_path: Path) -> None:
    kctl("apply", "-f", manifest(tmp_path, AUTOSCALED))
    kctl("rollout", "status", "deployment/busy", "--timeout=60s")
    assert "180m" in kctl("top", "pods")
    kctl("autoscale", "deployment", "busy", "--cpu=90%", "--min=1", "--max=5")
    kctl("clock", "advance", "1m")
    kctl.until("deployment/busy", ".spec.replicas", lambda replicas: replicas == "5")
    assert "SuccessfulRescale" in kctl("events")


def test_a_namespace_goes_with_everything_that_is_in_it(kctl: Tool, tmp_path: Path) -> None:
    kctl("apply", "-f", manifest(tmp_path, STATEFUL))
    kctl("create", "deployment", "web", "--image=nginx", "--replicas=3")
    kctl("rollout", "status", "statefulset/db", "--timeout=60s")
    kctl("delete", "namespace", kctl.namespace, "--timeout=60s")
    assert "NotFound" in kctl.run("get", "namespace", kctl.namespace)[2]


def test_logs_tell_what_was_simulated_and_exec_says_that_nothing_runs(tool: Tool) -> None:
    tool("run", "web", "--image=nginx")
    tool("wait", "pod/web", "--for=condition=ready", "--timeout=60s")
    assert "[simulated]" in tool("logs", "web")
    code, _, stderr = tool.run("exec", "web", "--", "ls")
    assert code != 0
    assert "no processes run" in stderr


def test_a_drained_node_is_empty_and_its_pods_run_elsewhere(living: Machine, kctl: Tool) -> None:
    kctl("create", "deployment", "web", "--image=nginx", "--replicas=6")
    kctl("rollout", "status", "deployment/web", "--timeout=60s")
    kctl("drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s")
    kctl("rollout", "status", "deployment/web", "--timeout=60s")
    kctl.until("pods", ".items[*].spec.nodeName", lambda names: len(names.split()) == 6 and "node-2" not in names)
    kctl("uncordon", "node-2")
