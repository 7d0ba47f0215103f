"""Ranges of service addresses, and single addresses of them. Kubernetes: ServiceCIDRDescriber, IPAddressDescriber.

Endpoints and endpoint slices. Kubernetes: describeEndpoints, describeEndpointSliceV1.

Services, and which endpoints are behind them. Kubernetes: describeService, formatEndpointSlices.

Ingresses and their classes. Kubernetes: describeIngressV1, describeIngressClassV1.

Network policies: who may talk to the selected pods, and to whom they may. Kubernetes: describeNetworkPolicy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kctl.views.describe.page import (
    NONE,
    Page,
    Source,
    annotation_lines,
    condition_rows,
    events,
    go_time,
    labels,
    labels_text,
    named,
    of,
    told,
)
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_text


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


_UNSET = "<unset>"


def _endpoints_heading(page: Page, obj: JSONObject) -> None:
    named(page, obj)
    told(page, obj)


async def endpoints(page: Page, obj: JSONObject, source: Source) -> None:
    _endpoints_heading(page, obj)
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
    _endpoints_heading(page, obj)
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


async def ingress(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    happened = await source.events(obj)
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
    events(page, happened)


async def _backend(source: Source, namespace: str, backend: JSONObject) -> str:
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
        selector = f"{SERVICE_NAME}={name}"
        slices = await source.list(*SLICES, namespace, label_selector=selector, whole=True)
        found = await source.get("", "v1", "services", namespace, name)
    except APIError as error:
        return f"{shown} (<error: {error.message}>)"
    port_name = ""
    for port in of(found, "spec").get("ports") or ():
        if port.get("port") == wanted.get("number") or (wanted.get("name") and port.get("name") == wanted["name"]):
            port_name = port.get("name") or ""
    return f"{shown} ({endpoints_text(slices, port_name)})"


async def ingress_class(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    page.field("Name", metadata.get("name", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.field("Controller", spec.get("controller", ""))
    if (parameters := spec.get("parameters")) is not None:
        page.line("Parameters:")
        if parameters.get("apiGroup") is not None:
            page.field("APIGroup", parameters["apiGroup"], level=1)
        page.field("Kind", parameters.get("kind", ""), level=1)
        page.field("Name", parameters.get("name", ""), level=1)
    events(page, await source.events(obj))


_INDENT = "    "


class _Direction(NamedTuple):
    """`peers` is the field with the other side, `title` how it is called, `end` what restricts the traffic."""

    name: str
    peers: str
    title: str
    end: str


_INGRESS = _Direction("ingress", "from", "From", "source")
_EGRESS = _Direction("egress", "to", "To", "destination")


async def network_policy(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    page.field("Created on", go_time(metadata.get("creationTimestamp")))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.line("Spec:")
    page.write("PodSelector: ", level=1)
    selector = of(spec, "podSelector")
    selects = selector.get("matchLabels") or selector.get("matchExpressions")
    everything = f"{NONE} (Allowing the specific traffic to all pods in this namespace)"
    page.line(selector_text(selector) if selects else everything, level=2)
    types = spec.get("policyTypes") or ()
    for kind, direction in (("Ingress", _INGRESS), ("Egress", _EGRESS)):
        if kind in types:
            page.line(f"Allowing {direction.name} traffic:", level=1)
            _rules(page, spec.get(direction.name) or (), direction)
        else:
            page.line(f"Not affecting {direction.name} traffic", level=1)
    page.line(f"Policy Types: {', '.join(types) or NONE}", level=1)


def _rules(page: Page, rules: Sequence[JSONObject], direction: _Direction) -> None:
    if not rules:
        page.line(f"{_INDENT}{NONE} (Selected pods are isolated for {direction.name} connectivity)")
    for number, rule in enumerate(rules):
        if number:
            page.line(f"{_INDENT}----------")
        _ports(page, rule.get("ports") or ())
        peers = rule.get(direction.peers) or ()
        if not peers:
            page.line(f"{_INDENT}{direction.title}: <any> (traffic not restricted by {direction.end})")
        for peer in peers:
            page.line(f"{_INDENT}{direction.title}:")
            _peer(page, peer)


def _ports(page: Page, ports: Sequence[JSONObject]) -> None:
    if not ports:
        page.line(f"{_INDENT}To Port: <any> (traffic allowed to all ports)")
    for port in ports:
        number, protocol = port.get("port"), port.get("protocol") or "TCP"
        shown = "<nil>" if number is None else number
        if port.get("endPort") is None:
            page.line(f"{_INDENT}To Port: {shown}/{protocol}")
        else:
            page.line(f"{_INDENT}To Port Range: {shown}-{port['endPort']}/{protocol}")


def _peer(page: Page, peer: JSONObject) -> None:
    selectors = [
        (title, peer[field])
        for title, field in (("NamespaceSelector", "namespaceSelector"), ("PodSelector", "podSelector"))
        if peer.get(field) is not None
    ]
    for title, selector in selectors:
        page.line(f"{_INDENT}{title}: {selector_text(selector)}", level=1)
    if not selectors and (block := peer.get("ipBlock")) is not None:
        page.line(f"{_INDENT}IPBlock:", level=1)
        page.line(f"{_INDENT}CIDR: {block.get('cidr', '')}", level=2)
        page.line(f"{_INDENT}Except: {', '.join(block.get('except') or ())}", level=2)
