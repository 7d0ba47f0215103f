"""Time passes in a cluster: what is due happens, in order, and nobody waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.times import parse_time
from localplane.apiserver.server.options import ServerOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import NoOwnClock
from localplane.testing import AsyncCluster, Cluster, Failed, NotAtRest, cluster

HOUR = timedelta(hours=1)

CRON_JOB = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: hourly}
spec:
  schedule: "0 * * * *"
  successfulJobsHistoryLimit: 5
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: work, image: work, command: [sleep, "5"]}]}
"""

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  ttlSecondsAfterFinished: 3600
  template:
    spec: {restartPolicy: Never, containers: [{name: work, image: work, command: [sleep, "600"]}]}
"""

FAILING_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: failing}
spec:
  backoffLimit: 3
  template:
    spec: {restartPolicy: Never, containers: [{name: work, image: work, command: ["false"]}]}
"""

USAGE = "simulation.localplane/cpu"
SCALED = f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: 4
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}, annotations: {{{USAGE}: 1m}}}}
    spec: {{containers: [{{name: web, image: web, resources: {{requests: {{cpu: 100m}}}}}}]}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: web}}
spec:
  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}
  minReplicas: 1
  maxReplicas: 10
  metrics: [{{type: Resource, resource: {{name: cpu, target: {{type: Utilization, averageUtilization: 50}}}}}}]
