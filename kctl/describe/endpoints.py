"""Endpoints and endpoint slices. Kubernetes: describeEndpoints, describeEndpointSliceV1."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import NONE, named, of, told
from .page import Page
from .source import Source

_UNSET = "<unset>"


def _heading(page: Page, obj: JSONObject) -> None:
    named(page, obj)
    told(page, obj)


async def endpoints(page: Page, obj: JSONObject, source: Source) -> None:
    _heading(page, obj)
    page.line("Subsets:")
    for subset in obj.get("subsets") or ():
        for title, field in (("Addresses", "addresses"), ("NotReadyAddresses", "notReadyAddresses")):
            page.field(title, ",".join(one.get("ip", "") for one in subset.get(field) or ()) or NONE, level=1)
        if ports := subset.get("ports"):
            page.line("Ports:", level=1)
            page.line("Name\tPort\tProtocol", level=2)
            page.line("----\t----\t--------", level=2)
            for port in ports:
                name = port.get("name") or _UNSET
                page.line(f"{name}\t{port.get('port', 0)}\t{port.get('protocol', '')}", level=2)
        page.write("\n")
    events(page, await source.events(obj))


async def endpoint_slice(page: Page, obj: JSONObject, source: Source) -> None:
    _heading(page, obj)
    page.field("AddressType", obj.get("addressType", ""))
    ports = obj.get("ports") or ()
    page.line("Ports:" if ports else f"Ports: {_UNSET}")
    if ports:
        page.line("Name\tPort\tProtocol", level=1)
        page.line("----\t----\t--------", level=1)
    for port in ports:
        name, number = port.get("name") or _UNSET, port.get("port")
        page.line(f"{name}\t{_UNSET if number is None else number}\t{port.get('protocol', '')}", level=1)
    every = obj.get("endpoints") or ()
    page.line("Endpoints:" if every else f"Endpoints: {NONE}")
    for one in every:
        _endpoint(page, one)
    events(page, await source.events(obj))


def _endpoint(page: Page, one: JSONObject) -> None:
    page.field("- Addresses", ", ".join(one.get("addresses") or ()) or NONE, level=1)
    page.line("Conditions:", level=2)
    ready = of(one, "conditions").get("ready")
    page.field("Ready", _UNSET if ready is None else str(ready).lower(), level=3)
    page.field("Hostname", _or_unset(one.get("hostname")), level=2)
    if (target := one.get("targetRef")) is not None:
        page.field("TargetRef", f"{target.get('kind', '')}/{target.get('name', '')}", level=2)
    page.field("NodeName", _or_unset(one.get("nodeName")), level=2)
    page.field("Zone", _or_unset(one.get("zone")), level=2)


def _or_unset(value: object) -> object:
    return _UNSET if value is None else value
