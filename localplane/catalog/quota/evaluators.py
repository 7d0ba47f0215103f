"""What an object of each kind counts. Kubernetes: pkg/quota/v1/evaluator/core.

Devices that resource claims ask for are counted by their class; extended resources that stand for a class are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.quantity import ZERO, Quantity
from localplane.apimachinery.times import parse_time
from localplane.apis import pod_resources
from localplane.apis.amounts import ONE, Amounts, add, read

from .scopes import claim_scope, no_scope, pod_scope, selectors_of

JSONObject = Mapping[str, Any]
_COUNT: Final = "count/"
_REQUESTS: Final = "requests."
_LIMITS: Final = "limits."
_HUGE_PAGES: Final = "hugepages-"
_STORAGE_CLASS: Final = ".storageclass.storage.k8s.io/"
_COMPUTED: Final = ("cpu", "memory", "ephemeral-storage")


@dataclass(frozen=True, slots=True)
class Evaluator:
    """`measures` is whether a name of a quota is about this kind; `usage` is what one object counts, under all names
    that it counts under; `is_in_scope` is whether an object fits one requirement of a quota's scopes."""

    resource: GroupResource
    measures: Callable[[str], bool]
    usage: Callable[[JSONObject], Amounts]
    is_in_scope: Callable[[JSONObject, JSONObject], bool] = no_scope

    def matching(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self.measures(name)]

    def is_counted(self, quota: JSONObject, obj: JSONObject) -> bool:
        return all(self.is_in_scope(selector, obj) for selector in selectors_of(quota))

    def total(self, quota: JSONObject, objects: Iterable[JSONObject]) -> Amounts:
        """Of what the quota limits and this measures, what these objects of one namespace use."""
        names = self.matching((quota.get("spec") or {}).get("hard") or {})
        used: Amounts = dict.fromkeys(names, ZERO)
        for obj in objects:
            if self.is_counted(quota, obj):
                add(used, self.usage(obj))
        return {name: used[name] for name in names}


def counting(resource: GroupResource, *aliases: str) -> Evaluator:
    """For every kind that is only counted."""
    names = (f"{_COUNT}{resource}", *aliases)
    return Evaluator(resource, lambda name: name in names, lambda _: dict.fromkeys(names, ONE))


# Pods

_PODS: Final = GroupResource("", "pods")
_POD_NAMES: Final = frozenset(
    ["count/pods", "pods", *(f"{prefix}{name}" for prefix in ("", _REQUESTS, _LIMITS) for name in _COMPUTED)]
)


def pod_usage(pod: JSONObject) -> Amounts:
    """A pod that is over, or should be by now, is still an object but uses nothing."""
    used: Amounts = {"count/pods": ONE}
    if _is_charged(pod):
        used |= compute_usage(pod_resources.requests(pod), pod_resources.limits(pod))
    return used


def compute_usage(requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]) -> Amounts:
    """Of a pod, or of one container, under all names that a quota may use."""
    used: Amounts = {"pods": ONE}
    for name in _COMPUTED:
        if name in requests:
            used[name] = used[f"{_REQUESTS}{name}"] = requests[name]
        if name in limits:
            used[f"{_LIMITS}{name}"] = limits[name]
    for name, amount in requests.items():
        if name.startswith(_HUGE_PAGES):
            used[name] = used[f"{_REQUESTS}{name}"] = amount
        elif not _is_native(name):
            used[f"{_REQUESTS}{name}"] = amount
    return used


def _measures_pods(name: str) -> bool:
    if name in _POD_NAMES or name.startswith((_HUGE_PAGES, f"{_REQUESTS}{_HUGE_PAGES}")):
        return True
    # Of what nodes offer beyond Kubernetes' own, only requests can be limited.
    return name.startswith(_REQUESTS) and not _is_native(name.removeprefix(_REQUESTS))


def _is_native(name: str) -> bool:
    """Kubernetes' own: unqualified, or of its domain. Kubernetes: helper.IsNativeResource."""
    return "/" not in name or "kubernetes.io/" in name


def _is_charged(pod: JSONObject) -> bool:
    if (pod.get("status") or {}).get("phase") in ("Failed", "Succeeded"):
        return False
    metadata = pod.get("metadata") or {}
    deleted_at, grace = metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds")
    if not deleted_at or grace is None:
        return True
    return present() <= parse_time(deleted_at) + timedelta(seconds=grace)


# Services

_SERVICES: Final = GroupResource("", "services")
_SERVICE_NAMES: Final = ("count/services", "services", "services.nodeports", "services.loadbalancers")