"""

LIMITED_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: limited}
spec:
  activeDeadlineSeconds: 1800
  template:
    spec: {restartPolicy: Never, containers: [{name: work, image: work, command: [sleep, "3600"]}]}
"""

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
"""

UNPROVIDED = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: nobodys}
provisioner: nobody.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: nobodys, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: reader}
spec:
  containers: [{name: it, image: it}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""


@pytest.fixture(scope="module")
def prepared() -> Iterator[Cluster]:
    with cluster(nodes=2) as trunk:
        for name in ("node/node-0", "node/node-1"):
            trunk.wait_for(name, "Ready")
        yield trunk


@pytest.fixture
def branch(prepared: Cluster) -> Iterator[Cluster]:
    with prepared.branch() as own:
        yield own


def full_hours(since: datetime, until: datetime) -> int:
    """How many there are between two moments."""
    return int(until.timestamp() // 3600 - since.timestamp() // 3600)


def condition(obj: dict[str, Any], kind: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in obj["status"]["conditions"] if each["type"] == kind)
    return found


def test_a_cron_job_has_its_jobs_on_the_hour_and_they_end(branch: Cluster) -> None:
    before = branch.now
    branch.apply(CRON_JOB)
    branch.advance(seconds=(before.replace(minute=30) + 3 * HOUR - before).total_seconds())
    jobs = branch.list("jobs")
    begun = [parse_time(job["metadata"]["creationTimestamp"]) for job in jobs]
    assert len(begun) == 3
    assert {(moment.minute, moment.second // 10) for moment in begun} == {(0, 0)}
    took = [parse_time(job["status"]["completionTime"]) - parse_time(job["status"]["startTime"]) for job in jobs]
    assert all(timedelta(seconds=5) <= each < timedelta(minutes=1) for each in took)
    assert branch.get("cronjob/hourly")["status"]["lastScheduleTime"] == jobs[-1]["metadata"]["creationTimestamp"]


def test_a_token_is_refused_after_its_time(branch: Cluster) -> None:
    token = branch.kctl("create", "token", "default", "--duration", "10m").stdout.strip()

    def is_good() -> bool:
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        return bool(branch.create(review)["status"].get("authenticated"))

    assert is_good()
    branch.advance(minutes=9)
    assert is_good()
    branch.advance(minutes=2)  # a minute of grace is over too
    assert not is_good()
    with pytest.raises(Failed, match="Unauthorized"):
        branch.kctl("auth", "whoami", "--token", token)


def test_a_finished_job_goes_after_its_time_to_live_and_not_before(branch: Cluster) -> None:
    branch.apply(JOB)
    branch.advance(minutes=15)
    job = branch.get("job/work")
    assert condition(job, "Complete")["status"] == "True"
    finished = parse_time(condition(job, "Complete")["lastTransitionTime"])
    branch.advance(finished + HOUR - branch.now - timedelta(minutes=2))
    branch.get("job/work")
    branch.advance(minutes=3)
    with pytest.raises(NotFound):
        branch.get("job/work")
    assert branch.list("pods", "default") == []


def test_a_job_is_tried_again_after_growing_pauses_until_its_limit(branch: Cluster) -> None:
    branch.apply(FAILING_JOB)
    branch.advance(minutes=10)
    job = branch.get("job/failing")
    assert condition(job, "Failed")["reason"] == "BackoffLimitExceeded"
    assert job["status"]["failed"] == 4
    begun = sorted(parse_time(pod["metadata"]["creationTimestamp"]) for pod in branch.list("pods", "default"))
    pauses = [later - earlier for earlier, later in pairwise(begun)]
    assert pauses == sorted(pauses)
    assert pauses[0] >= timedelta(seconds=10)
    assert pauses[-1] >= timedelta(seconds=40)


def test_a_job_may_not_be_active_for_longer_than_its_deadline(branch: Cluster) -> None:
    branch.apply(LIMITED_JOB)
    branch.advance(minutes=29)
    assert branch.get("job/limited")["status"]["active"] == 1
    branch.advance(minutes=2)
    assert condition(branch.get("job/limited"), "Failed")["reason"] == "DeadlineExceeded"


def test_a_silent_node_is_not_ready_and_its_pods_are_evicted_in_order(branch: Cluster) -> None:
    branch.apply(DEPLOYMENT)
    branch.wait_for("deploy/web", "Available")
    (pod,) = branch.list("pods", "default")
    node = f"node/{pod['spec']['nodeName']}"
    stopped = branch.now
    branch.patch(node, {"metadata": {"annotations": {"simulation.localplane/stopped": "true"}}})
    branch.advance(minutes=10)
    ready = condition(branch.get(node), "Ready")
    assert ready["status"] == "Unknown"
    assert timedelta(seconds=28) < parse_time(ready["lastTransitionTime"]) - stopped < timedelta(seconds=120)
    assert {taint["key"] for taint in branch.get(node)["spec"]["taints"]} == {"node.kubernetes.io/unreachable"}
    gone = parse_time(branch.get(pod)["metadata"]["deletionTimestamp"]) - stopped
    assert timedelta(seconds=300) < gone < timedelta(seconds=540), "tolerated for five minutes, and then told to go"
    (other,) = [each for each in branch.list("pods", "default") if each["metadata"]["name"] != pod["metadata"]["name"]]
    assert other["spec"]["nodeName"] != pod["spec"]["nodeName"]
    assert condition(other, "Ready")["status"] == "True"


def test_a_node_that_is_heard_stays_ready_however_long_it_takes(branch: Cluster) -> None:
    branch.apply(DEPLOYMENT)
    branch.wait_for("deploy/web", "Available")
    before = condition(branch.get("node/node-0"), "Ready")
    now = branch.advance(days=30)
    after = condition(branch.get("node/node-0"), "Ready")
    assert (after["status"], after["lastTransitionTime"]) == ("True", before["lastTransitionTime"])
    assert now - parse_time(after["lastHeartbeatTime"]) < timedelta(minutes=6)
    lease = branch.get("lease/node-0", "kube-node-lease")
    assert now - parse_time(lease["spec"]["renewTime"]) < timedelta(seconds=41)
    assert len(branch.list("pods", "default")) == 1


def test_an_event_is_forgotten_after_an_hour(branch: Cluster) -> None:
    branch.apply(DEPLOYMENT)
    branch.wait_for("deploy/web", "Available")
    branch.advance(minutes=50)
    assert "ScalingReplicaSet" in {event["reason"] for event in branch.events("deploy/web")}
    branch.advance(minutes=11)
    assert branch.events("deploy/web") == []


def test_a_rollout_exceeds_its_progress_deadline(branch: Cluster) -> None:
    branch.apply(DEPLOYMENT.replace("image: nginx", "image: nginx:nonexistent"))
    branch.advance(minutes=9)
    assert condition(branch.get("deploy/web"), "Progressing")["status"] == "True"
    branch.advance(minutes=2)
    assert condition(branch.get("deploy/web"), "Progressing")["reason"] == "ProgressDeadlineExceeded"


def test_a_pod_is_available_when_it_has_been_ready_for_long_enough(branch: Cluster) -> None:
    branch.apply(DEPLOYMENT.replace("spec:\n  selector", "spec:\n  minReadySeconds: 300\n  selector"))
    branch.wait_for("pods", "Ready")
    branch.advance(minutes=4)
    assert condition(branch.get("deploy/web"), "Available")["status"] == "False"
    branch.advance(minutes=2)
    assert condition(branch.get("deploy/web"), "Available")["status"] == "True"


def test_an_autoscaler_waits_for_its_window_before_it_scales_down(branch: Cluster) -> None:
    branch.apply(SCALED)
    branch.wait_for("deploy/web", "Available")

    def replicas() -> int:
        return int(branch.get("deploy/web")["spec"]["replicas"])

    branch.advance(minutes=4)
    assert condition(branch.get("hpa/web"), "AbleToScale")["reason"] == "ScaleDownStabilized"
    assert replicas() == 4
    branch.advance(minutes=3)
    assert replicas() == 1
    for pod in branch.list("pods", "default", labels="app=web"):
        branch.patch(pod, {"metadata": {"annotations": {USAGE: "100m"}}})
    branch.advance(minutes=1)
    assert replicas() > 1, "nothing holds up what goes up"


def test_a_volume_that_never_comes_holds_nobody_up(branch: Cluster) -> None:
    branch.apply(UNPROVIDED)
    branch.advance(minutes=5)
    assert branch.get("pod/reader")["status"]["phase"] == "Pending"
    branch.advance(minutes=6)
    assert any("context deadline exceeded" in str(event) for event in branch.events("pod/reader"))


def test_a_deleted_pod_ends_at_the_end_of_its_grace_period(branch: Cluster) -> None:
    script = 'trap "" TERM; sleep 100000'
    branch.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "stubborn"},
            "spec": {
                "terminationGracePeriodSeconds": 600,
                "containers": [{"name": "it", "image": "it", "command": ["sh", "-c", script]}],
            },
        }
    )
    branch.wait_for("pod/stubborn", "Ready")
    branch.delete("pod/stubborn")
    assert parse_time(branch.get("pod/stubborn")["metadata"]["deletionTimestamp"]) > branch.now + timedelta(minutes=9)
    branch.advance(minutes=9)
    branch.get("pod/stubborn")
    branch.advance(minutes=2)
    with pytest.raises(NotFound):
        branch.get("pod/stubborn")


def test_a_servers_lease_that_nobody_renews_expires_and_our_own_does_not(branch: Cluster) -> None:
    ours = {lease["metadata"]["name"] for lease in branch.list("leases", "kube-system")}
    branch.create(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "another", "labels": {"apiserver.kubernetes.io/identity": "kube-apiserver"}},
            "spec": {
                "holderIdentity": "another",
                "leaseDurationSeconds": 3600,
                "renewTime": branch.now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            },
        },
        "kube-system",
    )
    branch.advance(minutes=55)
    assert {lease["metadata"]["name"] for lease in branch.list("leases", "kube-system")} == {*ours, "another"}
    branch.advance(minutes=10)
    assert {lease["metadata"]["name"] for lease in branch.list("leases", "kube-system")} == ours


def test_timestamps_follow_the_clock_over_https_too(branch: Cluster) -> None:
    now = branch.advance(days=100)
    assert now - datetime.now(UTC) > timedelta(days=99)
    branch.kctl("create", "configmap", "later", "--from-literal", "a=b")
    made = branch.get("configmap/later")
    assert abs(parse_time(made["metadata"]["creationTimestamp"]) - now) < timedelta(minutes=10)
    assert abs(parse_time(made["metadata"]["managedFields"][0]["time"]) - now) < timedelta(minutes=10)


def test_a_branch_begins_at_its_trunks_time_and_goes_its_own_way(branch: Cluster) -> None:
    started = branch.advance(days=2)
    with branch.branch() as other:
        assert abs(other.now - started) < timedelta(minutes=10)
        other.advance(days=7)
        assert timedelta(days=6) < other.now - branch.now < timedelta(days=8)
        with other.branch() as third:
            assert abs(third.now - other.now) < timedelta(minutes=1)


def test_what_expires_in_a_branch_does_so_by_its_own_clock(branch: Cluster) -> None:
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "it"},
        "involvedObject": {"kind": "Pod", "name": "x", "namespace": "default"},
    }
    branch.create(event)
    branch.advance(minutes=30)
    with branch.branch() as other:
        other.advance(minutes=31)
        with pytest.raises(NotFound):
            other.get("event/it")
        branch.get("event/it")


def test_many_small_steps_are_one_large_one(branch: Cluster) -> None:
    before = branch.now
    branch.apply(CRON_JOB)
    for _ in range(26):
        branch.advance(minutes=5)
    assert timedelta(minutes=130) <= branch.now - before < timedelta(minutes=140)
    assert len(branch.list("jobs")) == full_hours(before, branch.now)


def test_those_who_advance_at_once_do_so_one_after_the_other(branch: Cluster) -> None:
    before = branch.now
    branch.apply(CRON_JOB)

    async def both(own: AsyncCluster) -> None:
        await asyncio.gather(own.advance(hours=1), own.advance("1h"), own.advance(timedelta(hours=1)))

    asyncio.run(both(branch.asynchronous))
    assert timedelta(hours=3) <= branch.now - before < timedelta(hours=3, minutes=10)
    assert len(branch.list("jobs")) == full_hours(before, branch.now)


async def test_it_is_the_same_in_ones_own_event_loop_and_in_sqlite() -> None:
    async with cluster(storage="sqlite", nodes=0) as own:
        before = own.now
        await own.apply(CRON_JOB)
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "it"},
            "involvedObject": {"kind": "Pod", "name": "x", "namespace": "default"},
        }
        await own.create(event)
        await own.advance(minutes=61)
        assert len(await own.list("jobs")) == full_hours(before, own.now)
        with pytest.raises(NotFound):
            await own.get("event/it")


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        (timedelta(0), "forward only"),
        (timedelta(seconds=-1), "forward only"),
        ("-5m", "forward only"),
        ("soon", 'time: invalid duration "soon"'),
        ("5", "missing unit"),
        (timedelta(days=3_000_000), "after the year 9000"),
    ],
)
def test_time_goes_forward_and_ends_somewhere(branch: Cluster, duration: timedelta | str, words: str) -> None:
    before = branch.now
    with pytest.raises(ValueError, match=words):
        branch.advance(duration)
    assert branch.now - before < timedelta(minutes=1)


def test_a_duration_has_a_form(branch: Cluster) -> None:
    with pytest.raises(TypeError, match="a duration is a timedelta, a text such as '1h30m', or minutes=5: not 5"):
        branch.advance(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="forward only"):
        branch.advance()
    with pytest.raises(ValueError, match="no duration is that long"):
        branch.advance(days=1e12)


def test_who_is_not_done_in_time_is_named(branch: Cluster) -> None:
    class Busy:
        def work_in_hand(self) -> str:
            return "something endless"

    busy = Busy()
    clock = branch.asynchronous.plane.kernel.clock
    assert clock is not None
    clock.mind(busy)
    with pytest.raises(NotAtRest, match="there is still work on something endless"):
        branch.advance(minutes=1, timeout=0.1)


async def test_a_plane_without_a_clock_of_its_own_says_so() -> None:
    options = ClusterOptions(
        server=ServerOptions(port=0), storage=StorageOptions(kind=StorageKind.MEMORY), controllers=("none",)
    )
    async with open_cluster(options) as plane:
        with pytest.raises(NoOwnClock, match="goes by this machine's clock"):
            await plane.advance(HOUR)
        assert abs(plane.now() - datetime.now(UTC)) < timedelta(minutes=1)
