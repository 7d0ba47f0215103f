"""A pod template, and what it shares with pods. Kubernetes: DescribePodTemplate.

Pods. Kubernetes: describePod.
"""

from __future__ import annotations

from collections.abc import Sequence

from kctl.views.describe.containers import containers, resources
from kctl.views.describe.page import (
    NONE,
    Page,
    Source,
    annotation_lines,
    controller,
    events,
    full_time,
    labels,
    of,
    several,
    since,
)
from kctl.views.describe.volumes import volumes
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_text


def pod_template(page: Page, template: JSONObject | None) -> None:
    page.line("Pod Template:")
    if template is None:
        page.write("<unset>", level=1)
        return
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    labels(page, "  Labels", metadata.get("labels"))
    if metadata.get("annotations"):
        annotation_lines(page, "  Annotations", metadata["annotations"])
    if spec.get("serviceAccountName"):
        page.field("Service Account", spec["serviceAccountName"], level=1)
    if spec.get("initContainers"):
        containers(page, "Init Containers", spec["initContainers"], space="  ")
    containers(page, "Containers", spec.get("containers") or (), space="  ")
    volumes(page, spec.get("volumes") or (), space="  ")
    spreading(page, spec.get("topologySpreadConstraints") or (), space="  ")
    if spec.get("priorityClassName"):
        page.field("Priority Class Name", spec["priorityClassName"], level=1)
    labels(page, "  Node-Selectors", spec.get("nodeSelector"))
    tolerations(page, "  Tolerations", spec.get("tolerations") or ())
    scheduling_group(page, spec, space="  ")


def spreading(page: Page, constraints: Sequence[JSONObject], *, space: str = "") -> None:
    if not constraints:
        return
    lines = []
    for one in sorted(constraints, key=lambda each: str(each.get("topologyKey", ""))):
        line = (
            f"{one.get('topologyKey', '')}:{one.get('whenUnsatisfiable', '')} when max skew {one.get('maxSkew', 0)} is "
            "exceeded"
        )
        if (selector := one.get("labelSelector")) is not None:
            line += f" for selector {selector_text(selector)}"
        lines.append(line)
    several(page, "Topology Spread Constraints", lines, indent=space)


def tolerations(page: Page, title: str, every: Sequence[JSONObject]) -> None:
    several(page, title, [_toleration(one) for one in sorted(every, key=lambda one: str(one.get("key") or ""))])


def _toleration(one: JSONObject) -> str:
    key, value, effect = one.get("key") or "", one.get("value") or "", one.get("effect") or ""
    text = key + (f"={value}" if value else "") + (f":{effect}" if effect else "")
    if one.get("operator") == "Exists" and not value:
        text += " op=Exists" if key or effect else "op=Exists"
    if (seconds := one.get("tolerationSeconds")) is not None:
        text += f" for {seconds}s"
    return text


def scheduling_group(page: Page, spec: JSONObject, *, space: str = "") -> None:
    if (group := spec.get("schedulingGroup")) is not None:
        page.line(f"{space}SchedulingGroup:")
        page.field("PodGroupName", group.get("podGroupName", ""), level=1)


_MIRROR = "kubernetes.io/config.mirror"


