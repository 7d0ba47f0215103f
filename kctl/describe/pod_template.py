"""A pod template, and what it shares with pods. Kubernetes: DescribePodTemplate."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.objects import JSONObject

from .containers import containers
from .metadata import annotation_lines, labels, selector_text, several
from .page import Page
from .volumes import volumes


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
