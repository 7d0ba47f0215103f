"""Services, and which endpoints are behind them. Kubernetes: describeService, formatEndpointSlices."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import NONE, annotation_lines, labels, labels_text, of
from .page import Page
from .source import Source

_SHOWN_ENDPOINTS = 3
SERVICE_NAME = "kubernetes.io/service-name"
SLICES = ("discovery.k8s.io", "v1", "endpointslices")


async def service(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.field("Selector", labels_text(spec.get("selector")))
    page.field("Type", spec.get("type", ""))
    if spec.get("ipFamilyPolicy"):
        page.field("IP Family Policy", spec["ipFamilyPolicy"])
    page.field("IP Families", ",".join(spec.get("ipFamilies") or ()) or NONE)
    page.field("IP", spec.get("clusterIP", ""))
    page.field("IPs", ",".join(spec.get("clusterIPs") or ()) or NONE)
    if spec.get("externalIPs"):
        page.field("External IPs", ",".join(spec["externalIPs"]))
    for title, field in (("Desired LoadBalancer IP", "loadBalancerIP"), ("External Name", "externalName")):
        if spec.get(field):
            page.field(title, spec[field])
    if balancers := of(status, "loadBalancer").get("ingress"):
        page.field("LoadBalancer Ingress", ", ".join(map(_balancer, balancers)))
    slices = await endpoint_slices(source, metadata.get("namespace", ""), metadata.get("name", ""))
    for port in spec.get("ports") or ():
        _port(page, port, slices)
    page.field("Session Affinity", spec.get("sessionAffinity", ""))
    for title, field in (
        ("External Traffic Policy", "externalTrafficPolicy"),
        ("Internal Traffic Policy", "internalTrafficPolicy"),
        ("HealthCheck NodePort", "healthCheckNodePort"),
    ):
        if spec.get(field):
            page.field(title, spec[field])
    if spec.get("loadBalancerSourceRanges"):
        page.field("LoadBalancer Source Ranges", ",".join(spec["loadBalancerSourceRanges"]))
    if spec.get("trafficDistribution"):
        page.field("Traffic Distribution", spec["trafficDistribution"])
    events(page, await source.events(obj))


def _balancer(one: JSONObject) -> str:
    if not one.get("ip"):
        return str(one.get("hostname", ""))
    return f"{one['ip']} ({one['ipMode']})" if one.get("ipMode") else str(one["ip"])


def _port(page: Page, port: JSONObject, slices: Sequence[JSONObject]) -> None:
    name, protocol = port.get("name") or "<unset>", port.get("protocol", "")
    page.field("Port", f"{name}\t{port.get('port', 0)}/{protocol}")
    page.field("TargetPort", f"{port.get('targetPort', 0)}/{protocol}")
    if port.get("appProtocol"):
        page.field("AppProtocol", port["appProtocol"])
    if port.get("nodePort"):
        page.field("NodePort", f"{name}\t{port['nodePort']}/{protocol}")
    page.field("Endpoints", endpoints_text(slices, port.get("name") or ""))


async def endpoint_slices(source: Source, namespace: str, name: str) -> list[JSONObject]:
    from localplane.apimachinery.errors import APIError

    try:
        selector = f"{SERVICE_NAME}={name}"
        return await source.list(*SLICES, namespace, label_selector=selector, whole=True)
    except APIError:
        return []


def endpoints_text(slices: Sequence[JSONObject], port_name: str) -> str:
    """Those that are ready, of one port; the first few, and how many there are beside them."""
    if not slices:
        return NONE
    found: list[str] = []
    for one in slices:
        ready = [each for each in one.get("endpoints") or () if of(each, "conditions").get("ready", True) is not False]
        ports = one.get("ports") or ()
        if not ports:
            found += [each["addresses"][0] for each in ready]
        for port in ports:
            if (port.get("name") or "") == port_name:
                found += [_joined(each["addresses"][0], port.get("port")) for each in ready]
    shown = ",".join(found[:_SHOWN_ENDPOINTS])
    more = len(found) - _SHOWN_ENDPOINTS
    return f"{shown} + {more} more..." if more > 0 else shown


def _joined(address: str, port: object) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