async def describe(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    _heading(page, metadata, spec, status)
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    _status(page, obj)
    if spec.get("resources") is not None:
        page.line("Resources:")
        resources(page, spec["resources"], level=1)
    _containers(page, obj)
    _conditions(page, spec, status)
    volumes(page, spec.get("volumes") or ())
    page.field("QoS Class", status.get("qosClass") or quality_of_service(spec))
    labels(page, "Node-Selectors", spec.get("nodeSelector"))
    tolerations(page, "Tolerations", spec.get("tolerations") or ())
    spreading(page, spec.get("topologySpreadConstraints") or ())
    scheduling_group(page, spec)
    uid = of(metadata, "annotations").get(_MIRROR) or metadata.get("uid", "")
    events(page, await source.events(obj, kind="", uid=uid))


def _heading(page: Page, metadata: JSONObject, spec: JSONObject, status: JSONObject) -> None:
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    if spec.get("priority") is not None:
        page.field("Priority", spec["priority"])
    for title, field in (
        ("Priority Class Name", "priorityClassName"),
        ("Runtime Class Name", "runtimeClassName"),
        ("Service Account", "serviceAccountName"),
    ):
        if spec.get(field):
            page.field(title, spec[field])
    node = spec.get("nodeName")
    page.field("Node", f"{node}/{status.get('hostIP', '')}" if node else NONE)
    if status.get("startTime"):
        page.field("Start Time", full_time(status["startTime"]))


def _status(page: Page, obj: JSONObject) -> None:
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    phase = status.get("phase", "")
    if metadata.get("deletionTimestamp") and phase not in ("Failed", "Succeeded"):
        page.field("Status", f"Terminating (lasts {since(metadata['deletionTimestamp'])})")
        page.field("Termination Grace Period", f"{metadata.get('deletionGracePeriodSeconds', 0)}s")
    else:
        page.field("Status", phase)
    for title, field in (("Reason", "reason"), ("Message", "message")):
        if status.get(field):
            page.field(title, status[field])
    if profile := of(spec, "securityContext").get("seccompProfile"):
        page.field("SeccompProfile", profile.get("type"))
        if profile.get("type") == "Localhost":
            page.field("LocalhostProfile", profile.get("localhostProfile"))
    page.field("IP", status.get("podIP", ""))
    if addresses := status.get("podIPs"):
        page.line("IPs:")
        for one in addresses:
            page.field("IP", one.get("ip", ""), level=1)
    else:
        page.field("IPs", NONE)
    if owner := controller(obj):
        page.field("Controlled By", owner)
    if status.get("nominatedNodeName"):
        page.field("NominatedNodeName", status["nominatedNodeName"])


def _containers(page: Page, obj: JSONObject) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")

    def resolve(variable: JSONObject) -> str:
        return _field_value(obj, str(of(variable, "valueFrom", "fieldRef").get("fieldPath", "")))

    for title, field, statuses in (
        ("Init Containers", "initContainers", "initContainerStatuses"),
        ("Containers", "containers", "containerStatuses"),
        ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
    ):
        every = spec.get(field) or ()
        if every or field == "containers":
            containers(page, title, every, statuses=status.get(statuses) or (), resolve=resolve)


def _field_value(obj: JSONObject, path: str) -> str:
    """A field of the pod that a variable refers to. kubectl knows two of them. Kubernetes: EnvValueRetriever."""
    where, _, name = path.partition(".")
    return str(of(obj, "metadata").get(name, "")) if where == "metadata" and name in ("name", "namespace") else ""


def _conditions(page: Page, spec: JSONObject, status: JSONObject) -> None:
    every = status.get("conditions") or ()
    if gates := spec.get("readinessGates"):
        page.line("Readiness Gates:\n  Type\tStatus")
        for gate in gates:
            kind = gate.get("conditionType", "")
            found = next((one.get("status") for one in every if one.get("type") == kind), NONE)
            page.line(f"{kind} \t{found} ", level=1)
    if every:
        page.line("Conditions:\n  Type\tStatus")
        for one in every:
            page.line(f"{one.get('type', '')} \t{one.get('status', '')} ", level=1)


def quality_of_service(spec: JSONObject) -> str:
    """For a pod that has not been told. Kubernetes: qos.ComputePodQOS."""
    every = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    amounts = [one.get("resources") or {} for one in every]
    if not any(one.get("limits") or one.get("requests") for one in amounts):
        return "BestEffort"
    for one in amounts:
        limits, requests = one.get("limits") or {}, one.get("requests") or {}
        if not {"cpu", "memory"} <= set(limits) or any(
            requests.get(name, limits[name]) != limits[name] for name in limits
        ):
            return "Burstable"
    return "Guaranteed"
