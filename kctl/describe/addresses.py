"""Ranges of service addresses, and single addresses of them. Kubernetes: ServiceCIDRDescriber, IPAddressDescriber."""

from __future__ import annotations

from typing import Any

from .events import events
from .metadata import annotation_lines, full_time, labels, of
from .page import Page
from .source import Source

Object = dict[str, Any]


def _heading(page: Page, obj: Object) -> None:
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))


async def service_cidr(page: Page, obj: Object, source: Source) -> None:
    _heading(page, obj)
    page.field("CIDRs", ", ".join(of(obj, "spec").get("cidrs") or ()))
    if every := of(obj, "status").get("conditions"):
        page.line("Status:")
        page.line("Conditions:")
        page.line("Type\tStatus\tLastTransitionTime\tReason\tMessage", level=1)
        page.line("----\t------\t------------------\t------\t-------", level=1)
        for one in every:
            cells = (one.get("type", ""), one.get("status", ""), full_time(one.get("lastTransitionTime")))
            page.line("\t".join((*cells, one.get("reason", ""), one.get("message", ""))), level=1)
    events(page, await source.events(obj))


async def ip_address(page: Page, obj: Object, source: Source) -> None:
    _heading(page, obj)
    if (parent := of(obj, "spec").get("parentRef")) is not None:
        page.line("Parent Reference:")
        for title in ("Group", "Resource", "Namespace", "Name"):
            page.field(title, parent.get(title.lower(), ""), level=1)
    events(page, await source.events(obj))
