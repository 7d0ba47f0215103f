"""Ranges of service addresses, and single addresses of them. Kubernetes: ServiceCIDRDescriber, IPAddressDescriber."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import condition_rows, named, of, told
from .page import Page
from .source import Source


def _heading(page: Page, obj: JSONObject) -> None:
    named(page, obj, namespaced=False)
    told(page, obj)


async def service_cidr(page: Page, obj: JSONObject, source: Source) -> None:
    _heading(page, obj)
    page.field("CIDRs", ", ".join(of(obj, "spec").get("cidrs") or ()))
    if every := of(obj, "status").get("conditions"):
        page.line("Status:")
        condition_rows(page, every)
    events(page, await source.events(obj))


async def ip_address(page: Page, obj: JSONObject, source: Source) -> None:
    _heading(page, obj)
    if (parent := of(obj, "spec").get("parentRef")) is not None:
        page.line("Parent Reference:")
        for title in ("Group", "Resource", "Namespace", "Name"):
            page.field(title, parent.get(title.lower(), ""), level=1)
    events(page, await source.events(obj))
