"""How the containers of a pod behave: by its annotations, else by its commands, else by its restart policy.

The package's docstring tells the rules for people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.times import InvalidDuration, parse_duration
from localplane.nodes.options import PREFIX, NodeOptions

from .commands import CommandRun, CommandSurroundings, StopReply, expanded, looks_endless, understand

Object = Mapping[str, Any]

# fmt: off
_LASTING: Final = frozenset({
    "caddy", "cassandra", "consul", "echoserver", "elasticsearch", "envoy", "etcd", "grafana", "haproxy",
    "hello-app", "http-echo", "httpd", "influxdb", "jenkins", "kafka", "keycloak", "mariadb", "memcached",
    "minio", "mongo", "mysql", "nats", "nginx", "nginx-unprivileged", "podinfo", "postgres", "prometheus",
    "rabbitmq", "redis", "registry", "tomcat", "traefik", "valkey", "vault", "whoami", "wordpress",
    "zookeeper",
})
# fmt: on
"""Images that serve until they are stopped, by the last part of their names."""
_MISSING: Final = ("nonexist", "non-exist", "not-exist", "notexist", "doesnt-exist")
"""What people call an image that is not there."""
_LASTING_TOOLS: Final = frozenset(
    {"pause", "netexec", "serve-hostname", "test-webserver", "webhook", "porter", "nettest"}
)
_OTHER_KEYS: Final = frozenset({"cpu", "memory", "node", "stopped"})


class ContainerKind(Enum):
    """What a container is in its pod."""

    INIT = "initContainers"
    SIDECAR = "sidecar"
    REGULAR = "containers"
    EPHEMERAL = "ephemeralContainers"

    @property
    def field(self) -> str:
        return "initContainers" if self is ContainerKind.SIDECAR else self.value

    @property
    def statuses(self) -> str:
        """The field of the status that tells of it."""
        return (
            f"{self.field.removesuffix('s')[:-9]}ContainerStatuses"
            if self is not ContainerKind.REGULAR
            else "containerStatuses"
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """How a container ends by itself. `reason` is empty where the exit code says it all."""

    after: float
    exit_code: int
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How one run of a container goes; times are seconds. `ready_after` is None if it is never ready."""

    ready_after: float | None = 0.0
    started_after: float = 0.0
    ending: Ending | None = None
    output: tuple[str, ...] = ()
    reply: StopReply | None = None
    """What it does when it is told to stop, if it has a trap for that."""


class InvalidSimulation(ValueError):
    """An annotation that says nothing we know, with the reason in one sentence."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the annotations ask for, by container."""

    by_container: Mapping[str, Mapping[str, Any]]

    def of(self, container: str) -> Mapping[str, Any]:
        return self.by_container.get(container, {})


def containers(pod: Object) -> Iterator[tuple[ContainerKind, Object]]:
    """All of them, in the order in which they start."""
    spec = pod["spec"]
    for container in spec.get("initContainers") or ():
        yield (ContainerKind.SIDECAR if container.get("restartPolicy") == "Always" else ContainerKind.INIT), container
    for container in spec.get("containers") or ():
        yield ContainerKind.REGULAR, container
    for container in spec.get("ephemeralContainers") or ():
        yield ContainerKind.EPHEMERAL, container


def wishes(pod: Object) -> Wishes:
    """What is said about a container wins over what is said about the pod, which means its regular containers. Raises
    InvalidSimulation."""
    annotations = pod["metadata"].get("annotations") or {}
    asked = {key: value for key, value in annotations.items() if key.startswith(PREFIX)}
    if not asked:
        return Wishes({})
    kinds = {container["name"]: kind for kind, container in containers(pod)}
    by_container: dict[str, dict[str, Any]] = {}
    for key, text in sorted(asked.items(), key=lambda item: item[0].count(".")):
        name, _, container = key.removeprefix(PREFIX).partition(".")
        if name in _OTHER_KEYS:
            continue
        value = _read(key, name, text)
        if container and container not in kinds:
            raise InvalidSimulation(f"{key}: the pod has no container {go_quote(container)}")
        for each in (
            [container] if container else [each for each, kind in kinds.items() if kind is ContainerKind.REGULAR]
        ):
            by_container.setdefault(each, {})[name] = value
    return Wishes(by_container)


def _read(key: str, name: str, text: str) -> Any:
    reader = _READERS.get(name)
    if reader is None:
        raise InvalidSimulation(f"{key}: nothing is known by this name; there are {', '.join(sorted(_READERS))}")
    try:
        return reader(text)
    except ValueError as error:
        raise InvalidSimulation(f"{key}: {error}, not {go_quote(text)}") from None


def _exit_code(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 3 and int(text) <= 255):
        raise ValueError("must be a number from 0 to 255")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = parse_duration(text).total_seconds()
    except InvalidDuration:
        seconds = -1.0
    if seconds < 0:
        raise ValueError('must be a duration such as "5s" or "1m30s"')
    return seconds


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError('must be "true" or "false"')
    return text == "true"


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "exit-code": _exit_code,
    "exit-after": _seconds,
    "crash-loop": _flag,
    "image-pull-error": _flag,
    "never-ready": _flag,
    "ready-after": _seconds,
    "start-after": _seconds,
    "oom-after": _seconds,
}