def service_usage(service: JSONObject) -> Amounts:
    spec = service.get("spec") or {}
    ports: Sequence[JSONObject] = spec.get("ports") or ()
    balances = spec.get("type") == "LoadBalancer"
    if balances and spec.get("allocateLoadBalancerNodePorts") is False:
        node_ports = sum(1 for port in ports if port.get("nodePort"))
    else:
        node_ports = len(ports) if balances or spec.get("type") == "NodePort" else 0
    return dict(zip(_SERVICE_NAMES, (ONE, ONE, Quantity(node_ports), ONE if balances else ZERO), strict=True))


# Claims of volumes

_CLAIMS: Final = GroupResource("", "persistentvolumeclaims")
_CLAIM_NAMES: Final = ("persistentvolumeclaims", "requests.storage")


def claim_usage(claim: JSONObject) -> Amounts:
    spec, annotations = claim.get("spec") or {}, (claim.get("metadata") or {}).get("annotations") or {}
    beta = "volume.beta.kubernetes.io/storage-class"
    storage_class = annotations[beta] if beta in annotations else spec.get("storageClassName") or ""
    used: Amounts = {"persistentvolumeclaims": ONE}
    if (storage := _storage(claim)) is not None:
        used["requests.storage"] = storage
    if storage_class:
        used |= {f"{storage_class}{_STORAGE_CLASS}{name}": amount for name, amount in used.items()}
    return used | {"count/persistentvolumeclaims": ONE}


def _storage(claim: JSONObject) -> Quantity | None:
    """Whole bytes, of the greater of what is asked for and what is set aside."""
    asked = read(((claim.get("spec") or {}).get("resources") or {}).get("requests")).get("storage")
    if asked is None:
        return None
    allocated = read((claim.get("status") or {}).get("allocatedResources")).get("storage", asked)
    return max(asked.round_up(0), allocated.round_up(0))


def _measures_claims(name: str) -> bool:
    by_class = tuple(f"{_STORAGE_CLASS}{each}" for each in _CLAIM_NAMES)
    return name == "count/persistentvolumeclaims" or name in _CLAIM_NAMES or name.endswith(by_class)


# Claims of devices

_DEVICE_CLAIMS: Final = GroupResource("resource.k8s.io", "resourceclaims")
_DEVICE_CLAIM_COUNT: Final = f"{_COUNT}{_DEVICE_CLAIMS}"
_DEVICES: Final = ".deviceclass.resource.k8s.io/devices"
_ALL_DEVICES: Final = 32
"""What a request for all devices counts: no claim is given more."""


def device_claim_usage(claim: JSONObject) -> Amounts:
    """Of requests that name alternatives, the most that each class may have to give."""
    used: Amounts = {_DEVICE_CLAIM_COUNT: ONE}
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        most: Amounts = {}
        for wish in request.get("firstAvailable") or [request.get("exactly") or {}]:
            name = f"{wish.get('deviceClassName', '')}{_DEVICES}"
            most[name] = max(most.get(name, ZERO), Quantity(_device_count(wish)))
        add(used, most)
    return used


def _device_count(wish: JSONObject) -> int:
    match wish.get("allocationMode"):
        case "ExactCount":
            return int(wish.get("count") or 0)
        case "All":
            return _ALL_DEVICES
        case _:
            return 0


def _measures_device_claims(name: str) -> bool:
    return name == _DEVICE_CLAIM_COUNT or name.endswith(_DEVICES)


EVALUATORS: Final = (
    Evaluator(_PODS, _measures_pods, pod_usage, pod_scope),
    Evaluator(_SERVICES, lambda name: name in _SERVICE_NAMES, service_usage),
    Evaluator(_CLAIMS, _measures_claims, claim_usage, claim_scope),
    Evaluator(_DEVICE_CLAIMS, _measures_device_claims, device_claim_usage),
    counting(GroupResource("", "configmaps"), "configmaps"),
    counting(GroupResource("", "resourcequotas"), "resourcequotas"),
    counting(GroupResource("", "replicationcontrollers"), "replicationcontrollers"),
    counting(GroupResource("", "secrets"), "secrets"),
)
"""Those that measure more than a count, or under more names."""


def evaluators_of(names: Iterable[str]) -> list[Evaluator]:
    """All that a quota with these names needs, those for bare counts included."""
    names = list(names)
    found = [evaluator for evaluator in EVALUATORS if evaluator.matching(names)]
    known = {f"{_COUNT}{evaluator.resource}" for evaluator in EVALUATORS}
    for name in names:
        if name.startswith(_COUNT) and name not in known:
            resource, _, group = name.removeprefix(_COUNT).partition(".")
            found.append(counting(GroupResource(group, resource)))
    return found
