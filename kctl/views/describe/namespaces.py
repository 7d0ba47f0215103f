"""Namespaces, their quotas and limits. Kubernetes: describeNamespace, describeQuota, describeLimitRange.

Config maps, secrets, service accounts. Kubernetes: ConfigMapDescriber, describeSecret, describeServiceAccount.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence

from kctl.views.describe.page import (
    NONE,
    Page,
    Source,
    annotation_lines,
    condition_rows,
    events,
    labels,
    named,
    of,
    told,
)
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import Quantity, parse

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


async def namespace(page: Page, obj: JSONObject, source: Source) -> None:
    name = str(of(obj, "metadata").get("name", ""))
    page.field("Name", name)
    labels(page, "Labels", of(obj, "metadata").get("labels"))
    annotation_lines(page, "Annotations", of(obj, "metadata").get("annotations"))
    page.field("Status", of(obj, "status").get("phase", ""))
    if every := of(obj, "status").get("conditions"):
        condition_rows(page, every)
    page.write("\n")
    _quotas(page, await source.list("", "v1", "resourcequotas", name))
    page.write("\n")
    _limits(page, await source.list("", "v1", "limitranges", name))


def _quotas(page: Page, quotas: Sequence[JSONObject]) -> None:
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


def _scopes(page: Page, quota: JSONObject, *, level: int, star: str) -> None:
    scopes = sorted(of(quota, "spec").get("scopes") or ())
    if not scopes:
        return
    page.field("Scopes", ", ".join(scopes), level=level)
    for scope in scopes:
        if scope in _SCOPES:
            page.line(f"{star}{_SCOPES[scope]}", level=level)


def _usage(page: Page, quota: JSONObject, *, level: int) -> None:
    status = of(quota, "status")
    for name in sorted(status.get("hard") or ()):
        page.line(f"{name}\t{of(status, 'used').get(name, '0')}\t{status['hard'][name]}", level=level)


async def resource_quota(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    _scopes(page, obj, level=0, star=" * ")
    page.line("Resource\tUsed\tHard")
    page.line("--------\t----\t----")
    status = of(obj, "status")
    for name in sorted(status.get("hard") or ()):
        page.line(f"{name}\t{_in_form(of(status, 'used').get(name), status['hard'][name])}\t{status['hard'][name]}")


def _in_form(used: str | None, hard: str) -> str:
    """In units of a thousand or of 1024, as the limit is told."""
    amount, limit = parse(used or "0"), parse(hard)
    return str(amount) if amount.format is limit.format and used else str(Quantity(amount.value(), 0, limit.format))


def _limits(page: Page, ranges: Sequence[JSONObject]) -> None:
    if not ranges:
        page.line("No LimitRange resource.")
        return
    page.line("Resource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
    page.line(" ----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
    for one in ranges:
        _limit_rows(page, one, " ")


def _limit_rows(page: Page, limit_range: JSONObject, prefix: str) -> None:
    fields = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")
    for item in of(limit_range, "spec").get("limits") or ():
        names = sorted({name for field in fields for name in item.get(field) or ()})
        for name in names:
            cells = [str((item.get(field) or {}).get(name, "-")) for field in fields]
            page.line("\t".join((f"{prefix}{item.get('type', '')}", name, *cells)))


async def limit_range(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    page.line("Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
    page.line("----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
    _limit_rows(page, obj, "")


_TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - the name of a type


def _heading(page: Page, obj: JSONObject) -> None:
    named(page, obj)
    told(page, obj)


async def config_map(page: Page, obj: JSONObject, source: Source) -> None:
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


async def secret(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    _heading(page, obj)
    page.write(f"\nType:\t{obj.get('type', '')}\n")
    page.write("\nData\n====\n")
    for key, encoded in sorted((obj.get("data") or {}).items()):
        value = base64.b64decode(encoded)
        is_token = key == "token" and obj.get("type") == _TOKEN
        page.field(key, value.decode(errors="replace") if is_token else f"{len(value)} bytes")


async def service_account(page: Page, obj: JSONObject, source: Source) -> None:
    _heading(page, obj)
    title = "Image pull secrets:"
    names = [one.get("name", "") for one in obj.get("imagePullSecrets") or ()]
    for name in names or [NONE]:
        page.line(f"{title}\t{name}")
        title = " " * len(title)
    events(page, await source.events(obj))
