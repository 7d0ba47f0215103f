"""The steps of a pod's life, with a clock of their own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.nodes.options import NodeOptions
from localplane.nodes.pods.memory import PodMemory
from localplane.nodes.pods.node_view import NodeView
from localplane.nodes.pods.requirements import Troubles
from localplane.nodes.pods.step import Step, step

BEGIN = 1_000_000.0


class Life:
    """A pod whose steps are taken as they fall due; nothing happens between them."""

    def __init__(self, pod: JSONObject) -> None:
        self.pod = pod
        self.memory = PodMemory()
        self.place = NodeView("node-0", ("172.30.0.2",), lambda: ("10.0.0.7",))
        self.now = BEGIN
        self.steps: list[Step] = []

    def take(self) -> Step:
        taken = step(self.pod, self.memory, self.place, NodeOptions(), self.now)
        self.pod = {**self.pod, "status": taken.status}
        self.steps.append(taken)
        return taken

    def until(self, moment: float) -> Step:
        """All steps up to so many seconds after the beginning."""
        taken = self.take()
        while taken.due is not None and taken.due <= BEGIN + moment:
            self.now = max(self.now, taken.due)
            taken = self.take()
        self.now = BEGIN + moment
        return taken

    @property
    def main(self) -> JSONObject:
        status: JSONObject = self.pod["status"]["containerStatuses"][0]
        return status

    @property
    def reasons(self) -> list[str]:
        return [saying.reason for taken in self.steps for saying in taken.sayings]


def pod(**spec: Any) -> JSONObject:
    metadata = {"name": "web", "namespace": "default", "uid": "1-2-3", "generation": 1}
    annotations = spec.pop("annotations", None)
    if annotations:
        metadata["annotations"] = {f"simulation.localplane/{key}": value for key, value in annotations.items()}
    return {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": "app"}], **spec}}


def test_a_step_that_finds_nothing_due_changes_nothing() -> None:
    life = Life(pod())
    life.until(10)
    before = life.pod["status"]
    again = life.take()
    assert again.status == before
    assert (again.due, again.sayings, again.lines) == (None, (), ())


def test_a_running_pod_costs_two_writes() -> None:
    life = Life(pod())
    life.until(10)
    written = [taken.status for taken in life.steps]
    assert len([one for one, other in zip(written, [None, *written], strict=False) if one != other]) == 2


def test_the_same_pod_lives_the_same_life() -> None:
    main = {"name": "main", "image": "a", "command": ["sh", "-c", "exit $(( $RANDOM / 16384 ))"]}
    lives = [Life(pod(containers=[main])) for _ in range(2)]
    for life in lives:
        life.until(100)
    assert lives[0].pod == lives[1].pod


def test_back_off_doubles_up_to_a_minute() -> None:
    life = Life(pod(annotations={"crash-loop": "true"}))
    life.until(600)
    waits = []
    for taken in life.steps:
        waiting = taken.status["containerStatuses"][0]["state"].get("waiting", {})
        if waiting.get("reason") == "CrashLoopBackOff" and waiting["message"].split()[1] not in waits:
            waits.append(waiting["message"].split()[1])
    assert waits == ["1s", "2s", "4s", "8s", "16s", "32s", "1m0s"]


def test_a_run_that_lasted_long_is_no_crash_loop() -> None:
    life = Life(pod(annotations={"exit-code": "1", "exit-after": "200s"}))
    life.until(3000)
    assert life.main["restartCount"] > 10
    assert "BackOff" not in life.reasons


def test_nothing_is_remembered_that_the_api_does_not_tell_well_enough() -> None:
    life = Life(pod(annotations={"crash-loop": "true"}))
    life.until(3)
    restarts = life.main["restartCount"]
    life.memory = PodMemory()
    life.until(30)
    assert life.main["restartCount"] > restarts
    assert life.main["lastState"]["terminated"]["exitCode"] == 1


def test_an_error_of_a_volume_is_told_once_and_ends_when_it_is_there() -> None:
    life = Life(pod())
    life.place.troubles = Troubles(volumes=("no volume",))
    for moment in (1, 2, 3):
        life.until(moment)
    assert life.reasons == ["FailedMount"]
    assert life.pod["status"]["phase"] == "Pending"
    life.place.troubles = Troubles()
    life.until(4)
    assert life.pod["status"]["phase"] == "Running"


def test_an_on_failure_pod_is_restarted_until_it_succeeds() -> None:
    script = "if [[ -r /data/seen ]]; then exit 0; else touch /data/seen; exit 1; fi"
    mounts = [{"name": "d", "mountPath": "/data"}]
    main = {"name": "main", "image": "a", "command": ["sh", "-c", script], "volumeMounts": mounts}
    life = Life(pod(restartPolicy="OnFailure", containers=[main], volumes=[{"name": "d", "emptyDir": {}}]))
    life.until(30)
    assert life.pod["status"]["phase"] == "Succeeded"
    assert life.main["restartCount"] == 1
    assert life.pod["status"]["conditions"][-1]["type"] == "PodScheduled"


def test_restart_rules_of_a_container_come_before_the_pods_policy() -> None:
    rules = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]
    main = {"name": "main", "image": "a", "restartPolicy": "Never", "restartPolicyRules": rules}
    for code, restarted in (("42", True), ("1", False)):
        life = Life(pod(restartPolicy="Never", containers=[main], annotations={"exit-code": code}))
        life.until(2.5)
        assert (life.main["restartCount"] > 0) is restarted


def test_the_last_message_is_what_a_failing_command_printed_if_that_is_asked_for() -> None:
    for policy, message in (("FallbackToLogsOnError", "bye"), ("File", None)):
        main = {"name": "main", "image": "a", "command": ["sh", "-c", "echo bye; exit 1"]}
        life = Life(pod(restartPolicy="Never", containers=[main | {"terminationMessagePolicy": policy}]))
        life.until(5)
        assert life.main["state"]["terminated"].get("message") == message


def test_a_pod_that_is_deleted_before_it_ran_is_lost() -> None:
    life = Life(pod(annotations={"start-after": "1h"}))
    life.until(1)
    life.pod["metadata"] |= {"deletionTimestamp": "1970-01-12T13:47:31Z", "deletionGracePeriodSeconds": 30}
    taken = life.take()
    assert taken.is_over
    assert life.pod["status"]["phase"] == "Failed"
    assert life.main["state"]["terminated"]["reason"] == "ContainerStatusUnknown"


def test_a_grace_period_that_is_over_is_not_waited_for() -> None:
    life = Life(pod())
    life.until(1)
    life.pod["metadata"] |= {"deletionTimestamp": "1970-01-12T13:46:40Z", "deletionGracePeriodSeconds": 0}
    assert life.take().is_over
    assert life.main["state"]["terminated"]["exitCode"] == 143


def told_to_stop(script: str, *, grace: int, **container: Any) -> Life:
    """A pod whose container runs this, deleted a second after its beginning."""
    life = Life(pod(containers=[{"name": "main", "image": "a", "command": ["sh", "-c", script], **container}]))
    life.until(1)
    last = format_time(datetime.fromtimestamp(BEGIN + 1 + grace, UTC))
    life.pod["metadata"] |= {"deletionTimestamp": last, "deletionGracePeriodSeconds": grace}
    return life


def test_a_trap_takes_its_time_and_gives_the_exit_code() -> None:
    life = told_to_stop("_term(){ sleep 5; exit 9; }; trap _term SIGTERM; while true; do sleep 1; done", grace=30)
    assert not life.until(5.9).is_over
    assert "running" in life.main["state"]
    assert life.until(6).is_over
    assert life.main["state"]["terminated"]["exitCode"] == 9
    assert life.pod["status"]["phase"] == "Failed"


def test_a_trap_that_exits_well_is_a_success() -> None:
    life = told_to_stop("trap exit TERM; while true; do sleep 1; done", grace=30)
    assert not life.take().is_over
    assert life.until(2).is_over
    assert life.pod["status"]["phase"] == "Succeeded"


def test_what_does_not_stop_in_time_is_killed() -> None:
    for script in ("trap 'sleep 60; exit' TERM; sleep 1d", "trap 'sleep 1' TERM; sleep 1d"):
        life = told_to_stop(script, grace=10)
        assert not life.until(10).is_over
        assert life.until(11).is_over
        assert life.main["state"]["terminated"]["exitCode"] == 137


def test_a_grace_period_that_is_shortened_counts() -> None:
    life = told_to_stop("trap 'sleep 20; exit' TERM; sleep 1d", grace=30)
    assert not life.until(2).is_over
    life.pod["metadata"]["deletionTimestamp"] = format_time(datetime.fromtimestamp(BEGIN + 4, UTC))
    assert not life.until(3).is_over
    assert life.until(4).is_over
    assert life.main["state"]["terminated"]["exitCode"] == 137


def test_a_command_whose_trap_goes_on_ends_when_it_is_done() -> None:
    life = told_to_stop("trap : TERM; sleep 5; exit 2", grace=30)
    assert not life.until(4.9).is_over
    life.until(5.1)
    assert life.main["state"]["terminated"]["exitCode"] == 2


def test_a_hook_that_sleeps_comes_before_the_stop() -> None:
    for hook in ({"sleep": {"seconds": 4}}, {"exec": {"command": ["sh", "-c", "sleep 4"]}}):
        life = told_to_stop("sleep 1d", grace=30, lifecycle={"preStop": hook})
        assert not life.until(5.9).is_over
        assert life.until(6).is_over
    life = told_to_stop("sleep 1d", grace=3, lifecycle={"preStop": {"sleep": {"seconds": 60}}})
    assert not life.until(3.9).is_over
    assert life.until(4).is_over
