"""Which pod is meant by `web-0`, `deploy/web` or `svc/web`, and which of its containers.

Kubernetes: kubectl/pkg/polymorphichelpers (attachablePodForObject, GetFirstPod), cmd/util/podcmd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kctl.flags import Given
    from kctl.session import Session

Object = dict[str, Any]

_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_BY_LABEL_SELECTOR = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_PHASES = {"Running": 0, "Unknown": 1, "Pending": 2}
_GROUPS = (("containers", ""), ("ephemeralContainers", " (ephem)"), ("initContainers", " (init)"))


async def named(session: Session, words: Sequence[str]) -> Object:
    """The object that `POD`, `TYPE/NAME` or `TYPE NAME` means."""
    from kctl.resolve import Query, resolve

    arguments = list(words) if len(words) > 1 or "/" in words[0] else ["pods", words[0]]
    infos = await (await resolve(session, Query(arguments=arguments))).infos()
    if len(infos) != 1:
        raise KctlError("expected a resource")
    return infos[0].object or {}


async def pod_for(session: Session, obj: Object, *, action: str, within: float) -> Object:
    """The pod itself, or the best of those that the object selects; the first that comes, if there are none yet."""
    if obj.get("kind") == "Pod":
        return obj
    return (await pods_of(session, obj, action=action, within=within))[0]


async def pods_of(session: Session, obj: Object, *, action: str, within: float) -> list[Object]:
    """The best first. Waits for the first. Raises KctlError."""
    namespace = (obj.get("metadata") or {}).get("namespace", "")
    selector = _selector(obj, action)
    found = await _until(lambda: _listed(session, namespace, selector), within)
    return sorted(found, key=_preference)


async def _listed(session: Session, namespace: str, selector: str) -> list[Object]:
    from localplane.client.names import GroupVersionResource
    from localplane.client.options import ListOptions

    pods = session.client.resource(GroupVersionResource("", "v1", "pods"), namespace)
    return (await pods.list(ListOptions(label_selector=selector))).get("items") or []


async def _until(ask: Callable[[], Any], within: float) -> list[Object]:
    import time

    from localplane.client.driving import sleep  # nothing else is going on meanwhile

    give_up = time.monotonic() + within
    while not (found := await ask()):
        if time.monotonic() >= give_up:
            raise KctlError("timed out waiting for the condition")
        await sleep(min(0.5, within))
    pods: list[Object] = found
    return pods


def _selector(obj: Object, action: str) -> str:
    kind, spec = str(obj.get("kind")), obj.get("spec") or {}
    selector = spec.get("selector") or {}
    if kind in _BY_LABEL_SELECTOR:
        return label_selector(selector)
    if kind in ("ReplicationController", "Service"):
        if not selector and kind == "Service":
            name = (obj.get("metadata") or {}).get("name", "")
            raise KctlError(f"{action}: invalid service '{name}': Service is defined without a selector")
        return ",".join(f"{key}={selector[key]}" for key in sorted(selector))
    version = str(obj.get("apiVersion", "")).rpartition("/")[2]
    raise KctlError(f"{action} *{version}.{kind}: selector for *{version}.{kind} not implemented")


def label_selector(selector: Object) -> str:
    """A LabelSelector as a query. Kubernetes: metav1.FormatLabelSelector."""
    labels = selector.get("matchLabels") or {}
    terms = [f"{key}={labels[key]}" for key in sorted(labels)]
    for one in selector.get("matchExpressions") or ():
        key, values = one.get("key", ""), ",".join(sorted(one.get("values") or ()))
        terms.append(
            {
                "In": f"{key} in ({values})",
                "NotIn": f"{key} notin ({values})",
                "Exists": key,
                "DoesNotExist": f"!{key}",
            }.get(one.get("operator", ""), key)
        )
    return ",".join(terms)


def _preference(pod: Object) -> tuple[bool, int, bool, str, str]:
    """Kubernetes: podutils.ByLogging and ActivePods."""
    status, metadata = pod.get("status") or {}, pod.get("metadata") or {}
    ready = any(one.get("type") == "Ready" and one.get("status") == "True" for one in status.get("conditions") or ())
    return (
        not (pod.get("spec") or {}).get("nodeName"),
        _PHASES.get(str(status.get("phase")), 3),
        not ready,
        str(metadata.get("creationTimestamp", "")),
        str(metadata.get("name", "")),
    )


def container_names(pod: Object) -> list[str]:
    """Init containers first, as logs are shown."""
    spec = pod.get("spec") or {}
    parts = ("initContainers", "containers", "ephemeralContainers")
    return [one["name"] for part in parts for one in spec.get(part) or ()]


def all_names(pod: Object) -> str:
    """As messages list them."""
    spec = pod.get("spec") or {}
    return ", ".join(f"{one['name']}{mark}" for part, mark in _GROUPS for one in spec.get(part) or ())


def find_container(pod: Object, name: str) -> Object:
    """Raises KctlError."""
    spec = pod.get("spec") or {}
    for part in ("containers", "initContainers", "ephemeralContainers"):
        for one in spec.get(part) or ():
            if one["name"] == name:
                container: Object = one
                return container
    pod_name = (pod.get("metadata") or {}).get("name", "")
    raise KctlError(f"container {name} is not valid for pod {pod_name} out of: {all_names(pod)}")


def container_of(session: Session, pod: Object, name: str, *, quiet: bool = False) -> Object:
    """The one that is named, that the pod's annotation names, or the first: then it is said if there are others."""
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    containers = spec.get("containers") or []
    if not containers:
        where = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        raise KctlError(f"pod {where} does not have any containers")
    name = name or str((metadata.get("annotations") or {}).get(_DEFAULT_CONTAINER) or "")
    if name:
        return find_container(pod, name)
    if not quiet and len(container_names(pod)) > 1:
        session.say(f"Defaulted container {go_quote(containers[0]['name'])} out of: {all_names(pod)}\n")
    first: Object = containers[0]
    return first


def refuse_completed(pod: Object, action: str) -> None:
    phase = (pod.get("status") or {}).get("phase")
    if phase in ("Succeeded", "Failed"):
        raise KctlError(f"cannot {action} a container in a completed pod; current phase is {phase}")


def path_of(pod: Object, subresource: str) -> str:
    from localplane.client.names import GroupVersionResource

    metadata = pod.get("metadata") or {}
    pods = GroupVersionResource("", "v1", "pods")
    return pods.path(namespace=metadata.get("namespace", ""), name=metadata.get("name", ""), subresource=subresource)


def timeout_of(given: Given) -> float:
    """Raises KctlError."""
    seconds = given.seconds("pod-running-timeout")
    if seconds <= 0:
        raise KctlError("--pod-running-timeout must be higher than zero")
    return seconds
