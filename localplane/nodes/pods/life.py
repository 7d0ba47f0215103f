"""What becomes of one container: it starts, runs, ends, and starts again.

`step` goes through a pod's containers and asks here what is due for each. Kubernetes: pkg/kubelet/kuberuntime
(startContainer, doBackOff) and pkg/kubelet/images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_duration
from localplane.nodes.options import NodeOptions

from . import containers as status_of
from .behaviour import ContainerKind, Course, containers, course, is_out_of_reach, name_problem, pre_stop, start_after
from .commands import CommandSurroundings
from .containers import back_off, is_to_restart
from .environment import files_of, host_name, path_problem, variables
from .memory import PodMemory, Run, Sayings, Stop
from .node_view import NodeView

_FALLBACK: Final = "FallbackToLogsOnError"


@dataclass(slots=True)
class Scene:
    """A pod at one moment: what is known of it, and what comes of it. `due` is when to look again."""

    pod: Mapping[str, Any]
    memory: PodMemory
    place: NodeView
    options: NodeOptions
    now: float
    status: JSONObject
    statuses: dict[str, JSONObject]
    say: Sayings = field(init=False)
    due: float | None = None

    def __post_init__(self) -> None:
        self.say = Sayings(self.pod, self.now)

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.now, UTC)

    @property
    def containers(self) -> list[tuple[ContainerKind, Mapping[str, Any]]]:
        return list(containers(self.pod))

    def look_at(self, moment: float) -> None:
        self.due = moment if self.due is None else min(self.due, moment)

    def regulars_are_done(self) -> bool:
        """No regular container runs, or will."""
        for kind, container in self.containers:
            if kind is ContainerKind.REGULAR:
                ended = self.statuses[container["name"]]["state"].get("terminated")
                if ended is None or is_to_restart(self.pod, container, ended["exitCode"]):
                    return False
        return True


class ContainerLife:
    """One container in the scene, and what its annotations wish."""

    def __init__(
        self, scene: Scene, kind: ContainerKind, container: Mapping[str, Any], wished: Mapping[str, Any]
    ) -> None:
        self._scene = scene
        self._kind = kind
        self._container = container
        self._wished = wished
        self._name: str = container["name"]
        self._status = scene.statuses[self._name]
        self._memory = scene.memory
        self._options = scene.options
        self._now = scene.now

    def go_on(self) -> None:
        """What is due for it, if anything is."""
        state = self._status["state"]
        if "running" in state:
            self._run_on()
        elif "terminated" in state:
            self._after_the_end()
        elif state["waiting"].get("reason") == "CrashLoopBackOff":
            self._restart_in_time()
        else:
            self._begin()

    # Before it runs

    def _begin(self) -> None:
        trouble = self._scene.place.troubles.by_container.get(self._name)
        if trouble := trouble or path_problem(self._container, self._variables()):
            if self._memory.is_news(f"{self._name}: {trouble}"):
                self._warn("Failed", f"Error: {trouble}")
            status_of.wait(self._status, "CreateContainerConfigError", trouble)
            return
        if problem := name_problem(self._container.get("image", "")):
            if self._memory.is_news(f"{self._name}: {problem}"):
                self._warn("InspectFailed", problem)
                self._warn("Failed", "Error: InvalidImageName")
            status_of.wait(self._status, "InvalidImageName", problem)
            return
        if is_out_of_reach(self._container, self._wished):
            self._fail_to_pull()
            return
        begin = self._memory.may_start.setdefault(self._name, self._now) + start_after(self._wished, self._options)
        if self._now < begin:
            self._scene.look_at(begin)
        else:
            self.start()

    def _fail_to_pull(self) -> None:
        """In turns: the pull fails, and the next one is waited for."""
        name, image = self._name, self._container.get("image", "")
        if self._now < self._memory.next_pull.get(name, 0.0):
            self._scene.look_at(self._memory.next_pull[name])
            return
        error = f'failed to pull and unpack image "{image}": simulated nodes can\'t reach it'
        if self._status["state"]["waiting"].get("reason") == "ErrImagePull":
            failures = self._memory.pulls[name] = self._memory.pulls.get(name, 0) + 1
            waiting = f'Back-off pulling image "{image}"'
            self._normal("BackOff", waiting)
            self._warn("Failed", "Error: ImagePullBackOff")
            status_of.wait(self._status, "ImagePullBackOff", f"{waiting}: ErrImagePull: {error}")
            pause = back_off(failures, self._options)
        else:
            self._normal("Pulling", f'Pulling image "{image}"')
            self._warn("Failed", f'Failed to pull image "{image}": {error}')
            self._warn("Failed", "Error: ErrImagePull")
            status_of.wait(self._status, "ErrImagePull", error)
            pause = self._options.pace.look.total_seconds() / self._options.speed
        self._memory.next_pull[name] = self._now + pause
        self._scene.look_at(self._now + pause)

    def start(self) -> None:
        self._say_pulled()
        status_of.start(self._status, self._scene.pod, self._container, self._scene.moment)
        plan = self._course()
        self._memory.runs[self._name] = Run(self._status["containerID"], self._now, plan, self._wished)
        self._memory.forget_the_wait(self._name)
        self._normal("Created", "Container created")
        self._normal("Started", "Container started")
        self._scene.say.line(self._status, f"container {self._name} started, image {self._container.get('image', '')}")
        for text in plan.output:
            self._scene.say.line(self._status, text, is_output=True)
        self._look_after()

    def _say_pulled(self) -> None:
        image, policy = self._container.get("image", ""), self._container.get("imagePullPolicy")
        images = self._scene.place.images
        if policy == "Never" or (policy != "Always" and image in images):
            present = f'Container image "{image}" already present on machine and can be accessed by the pod'
            self._normal("Pulled", present)
            return
        images.add(image)
        self._normal("Pulling", f'Pulling image "{image}"')
        took = format_duration(self._options.pace.start / self._options.speed)
        took = f"{took} ({took} including waiting)"
        self._normal("Pulled", f'Successfully pulled image "{image}" in {took}. Image size: 0 bytes.')

    def _variables(self) -> dict[str, str]:
        pod = {**self._scene.pod, "status": self._scene.status}
        return variables(pod, self._container, self._scene.place)

    def _course(self) -> Course:
        pod, place = self._scene.pod, self._scene.place
        number = f"{self._options.seed}/{pod['metadata']['uid']}/{self._name}/{self._status.get('restartCount', 0)}"
        around = CommandSurroundings(
            variables=self._variables(),
            files=files_of(pod, self._container, self._memory.files, place.files),
            dice=Random(number),  # noqa: S311 - the same seed makes the same choices
            termination_log=self._container.get("terminationMessagePath") or "/dev/termination-log",
            domain_name=host_name(pod, fully=True),
        )
        return course(pod, self._kind, self._container, wished=self._wished, around=around, options=self._options)

    # While it runs

    def _run_on(self) -> None:
        lasts = self._kind in (ContainerKind.REGULAR, ContainerKind.SIDECAR)
        if lasts and self._container.get("image", "") != self._status["image"]:
            self._normal("Killing", f"Container {self._name} definition changed, will be restarted")
            self.end(status_of.TERMINATED)
            self.start()
            return
        run = self._run()
        ending = run.course.ending
        if ending is None or self._now < run.since + ending.after:
            self._look_after()
            return
        message = ending.message
        if not message and ending.exit_code and self._container.get("terminationMessagePolicy") == _FALLBACK:
            message = "\n".join(run.course.output)
        self.end(ending.exit_code, reason=ending.reason, message=message)
        if self._kind is ContainerKind.INIT and ending.exit_code == 0:
            self._status["ready"] = True
        self._after_the_end()

    def _run(self) -> Run:
        """The run that goes on. One that began before this server did is planned as if it had begun here."""
        run = self._memory.runs.get(self._name)
        if run is None or run.container_id != self._status.get("containerID"):
            began = status_of.time_of(self._status["state"]["running"].get("startedAt"))
            since = began.timestamp() if began else self._now
            run = Run(self._status.get("containerID", ""), since, self._course(), self._wished)
        elif run.wished != self._wished:
            run = Run(run.container_id, run.since, self._course(), self._wished)
        self._memory.runs[self._name] = run
        return run

    def _look_after(self) -> None:
        """Whether it is started and ready, and when it may be or will end."""
        run, status, scene = self._memory.runs[self._name], self._status, self._scene
        plan, age = run.course, self._now - run.since
        status["started"] = age >= plan.started_after
        if not status["started"]:
            scene.look_at(run.since + plan.started_after)
        is_ready = plan.ready_after is not None and age >= plan.ready_after and status["started"]
        if self._kind in (ContainerKind.INIT, ContainerKind.EPHEMERAL):
            is_ready = False
        elif plan.ready_after is not None and not is_ready:
            scene.look_at(run.since + plan.ready_after)
        if is_ready != status["ready"]:
            scene.say.line(status, f"container {self._name} is {'ready' if is_ready else 'not ready'}")
        status["ready"] = is_ready
        if self._kind is ContainerKind.EPHEMERAL:
            status.pop("started", None)
        if plan.ending is not None:
            scene.look_at(run.since + plan.ending.after)

    def stop(self, last: float) -> Stop:
        """How it ends if it is to stop now: after its preStop hook, as its trap says, else soon. Whatever runs at
        `last` is killed."""
        run = self._memory.runs.get(self._name)
        plan = run.course if run is not None and run.container_id == self._status.get("containerID") else self._course()
        told = min(self._now + pre_stop(self._container, self._options), max(last, self._now))
        soon = min(told + self._options.pace.stop.total_seconds() / self._options.speed, max(last, self._now))
        if plan.reply is None:
            return Stop(soon, status_of.TERMINATED)
        if plan.reply.exit_code is not None:
            return self._in_time(max(soon, told + plan.reply.seconds), plan.reply.exit_code, last)
        if run is not None and plan.ending is not None:
            return self._in_time(run.since + plan.ending.after, plan.ending.exit_code, last)
        return Stop(last, status_of.KILLED)

    def _in_time(self, at: float, exit_code: int, last: float) -> Stop:
        return Stop(at, exit_code) if at <= last else Stop(last, status_of.KILLED)

    def end(self, exit_code: int, *, reason: str = "", message: str = "") -> None:
        name, restarts = self._name, self._status.get("restartCount", 0)
        run = self._memory.runs.pop(name, None)
        if run is not None and self._now - run.since > 2 * self._options.pace.longest_back_off.total_seconds():
            self._memory.calm[name] = restarts
        self._memory.ended[name] = self._now
        status_of.end(self._status, exit_code, self._scene.moment, reason=reason, message=message)
        why = self._status["state"]["terminated"]["reason"]
        text = f"container {name} ended with exit code {exit_code} ({why})"
        self._scene.say.line(self._status, text, ends=True)

    # When it has run

    def _after_the_end(self) -> None:
        ended = self._status["state"]["terminated"]
        if self._kind is ContainerKind.EPHEMERAL or (self._kind is ContainerKind.INIT and ended["exitCode"] == 0):
            return
        if self._kind is ContainerKind.SIDECAR and self._scene.regulars_are_done():
            return
        if not is_to_restart(self._scene.pod, self._container, ended["exitCode"]):
            return
        seen = self._ended_at(ended) + self._options.pace.look.total_seconds() / self._options.speed
        if self._now < seen:
            self._scene.look_at(seen)
        else:
            self._restart_in_time()

    def _ended_at(self, ended: Mapping[str, Any]) -> float:
        if self._name in self._memory.ended:
            return self._memory.ended[self._name]
        finished = status_of.time_of(ended.get("finishedAt"))
        return finished.timestamp() if finished else self._now

    def _restart_in_time(self) -> None:
        status, name = self._status, self._name
        ended = status["state"].get("terminated") or (status.get("lastState") or {}).get("terminated") or {}
        restarts = status.get("restartCount", 0)
        delay = back_off(max(0, restarts - self._memory.calm.get(name, 0)), self._options)
        at = self._ended_at(ended) + delay
        if self._now >= at:
            self.start()
            return
        self._scene.look_at(at)
        if "terminated" in status["state"]:
            metadata = self._scene.pod["metadata"]
            pod = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
            self._warn("BackOff", f"Back-off restarting failed container {name} in pod {pod}")
            pause = format_duration(timedelta(seconds=delay))
            status_of.wait(status, "CrashLoopBackOff", f"back-off {pause} restarting failed container={name} pod={pod}")

    def _normal(self, reason: str, message: str) -> None:
        self._scene.say.normal(reason, message, self._kind, self._container)

    def _warn(self, reason: str, message: str) -> None:
        self._scene.say.warn(reason, message, self._kind, self._container)
