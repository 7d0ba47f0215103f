"""Config maps, secrets, service accounts, claims, namespaces, quotas. Kubernetes: describeSecret and others."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from .claims import claim
from .events import events
from .metadata import NONE, annotation_lines, full_time, labels, of, several
from .page import Page
from .source import Source

Object = dict[str, Any]

_TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - the name of a type
_SCOPES = {
    "Terminating": "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before "
    "being actively terminated by the system.",
    "NotTerminating": "Matches all pods that do not have an active deadline. These pods usually include long running "
    "pods whose container command is not expected to terminate.",
    "BestEffort": "Matches all pods that do not have resource requirements set. These pods have a best effort quality "
    "of service.",
    "NotBestEffort": "Matches all pods that have at least one resource requirement set. These pods have a burstable or "
    "guaranteed quality of service.",
}


def _heading(page: Page, obj: Object, *, namespaced: bool = True) -> None:
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    if namespaced:
        page.field("Namespace", metadata.get("namespace", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))


async def config_map(page: Page, obj: Object, source: Source) -> None:
    _heading(page, obj)
    page.write("\nData\n====\n")
    for key, value in sorted((obj.get("data") or {}).items()):
        page.write(f"{key}:\n----\n")
        page.write(f"{value}\n")
        page.write("\n")
    page.write("\nBinaryData\n====\n")
    for key, value in sorted((obj.get("binaryData") or {}).items()):
        page.write(f"{key}: {len(base64.b64decode(value))} bytes\n")
    page.write("\n")
    events(page, await source.events(obj))


async def secret(page: Page, obj: Object, source: Source) -> None:
    del source
    _heading(page, obj)
    page.write(f"\nType:\t{obj.get('type', '')}\n")
    page.write("\nData\n====\n")
    for key, encoded in sorted((obj.get("data") or {}).items()):
        value = base64.b64decode(encoded)
        is_token = key == "token" and obj.get("type") == _TOKEN
        page.field(key, value.decode(errors="replace") if is_token else f"{len(value)} bytes")


async def service_account(page: Page, obj: Object, source: Source) -> None:
    _heading(page, obj)
    title = "Image pull secrets:"
    names = [one.get("name", "") for one in obj.get("imagePullSecrets") or ()]
    for name in names or [NONE]:
        page.line(f"{title}\t{name}")
        title = " " * len(title)
    events(page, await source.events(obj))


async def persistent_volume_claim(page: Page, obj: Object, source: Source) -> None:
    metadata = of(obj, "metadata")
    claim(page, obj, whole=True)
    pods = await source.list("", "v1", "pods", metadata.get("namespace", ""))
    users = sorted(of(pod, "metadata").get("name", "") for pod in pods if _uses(pod, obj))
    several(page, "Used By", users)
    if every := of(obj, "status").get("conditions"):
        page.line("Conditions:")
        page.line("Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage", level=1)
        page.line("----\t------\t-----------------\t------------------\t------\t-------", level=1)
        for one in every:
            times = f"{full_time(one.get('lastProbeTime'))} \t{full_time(one.get('lastTransitionTime'))}"
            page.line(
                f"{one.get('type', '')} \t{one.get('status', '')} \t{times} \t{one.get('reason', '')} "
                f"\t{one.get('message', '')}",
                level=1,
            )
    events(page, await source.events(obj))


def _uses(pod: Object, claimed: Object) -> bool:
    name = of(claimed, "metadata").get("name")
    owners = of(claimed, "metadata").get("ownerReferences") or ()
    for volume in of(pod, "spec").get("volumes") or ():
        if of(volume, "persistentVolumeClaim").get("claimName") == name:
            return True
        if volume.get("ephemeral") is not None and f"{of(pod, 'metadata').get('name')}-{volume.get('name')}" == name:
            uid = of(pod, "metadata").get("uid")
            return any(owner.get("uid") == uid for owner in owners)
    return False


async def namespace(page: Page, obj: Object, source: Source) -> None:
    name = str(of(obj, "metadata").get("name", ""))
    _heading(page, obj, namespaced=False)
    page.field("Status", of(obj, "status").get("phase", ""))
    if every := of(obj, "status").get("conditions"):
        page.line("Conditions:")
        page.line("Type\tStatus\tLastTransitionTime\tReason\tMessage", level=1)
        page.line("----\t------\t------------------\t------\t-------", level=1)
        for one in every:
            cells = (one.get("type", ""), one.get("status", ""), full_time(one.get("lastTransitionTime")))
            page.line("\t".join((*cells, one.get("reason", ""), one.get("message", ""))), level=1)
    page.write("\n")
    _quotas(page, await source.list("", "v1", "resourcequotas", name))
    page.write("\n")
    _limits(page, await source.list("", "v1", "limitranges", name))


def _quotas(page: Page, quotas: Sequence[Object]) -> None:
    if not quotas:
        page.line("No resource quota.")
        return
    page.line("Resource Quotas")
    for quota in sorted(quotas, key=lambda one: str(of(one, "metadata").get("name"))):
        page.field("Name", of(quota, "metadata").get("name", ""), level=1)
        _scopes(page, quota, level=1, star="* ")
        page.line("Resource\tUsed\tHard", level=1)
        page.line("--------\t---\t---", level=1)
        _usage(page, quota, level=1)


def _scopes(page: Page, quota: Object, *, level: int, star: str) -> None:
    scopes = sorted(of(quota, "spec").get("scopes") or ())
    if not scopes:
        return
    page.field("Scopes", ", ".join(scopes), level=level)
    for scope in scopes:
        if scope in _SCOPES:
            page.line(f"{star}{_SCOPES[scope]}", level=level)


def _usage(page: Page, quota: Object, *, level: int) -> None:
    status = of(quota, "status")
    for name in sorted(status.get("hard") or ()):
        page.line(f"{name}\t{of(status, 'used').get(name, '0')}\t{status['hard'][name]}", level=level)


async def resource_quota(page: Page, obj: Object, source: Source) -> None:
    del source
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    _scopes(page, obj, level=0, star=" * ")
    page.line("Resource\tUsed\tHard")
    page.line("--------\t----\t----")
    _usage(page, obj, level=0)


def _limits(page: Page, ranges: Sequence[Object]) -> None:
    if not ranges:
        page.line("No LimitRange resource.")
        return
    page.line("Resource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
    page.line(" ----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
    for one in ranges:
        _limit_rows(page, one, " ")


def _limit_rows(page: Page, limit_range: Object, prefix: str) -> None:
    fields = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")
    for item in of(limit_range, "spec").get("limits") or ():
        names = sorted({name for field in fields for name in item.get(field) or ()})
        for name in names:
            cells = [str((item.get(field) or {}).get(name, "-")) for field in fields]
            page.line("\t".join((f"{prefix}{item.get('type', '')}", name, *cells)))


async def limit_range(page: Page, obj: Object, source: Source) -> None:
    del source
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    page.line("Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
    page.line("----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
    _limit_rows(page, obj, "")
