"""Which pod is meant by `web-0`, `deploy/web` or `svc/web`, and which of its containers.

Kubernetes: kubectl/pkg/polymorphichelpers (attachablePodForObject, GetFirstPod), cmd/util/podcmd; the order of pods is
in `preference`.
"""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError
from kctl.objects import Query, resolve
from kctl.session.session import Session
from kctl.streaming import remote
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors import labels
from localplane.client.rest import options
from localplane.client.rest.names import GroupVersionResource

_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_BY_LABEL_SELECTOR = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_GROUPS = (("containers", ""), ("ephemeralContainers", " (ephem)"), ("initContainers", " (init)"))


async def named(session: Session, words: Sequence[str], *, filenames: Sequence[str] = ()) -> JSONObject:
    """The object that `POD`, `TYPE/NAME` or `TYPE NAME` means, or that a file names. Raises KctlError."""
    arguments = ["pods", *words] if len(words) == 1 and "/" not in words[0] else list(words)
    infos = await (await resolve(session, Query(arguments=arguments, filenames=tuple(filenames)))).infos()
    if len(infos) != 1:
        raise KctlError("cannot exec into multiple objects at a time" if filenames else "expected a resource")
    return infos[0].object or {}


async def pod_for(session: Session, obj: JSONObject, *, action: str, within: float) -> JSONObject:
    """The pod itself, or the best of those that the object selects; the first that comes, if there are none yet."""
    if obj.get("kind") == "Pod":
        return obj
    return remote.most_active(await pods_of(session, obj, action=action, within=within))[0]


async def pods_of(session: Session, obj: JSONObject, *, action: str, within: float) -> list[JSONObject]:
    """In the server's order. Waits for the first. Raises KctlError."""
    namespace = (obj.get("metadata") or {}).get("namespace", "")
    selector = _selector(obj, action)
    pods = session.client.resource(GroupVersionResource("", "v1", "pods"), namespace)
    listed = await pods.list(options.ListOptions(label_selector=selector))
    if listed.get("items"):
        found: list[JSONObject] = listed["items"]
        return found
    version = str((listed.get("metadata") or {}).get("resourceVersion", ""))
    watching = pods.watch(options.ListOptions(label_selector=selector, resource_version=version))

    async def first() -> JSONObject:
        async with watching:
            async for event in watching:
                if event.type in ("ADDED", "MODIFIED"):
                    return event.object
        raise KctlError("watch closed before UntilWithoutRetry timeout")

    try:
        return [await _in_time(session, within, first)]
    except TimeoutError:
        raise KctlError("timed out waiting for the condition") from None


def _selector(obj: JSONObject, action: str) -> str:
    kind, spec = str(obj.get("kind")), obj.get("spec") or {}
    selector = spec.get("selector") or {}
    if kind in _BY_LABEL_SELECTOR:
        return _label_selector(selector)
    if kind in ("ReplicationController", "Service"):
        if not selector and kind == "Service":
            name = (obj.get("metadata") or {}).get("name", "")
            raise KctlError(f"{action} *v1.Service: invalid service '{name}': Service is defined without a selector")
        return ",".join(f"{key}={selector[key]}" for key in sorted(selector))
    version = str(obj.get("apiVersion", "")).rpartition("/")[2]
    raise KctlError(f"{action} *{version}.{kind}: selector for *{version}.{kind} not implemented")


def _label_selector(selector: JSONObject) -> str:
    """As a query."""
    try:
        return str(labels.selector_of(selector) or "")
    except labels.InvalidSelector as error:
        raise KctlError(f"invalid label selector: {error}") from error


def container_names(pod: JSONObject) -> list[str]:
    """Init containers first, as logs are shown."""
    spec = pod.get("spec") or {}
    parts = ("initContainers", "containers", "ephemeralContainers")
    return [one["name"] for part in parts for one in spec.get(part) or ()]


def all_names(pod: JSONObject) -> str:
    """As messages list them."""
    spec = pod.get("spec") or {}
    return ", ".join(f"{one['name']}{mark}" for part, mark in _GROUPS for one in spec.get(part) or ())


def find_container(pod: JSONObject, name: str) -> JSONObject:
    """Raises KctlError."""
    spec = pod.get("spec") or {}
    for part in ("containers", "initContainers", "ephemeralContainers"):
        for one in spec.get(part) or ():
            if one["name"] == name:
                container: JSONObject = one
                return container
    pod_name = (pod.get("metadata") or {}).get("name", "")
    raise KctlError(f"container {name} is not valid for pod {pod_name} out of: {all_names(pod)}")


def container_of(
    session: Session, pod: JSONObject, name: str, *, quiet: bool = False, say: Callable[[str], None] | None = None
) -> JSONObject:
    """The one that is named, that the pod's annotation names, or the first: then it is said if there are others."""
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    containers = spec.get("containers") or []
    if not containers:
        where = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        raise KctlError(f"pod {where} does not have any containers")
    name = name or default_container(pod)
    if name:
        return find_container(pod, name)
    if not quiet and len(container_names(pod)) > 1:
        (say or session.say)(f"Defaulted container {go_quote(containers[0]['name'])} out of: {all_names(pod)}\n")
    first: JSONObject = containers[0]
    return first


def default_container(pod: JSONObject) -> str:
    """What the pod's annotation names."""
    return str(((pod.get("metadata") or {}).get("annotations") or {}).get(_DEFAULT_CONTAINER) or "")


def refuse_completed(pod: JSONObject, action: str) -> None:
    phase = (pod.get("status") or {}).get("phase")
    if phase in ("Succeeded", "Failed"):
        raise KctlError(f"cannot {action} a container in a completed pod; current phase is {phase}")


def path_of(pod: JSONObject, subresource: str) -> str:
    metadata = pod.get("metadata") or {}
    pods = GroupVersionResource("", "v1", "pods")
    return pods.path(namespace=metadata.get("namespace", ""), name=metadata.get("name", ""), subresource=subresource)


def timeout_of(flags: FlagSet, *, hint: str = "") -> float:
    """Raises KctlError; with a `hint`, a UsageError."""
    seconds = flags.seconds("pod-running-timeout")
    if seconds > 0:
        return seconds
    problem = "--pod-running-timeout must be higher than zero"
    raise UsageError(problem, hint=hint) if hint else KctlError(problem)


T = TypeVar("T")


class _Rung(Exception):
    """Not a TimeoutError, which a transport would take for one of its own."""


async def _in_time(session: Session, seconds: float, ask: Callable[[], Awaitable[T]]) -> T:
    """Raises TimeoutError."""
    if session.is_concurrent:
        import asyncio

        async with asyncio.timeout(seconds):
            return await ask()

    def ring(*_: object) -> None:
        raise _Rung

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return await ask()
    except _Rung:
        raise TimeoutError from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
