"""Nodes: conditions, what they have, and what runs on them. Kubernetes: describeNode."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.views.describe.page import NONE, Page, Source, annotation_lines, events, full_time, labels, of, several, since
from localplane.apimachinery.errors import APIError, Forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO
from localplane.apis import pod_resources
from localplane.apis.amounts import Amounts, add, read

_ROLE = "node-role.kubernetes.io/"
_INFO = (
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
)
_ALIVE = "status.phase!=Succeeded,status.phase!=Failed"
_STANDARD = ("cpu", "memory", "ephemeral-storage")
_NO_NUMBER = -(1 << 63)
"""What Go makes of a division by zero, on the machines that most people have."""
_SHOWN_POOLS = 10


async def describe(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    name = str(metadata.get("name", ""))
    pods = await _alive_on(source, name)
    happened = await source.events(obj)
    if happened is not None:
        # Kubelets used to give a node's name for its uid.
        happened = [*happened, *(await source.events(obj, uid=name) or ())]
    slices = await _resource_slices(source, name)
    page.field("Name", name)
    page.field("Roles", ",".join(_roles(metadata.get("labels") or {})) or NONE)
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.field("CreationTimestamp", full_time(metadata.get("creationTimestamp")))
    taints = sorted(spec.get("taints") or (), key=lambda one: f"{one.get('effect')},{one.get('key')}")
    several(page, "Taints", [taint_text(one) for one in taints])
    page.field("Unschedulable", "true" if spec.get("unschedulable") else "false")
    await _lease(page, source, name)
    _status(page, of(obj, "status"), slices)
    if spec.get("podCIDR"):
        page.field("PodCIDR", spec["podCIDR"])
    if spec.get("podCIDRs"):
        page.field("PodCIDRs", ",".join(spec["podCIDRs"]))
    if spec.get("providerID"):
        page.field("ProviderID", spec["providerID"])
    _pods(page, obj, pods)
    events(page, happened)


async def _alive_on(source: Source, name: str) -> list[JSONObject] | None:
    """None for who may not see pods."""
    try:
        return await source.list("", "v1", "pods", "", field_selector=f"spec.nodeName={name},{_ALIVE}")
    except Forbidden:
        return None


def _roles(entries: JSONObject) -> list[str]:
    found = {key.removeprefix(_ROLE) for key in entries if key.startswith(_ROLE)}
    return sorted((found | {str(entries.get("kubernetes.io/role") or "")}) - {""})


def taint_text(taint: JSONObject) -> str:
    """Kubernetes: Taint.ToString."""
    key, value, effect = taint.get("key", ""), taint.get("value"), taint.get("effect")
    if not effect:
        return f"{key}={value}:" if value else str(key)
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"


async def _lease(page: Page, source: Source, name: str) -> None:
    try:
        lease = await source.get("coordination.k8s.io", "v1", "leases", "kube-node-lease", name)
    except APIError as error:
        page.field("Lease", f"Failed to get lease: {error.message}")
        return
    spec = of(lease, "spec")
    page.line("Lease:")
    page.field("HolderIdentity", spec.get("holderIdentity", "<unset>"), level=1)
    for title, field in (("AcquireTime", "acquireTime"), ("RenewTime", "renewTime")):
        page.field(title, full_time(spec[field]) if spec.get(field) else "<unset>", level=1)


async def _resource_slices(source: Source, name: str) -> list[JSONObject]:
    try:
        return await source.list(
            "resource.k8s.io", "v1", "resourceslices", "", field_selector=f"spec.nodeName={name}", whole=True
        )
    except APIError:
        return []


def _pools(page: Page, slices: Sequence[JSONObject]) -> None:
    """Devices that only this node has, counted by who drives them."""
    pools: dict[tuple[str, str], list[int]] = {}
    for one in slices:
        spec = of(one, "spec")
        counts = pools.setdefault((spec.get("driver", ""), of(spec, "pool").get("name", "")), [0, 0])
        counts[0] += 1
        counts[1] += len(spec.get("devices") or ())
    if not pools:
        return
    page.line("Node-Local ResourceSlices:")
    page.line("Driver\tPool\tSlices\tDevices", level=1)
    page.line("------\t----\t------\t-------", level=1)
    ordered = sorted(pools, key="/".join)
    for driver, pool in ordered[:_SHOWN_POOLS]:
        page.line(f"{driver}\t{pool}\t{pools[driver, pool][0]}\t{pools[driver, pool][1]}", level=1)
    if len(ordered) > _SHOWN_POOLS:
        page.line(f"...and {len(ordered) - _SHOWN_POOLS} more pools", level=1)


def _status(page: Page, status: JSONObject, slices: Sequence[JSONObject]) -> None:
    if every := status.get("conditions"):
        page.line("Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage")
        page.line("----\t------\t-----------------\t------------------\t------\t-------", level=1)
        for one in every:
            times = f"{full_time(one.get('lastHeartbeatTime'))} \t{full_time(one.get('lastTransitionTime'))}"
            page.line(
                f"{one.get('type', '')} \t{one.get('status', '')} \t{times} \t{one.get('reason', '')} "
                f"\t{one.get('message', '')}",
                level=1,
            )
    page.line("Addresses:")
    for one in status.get("addresses") or ():
        page.field(str(one.get("type", "")), one.get("address", ""), level=1)
    for title, field in (("Capacity", "capacity"), ("Allocatable", "allocatable")):
        if amounts := status.get(field):
            page.line(f"{title}:")
            for name in sorted(amounts):
                page.field(f"  {name}", amounts[name])
    _pools(page, slices)
    page.line("System Info:")
    for title, field in _INFO:
        page.field(f"  {title}", of(status, "nodeInfo").get(field, ""))


def _pods(page: Page, obj: JSONObject, pods: list[JSONObject] | None) -> None:
    if pods is None:
        page.field("Pods", "not authorized")
        return
    status = of(obj, "status")
    allocatable = read(status.get("allocatable") or status.get("capacity"))
    page.field("Non-terminated Pods", f"({len(pods)} in total)")
    page.line("Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge", level=1)
    page.line("---------\t----\t\t------------\t----------\t---------------\t-------------\t---", level=1)
    for pod in pods:
        requests, limits = pod_resources.requests(pod), pod_resources.limits(pod)
        metadata = of(pod, "metadata")
        cells = [
            _share(amounts, kind, allocatable, of_nothing=_NO_NUMBER)
            for kind in ("cpu", "memory")
            for amounts in (requests, limits)
        ]
        age = since(metadata.get("creationTimestamp"))
        page.line("\t".join((metadata.get("namespace", ""), metadata.get("name", ""), "", *cells, age)), level=1)
    _totals(page, pods, allocatable)


def _share(amounts: Amounts, name: str, allocatable: Amounts, *, of_nothing: int = 0) -> str:
    amount, whole = amounts.get(name, ZERO), allocatable.get(name, ZERO)
    part, all_of_it = (amount.milli_value(), whole.milli_value()) if name == "cpu" else (amount.value(), whole.value())
    return f"{amount} ({int(part / all_of_it * 100) if all_of_it else of_nothing}%)"


def _totals(page: Page, pods: Sequence[JSONObject], allocatable: Amounts) -> None:
    page.line("Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)")
    page.line("Resource\tRequests\tLimits", level=1)
    page.line("--------\t--------\t------", level=1)
    requests: Amounts = {}
    limits: Amounts = {}
    for pod in pods:
        add(requests, pod_resources.requests(pod, from_status=False))
        add(limits, pod_resources.limits(pod, from_status=False))
    huge = sorted(name for name in allocatable if name.startswith("hugepages-"))
    others = sorted(name for name in allocatable if name not in (*_STANDARD, *huge, "pods"))
    for name in ("cpu", "memory", "ephemeral-storage", *huge):
        page.line(f"{name}\t{_share(requests, name, allocatable)}\t{_share(limits, name, allocatable)}", level=1)
    for name in others:
        page.line(f"{name}\t{requests.get(name, 0)}\t{limits.get(name, 0)}", level=1)
