"""Services and ingresses. Kubernetes: describeService, describeIngressV1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .events import events
from .metadata import NONE, annotation_lines, labels, of
from .page import Page
from .source import Source
from .workloads import labels_text

Object = dict[str, Any]

_SHOWN_ENDPOINTS = 3
_SERVICE_NAME = "kubernetes.io/service-name"


async def service(page: Page, obj: Object, source: Source) -> None:
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


def _balancer(one: Object) -> str:
    if not one.get("ip"):
        return str(one.get("hostname", ""))
    return f"{one['ip']} ({one['ipMode']})" if one.get("ipMode") else str(one["ip"])


def _port(page: Page, port: Object, slices: Sequence[Object]) -> None:
    name, protocol = port.get("name") or "<unset>", port.get("protocol", "")
    page.field("Port", f"{name}\t{port.get('port', 0)}/{protocol}")
    page.field("TargetPort", f"{port.get('targetPort', 0)}/{protocol}")
    if port.get("appProtocol"):
        page.field("AppProtocol", port["appProtocol"])
    if port.get("nodePort"):
        page.field("NodePort", f"{name}\t{port['nodePort']}/{protocol}")
    page.field("Endpoints", endpoints_text(slices, port.get("name") or ""))


async def endpoint_slices(source: Source, namespace: str, name: str) -> list[Object]:
    from localplane.apimachinery.errors import APIError

    try:
        selector = f"{_SERVICE_NAME}={name}"
        return await source.list("discovery.k8s.io", "v1", "endpointslices", namespace, label_selector=selector)
    except APIError:
        return []


def endpoints_text(slices: Sequence[Object], port_name: str) -> str:
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


async def ingress(page: Page, obj: Object, source: Source) -> None:
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    page.field("Name", metadata.get("name", ""))
    labels(page, "Labels", metadata.get("labels"))
    page.field("Namespace", metadata.get("namespace", ""))
    addresses = {
        one.get("ip") or one.get("hostname") or "" for one in of(obj, "status", "loadBalancer").get("ingress") or ()
    }
    page.field("Address", ",".join(sorted(addresses - {""})))
    page.field("Ingress Class", spec.get("ingressClassName") or NONE)
    namespace = str(metadata.get("namespace", ""))
    default = spec.get("defaultBackend")
    shown = "<default>" if default is None else await _backend(source, namespace, default)
    page.field("Default backend", shown)
    if spec.get("tls"):
        page.line("TLS:")
        for one in spec["tls"]:
            hosts = ",".join(one.get("hosts") or ())
            secret = one.get("secretName")
            page.line(f"{secret} terminates {hosts}" if secret else f"SNI routes {hosts}", level=1)
    page.line("Rules:\n  Host\tPath\tBackends")
    page.line("----\t----\t--------", level=1)
    rules = [rule for rule in spec.get("rules") or () if rule.get("http") is not None]
    for rule in rules:
        page.line(f"{rule.get('host') or '*'}\t", level=1)
        for path in rule["http"].get("paths") or ():
            backend = await _backend(source, namespace, path.get("backend") or {})
            page.line(f"\t{path.get('path', '')} \t{backend}", level=2)
    if not rules:
        page.line(f"*\t*\t{shown}", level=1)
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    events(page, await source.events(obj))


async def _backend(source: Source, namespace: str, backend: Object) -> str:
    from localplane.apimachinery.errors import APIError

    if (resource := backend.get("resource")) is not None:
        group = resource.get("apiGroup")
        return (
            f"APIGroup: {NONE if group is None else group}, Kind: {resource.get('kind')}, Name: {resource.get('name')}"
        )
    target = backend.get("service")
    if target is None:
        return ""
    name, wanted = target.get("name", ""), target.get("port") or {}
    shown = f"{name}:{wanted.get('number') or wanted.get('name', '')}"
    try:
        selector = f"{_SERVICE_NAME}={name}"
        slices = await source.list("discovery.k8s.io", "v1", "endpointslices", namespace, label_selector=selector)
        found = await source.get("", "v1", "services", namespace, name)
    except APIError as error:
        return f"{shown} (<error: {error.message}>)"
    port_name = ""
    for port in of(found, "spec").get("ports") or ():
        if port.get("port") == wanted.get("number") or (wanted.get("name") and port.get("name") == wanted["name"]):
            port_name = port.get("name") or ""
    return f"{shown} ({endpoints_text(slices, port_name)})"
