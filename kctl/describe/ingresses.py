"""Ingresses and their classes. Kubernetes: describeIngressV1, describeIngressClassV1."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import NONE, annotation_lines, labels, of
from .page import Page
from .services import SERVICE_NAME, SLICES, endpoints_text
from .source import Source


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
