"""Which pods stand behind a service, by which addresses and ports, and since when.

Kubernetes: k8s.io/endpointslice/util (controller_utils.go, trigger_time_tracker.go) and utils.go beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.memoization import remembered
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.addresses import family_of, parse_ip
from localplane.client import HandlerFunctions, Lister, WorkQueue, deleted_object, object_key
from localplane.controllers.pods import condition, is_ready, is_terminal, is_terminating

TRIGGER_TIME: Final = "endpoints.kubernetes.io/last-change-trigger-time"
HEADLESS: Final = "service.kubernetes.io/headless"
_PAUSE_PER_POD: Final = timedelta(microseconds=200)
_LONGEST_PAUSE: Final = timedelta(seconds=1)


def selects_pods(service: Mapping[str, Any]) -> bool:
    """Whether controllers write this service's endpoints; those of other services are written by whoever made them."""
    spec = service.get("spec") or {}
    return bool(spec.get("selector")) and spec.get("type") != "ExternalName"


def is_selected(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in selector.items())


def selected_pods(pods: Lister, service: Mapping[str, Any]) -> list[JSONObject]:
    selector = service["spec"]["selector"]
    candidates = pods.namespaced(service["metadata"]["namespace"]).list()
    return [pod for pod in candidates if is_selected(selector, labels_of(pod))]


def labels_of(obj: Mapping[str, Any]) -> Mapping[str, str]:
    labels: Mapping[str, str] = obj["metadata"].get("labels") or {}
    return labels


def has_cluster_ip(service: Mapping[str, Any]) -> bool:
    return (service["spec"].get("clusterIP") or "None") != "None"


def publishes_unready(service: Mapping[str, Any]) -> bool:
    return bool(service["spec"].get("publishNotReadyAddresses"))


def is_listed(pod: Mapping[str, Any], *, with_terminating: bool) -> bool:
    """Whether a pod is an endpoint at all, ready or not."""
    status = pod.get("status") or {}
    if is_terminal(pod) or not (status.get("podIP") or status.get("podIPs")):
        return False
    return with_terminating or not is_terminating(pod)


def sets_hostname(pod: Mapping[str, Any], service: Mapping[str, Any]) -> bool:
    spec = pod["spec"]
    return bool(spec.get("hostname")) and spec.get("subdomain", "") == service["metadata"]["name"]


def target_port(pod: Mapping[str, Any], service_port: Mapping[str, Any]) -> int | None:
    """The port of the pod that a service's port stands for. A name is looked up in all containers that last."""
    target = service_port.get("targetPort")
    if not isinstance(target, str):
        return int(target or 0)
    protocol = service_port.get("protocol") or "TCP"
    for container in _lasting_containers(pod):
        for port in container.get("ports") or ():
            if port.get("name") == target and (port.get("protocol") or "TCP") == protocol:
                return int(port["containerPort"])
    return None


def _lasting_containers(pod: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from pod["spec"].get("containers") or ()
    for container in pod["spec"].get("initContainers") or ():
        if container.get("restartPolicy") == "Always":
            yield container


def pod_addresses(pod: Mapping[str, Any], family: str) -> list[str]:
    """The pod's addresses of one family (`IPv4` or `IPv6`), in their usual form."""
    addresses = (_address(each.get("ip", "")) for each in (pod.get("status") or {}).get("podIPs") or ())
    return [each.text for each in addresses if each.family == family]


@dataclass(frozen=True, slots=True)
class _Address:
    family: str
    text: str


@remembered  # pods are looked at again and again
def _address(text: str) -> _Address:
    address = parse_ip(text)
    return _Address("", text) if address is None else _Address(f"IPv{address.version}", str(address))


def families(service: Mapping[str, Any]) -> tuple[str, ...]:
    """The families of a service; one of an old server that says none may have either."""
    spec = service["spec"]
    if known := tuple(each for each in spec.get("ipFamilies") or () if each in ("IPv4", "IPv6")):
        return known
    if has_cluster_ip(service):
        return (family_of(spec["clusterIP"]) or "IPv4",)
    return ("IPv4", "IPv6")


def pod_handler(services: Lister, queue: WorkQueue[str], pause: Callable[[str], timedelta]) -> HandlerFunctions:
    """Queues the services whose endpoints a pod's coming, going or change may concern, after as long as `pause` says of
    each."""

    def hear(pod: JSONObject) -> None:
        for key in _services_of(services, pod):
            queue.add_after(key, pause(key))

    def hear_change(old: JSONObject, new: JSONObject) -> None:
        is_changed, is_moved = _is_changed(old, new), _is_moved(old, new)
        if not is_moved:
            if is_changed:
                hear(new)
            return
        before, after = set(_services_of(services, old)), set(_services_of(services, new))
        for key in before | after if is_changed else before ^ after:
            queue.add_after(key, pause(key))

    return HandlerFunctions(add=hear, update=hear_change, delete=lambda pod: hear(deleted_object(pod)))


def _services_of(services: Lister, pod: Mapping[str, Any]) -> Iterator[str]:
    labels = labels_of(pod)
    for service in services.namespaced(pod["metadata"]["namespace"]).list():
        selector = (service.get("spec") or {}).get("selector")
        if selector and is_selected(selector, labels):
            yield object_key(service)


def _is_changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """In a way that its endpoints may show. One that is going is looked at whenever it changes."""
    if is_terminating(new) or is_terminating(old):
        return bool(old["metadata"].get("resourceVersion") != new["metadata"].get("resourceVersion"))
    if is_ready(old) != is_ready(new) or is_terminal(old) != is_terminal(new):
        return True
    return ((old.get("status") or {}).get("podIPs") or []) != ((new.get("status") or {}).get("podIPs") or [])


def _is_moved(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """To other services, perhaps."""
    names = ("hostname", "subdomain")
    return labels_of(old) != labels_of(new) or any(old["spec"].get(name) != new["spec"].get(name) for name in names)


@dataclass(slots=True)
class _Seen:
    service: str = ""
    pods: dict[str, str] = field(default_factory=dict)


class TriggerTimes:
    """When the change happened that endpoints are written for: the oldest of those that are new since the last look.

    Times are compared as texts, which is right for the form in which the server writes them."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def changed(self, service: Mapping[str, Any], pods: Iterable[Mapping[str, Any]]) -> str | None:
        """None if nothing is new; a service that is seen for the first time tells when it was made."""
        key, created = object_key(service), str(service["metadata"].get("creationTimestamp") or "")
        known = self._seen.get(key)
        before, now = known or _Seen(), _Seen(created)
        changes = [created] if created > before.service else []
        for pod in pods:
            moment = (condition(pod, "Ready") or {}).get("lastTransitionTime")
            if moment:
                name = pod["metadata"]["name"]
                now.pods[name] = moment
                if moment > before.pods.get(name, ""):
                    changes.append(moment)
        self._seen[key] = now
        if known is None:
            return created or None
        return min(changes) if changes else None

    def pause(self, key: str) -> timedelta:
        """How long changes of a service's pods are collected before they are looked at: the more pods it has, the
        longer one look takes, and looking at all of them for each of them would be work without end."""
        seen = self._seen.get(key)
        return min(_LONGEST_PAUSE, len(seen.pods) * _PAUSE_PER_POD) if seen is not None else timedelta(0)

    def forget(self, key: str) -> None:
        self._seen.pop(key, None)