def course(
    pod: Object,
    kind: ContainerKind,
    container: Object,
    *,
    wished: Mapping[str, Any],
    around: CommandSurroundings,
    options: NodeOptions,
) -> Course:
    """How a run of the container goes that starts now. What the command leaves behind is in `around` afterwards."""
    run = understand([expanded(word, around.variables) for word in _words(container)], around)
    if wished.keys() & {"exit-code", "exit-after", "oom-after", "crash-loop"}:
        ending = _wished_ending(kind, wished, options)
    elif run is not None:
        ending = _ending_of(run, options)
    else:
        ending = _usual_ending(pod, kind, container, options)
    return Course(
        ready_after=_ready_after(container, wished, options),
        started_after=_delay(container.get("startupProbe"), options),
        ending=ending,
        output=run.output if run is not None else (),
        reply=_reply(run, options),
    )


def _words(container: Object) -> list[str]:
    return [*(container.get("command") or ()), *(container.get("args") or ())]


def _wished_ending(kind: ContainerKind, wished: Mapping[str, Any], options: NodeOptions) -> Ending | None:
    if "oom-after" in wished:
        return Ending(wished["oom-after"] / options.speed, 137, "OOMKilled")
    crashes = bool(wished.get("crash-loop"))
    if not (crashes or wished.keys() & {"exit-code", "exit-after"}):
        return None
    after = wished.get("exit-after", _usual_seconds(kind, options))
    return Ending(after / options.speed, wished.get("exit-code", int(crashes)))


def _ending_of(run: CommandRun, options: NodeOptions) -> Ending | None:
    if run.exit_code is None:
        return None
    return Ending(run.seconds / options.speed, run.exit_code, message=run.message)


def _reply(run: CommandRun | None, options: NodeOptions) -> StopReply | None:
    if run is None or run.reply is None:
        return None
    return StopReply(run.reply.seconds / options.speed, run.reply.exit_code)


def _usual_ending(pod: Object, kind: ContainerKind, container: Object, options: NodeOptions) -> Ending | None:
    if not _ends_by_itself(pod, kind, container):
        return None
    return Ending(_usual_seconds(kind, options) / options.speed, 0)


def _usual_seconds(kind: ContainerKind, options: NodeOptions) -> float:
    return (options.pace.initialization if kind is ContainerKind.INIT else options.pace.completion).total_seconds()


def _ends_by_itself(pod: Object, kind: ContainerKind, container: Object) -> bool:
    """What is not understood: init containers have something to finish, and so have pods that are not to be restarted
    for ever, unless they run a known server."""
    if kind is ContainerKind.SIDECAR:
        return False
    name, words = _image_name(container.get("image", "")), _words(container)
    if name == "pause" or looks_endless(words):
        return False
    if name == "agnhost":
        tool = next((word.rpartition("/")[2] for word in words if word.rpartition("/")[2] != "agnhost"), "pause")
        if tool in _LASTING_TOOLS:
            return False
    if kind is ContainerKind.INIT:
        return True
    if kind is ContainerKind.EPHEMERAL:
        return not container.get("stdin")
    if pod["spec"].get("restartPolicy", "Always") == "Always":
        return False
    return _is_of_a_job(pod) or bool(words) or name not in _LASTING


def _is_of_a_job(pod: Object) -> bool:
    owners = pod["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner.get("kind") == "Job" for owner in owners)


def _image_name(image: str) -> str:
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]


def start_after(wished: Mapping[str, Any], options: NodeOptions) -> float:
    """Seconds between the moment that a container could start and the moment it does."""
    return float(wished.get("start-after", 0.0)) / options.speed


def pre_stop(container: Object, options: NodeOptions) -> float:
    """How many seconds the hook takes that runs before the container is told to stop."""
    hook = (container.get("lifecycle") or {}).get("preStop") or {}
    if "sleep" in hook:
        return float(hook["sleep"].get("seconds") or 0)
    run = understand((hook.get("exec") or {}).get("command") or [], CommandSurroundings())
    if run is None:
        return 0.0
    return run.seconds / options.speed if run.exit_code is not None else float("inf")


def is_out_of_reach(container: Object, wished: Mapping[str, Any]) -> bool:
    """Whether its image can't be pulled: an annotation says so, or its own name says that there is none."""
    image = container.get("image", "")
    host, slash, _ = image.partition("/")
    if slash and "." in host and "invalid" in host.partition(":")[0].split("."):
        return True
    return bool(wished.get("image-pull-error")) or image.endswith(":404") or any(word in image for word in _MISSING)


def name_problem(image: str) -> str:
    """What keeps a text from being an image's name, in the words of the reference's parser."""
    repository = image.partition("@")[0]
    head, slash, tail = repository.rpartition("/")
    repository = f"{head}{slash}{tail.partition(':')[0]}"
    path = repository.partition("/")[2] if "." in repository.partition("/")[0] else repository
    if path == path.lower():
        return ""
    known = path if "/" in path else f"library/{path}"
    problem = f"invalid reference format: repository name ({known}) must be lowercase"
    return f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": {problem}'


def _ready_after(container: Object, wished: Mapping[str, Any], options: NodeOptions) -> float | None:
    if wished.get("never-ready"):
        return None
    if "ready-after" in wished:
        return float(wished["ready-after"]) / options.speed
    probe = container.get("readinessProbe")
    if probe and _fails((probe.get("exec") or {}).get("command") or []):
        return None
    return _delay(probe, options) + _delay(container.get("startupProbe"), options)


def _fails(command: Sequence[str]) -> bool:
    """Whether a probe can't but fail. What looks at files is taken for a success: nobody knows what is in them."""
    words = " ".join(command).split()
    looks = {"[", "[[", "test", "cat"} & {word.rpartition("/")[2] for word in words}
    run = None if looks else understand(command, CommandSurroundings())
    return run is not None and bool(run.exit_code)


def _delay(probe: Object | None, options: NodeOptions) -> float:
    return float((probe or {}).get("initialDelaySeconds") or 0) / options.speed
