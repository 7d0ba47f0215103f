"""Containers: image, ports, command, state, resources, probes, environment, mounts. Kubernetes: describeContainers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

from kctl.errors import KctlError
from kctl.objects import value_from
from kctl.views.describe.page import NONE, Page, full_time, of, truth
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

Resolve = Callable[[JSONObject], str]
"""From an env variable with a fieldRef to its value."""


def containers(
    page: Page,
    title: str,
    every: Sequence[JSONObject],
    *,
    statuses: Sequence[JSONObject] = (),
    resolve: Resolve | None = None,
    space: str = "",
) -> None:
    """`space` sets them in, below a pod template."""
    by_name = {status.get("name"): status for status in statuses}
    page.line(f"{space}{title}:" + ("" if every else f" {NONE}"))
    for container in every:
        status = by_name.get(container.get("name"))
        _basics(page, container, status, space)
        for name, words in (("Command", container.get("command")), ("Args", container.get("args"))):
            if words:
                page.line(f"{name}:", level=2)
                for word in words:
                    for line in str(word).split("\n"):
                        page.line(line, level=3)
        if status is not None:
            _state(page, status)
        resources(page, container.get("resources"), level=2)
        for name, field in (
            ("Liveness", "livenessProbe"),
            ("Readiness", "readinessProbe"),
            ("Startup", "startupProbe"),
        ):
            if probe := container.get(field):
                page.field(name, probe_text(probe), level=2)
        if container.get("envFrom"):
            _environment_sources(page, container["envFrom"])
        _environment(page, container, resolve)
        _mounts(page, container)


def _basics(page: Page, container: JSONObject, status: JSONObject | None, space: str) -> None:
    page.line(f"{' ' if space else ''}{container.get('name', '')}:", level=1)
    if status is not None:
        page.field("Container ID", status.get("containerID", ""), level=2)
    page.field("Image", container.get("image", ""), level=2)
    if status is not None:
        page.field("Image ID", status.get("imageID", ""), level=2)
    for title, field in (("Port", "containerPort"), ("Host Port", "hostPort")):
        text = ", ".join(_port(port, field) for port in container.get("ports") or ())
        page.field(f"{title}s" if "," in text else title, text or NONE, level=2)
    if profile := of(container, "securityContext").get("seccompProfile"):
        page.field("SeccompProfile", profile.get("type"), level=2)
        if profile.get("type") == "Localhost":
            page.field("LocalhostProfile", profile.get("localhostProfile"), level=3)


def _port(port: JSONObject, field: str) -> str:
    text = f"{port.get(field) or 0}/{port.get('protocol', '')}"
    return f"{text} ({port['name']})" if port.get("name") else text


def _state(page: Page, status: JSONObject) -> None:
    _one_state(page, "State", status.get("state") or {})
    if (status.get("lastState") or {}).get("terminated"):
        _one_state(page, "Last State", status["lastState"])
    page.field("Ready", truth(status.get("ready")), level=2)
    page.field("Restart Count", status.get("restartCount") or 0, level=2)


def _one_state(page: Page, title: str, state: JSONObject) -> None:
    if (running := state.get("running")) is not None:
        page.field(title, "Running", level=2)
        page.field("Started", full_time(running.get("startedAt")), level=3)
    elif (ended := state.get("terminated")) is not None:
        page.field(title, "Terminated", level=2)
        for name, field in (("Reason", "reason"), ("Message", "message")):
            if ended.get(field):
                page.field(name, ended[field], level=3)
        page.field("Exit Code", ended.get("exitCode") or 0, level=3)
        if ended.get("signal"):
            page.field("Signal", ended["signal"], level=3)
        page.field("Started", full_time(ended.get("startedAt")), level=3)
        page.field("Finished", full_time(ended.get("finishedAt")), level=3)
    else:
        page.field(title, "Waiting", level=2)
        if reason := (state.get("waiting") or {}).get("reason"):
            page.field("Reason", reason, level=3)


def resources(page: Page, amounts: JSONObject | None, *, level: int) -> None:
    for title, field in (("Limits", "limits"), ("Requests", "requests")):
        entries = (amounts or {}).get(field) or {}
        if entries:
            page.line(f"{title}:", level=level)
        for name in sorted(entries):
            page.field(name, entries[name], level=level + 1)


def probe_text(probe: JSONObject) -> str:
    attributes = (
        f"delay={probe.get('initialDelaySeconds') or 0}s timeout={probe.get('timeoutSeconds') or 0}s "
        f"period={probe.get('periodSeconds') or 0}s successThreshold={probe.get('successThreshold') or 0} "
        f"failureThreshold={probe.get('failureThreshold') or 0}"
    )
    if (command := probe.get("exec")) is not None:
        return f"exec [{' '.join(command.get('command') or ())}] {attributes}"
    if (request := probe.get("httpGet")) is not None:
        host, port = str(request.get("host") or ""), request.get("port", "")
        host = f"[{host}]" if ":" in host else host
        where = f"{host}:{port}" if str(port) else host
        path = quote(str(request.get("path") or ""), safe="/$&+,:;=@!*'()~-._")
        return f"http-get {str(request.get('scheme') or '').lower()}://{where}{path} {attributes}"
    if (connection := probe.get("tcpSocket")) is not None:
        return f"tcp-socket {connection.get('host', '')}:{connection.get('port', '')} {attributes}"
    if (service := probe.get("grpc")) is not None:
        return f"grpc <pod>:{service.get('port', 0)} {service.get('service', '')} {attributes}"
    return f"unknown {attributes}"


def _environment_sources(page: Page, sources: Sequence[JSONObject]) -> None:
    page.line("Environment Variables from:", level=2)
    for source in sources:
        kind, reference = "", source.get("configMapRef")
        if reference is not None:
            kind = "ConfigMap"
        elif (reference := source.get("secretRef")) is not None:
            kind = "Secret"
        reference = reference or {}
        prefix = f" with prefix '{source['prefix']}'" if source.get("prefix") else ""
        optional = _optional(reference)
        page.line(f"{reference.get('name', '')}\t{kind}{prefix}\tOptional: {optional}", level=3)


def _optional(reference: JSONObject) -> str:
    return "true" if reference.get("optional") else "false"


def _environment(page: Page, container: JSONObject, resolve: Resolve | None) -> None:
    variables = container.get("env") or ()
    page.line("Environment:" + ("" if variables else f"\t{NONE}"), level=2)
    for variable in variables:
        name, source = variable.get("name", ""), variable.get("valueFrom")
        if source is None:
            first, *others = str(variable.get("value", "")).split("\n")
            page.field(name, first, level=3)
            for line in others:
                page.line(f"\t{line}", level=3)
        elif (field := source.get("fieldRef")) is not None:
            value = resolve(variable) if resolve is not None else ""
            page.field(name, f"{value} ({field.get('apiVersion', '')}:{field.get('fieldPath', '')})", level=3)
        elif (amount := source.get("resourceFieldRef")) is not None:
            page.field(name, f"{_amount(amount, container)} ({amount.get('resource', '')})", level=3)
        else:
            _key_reference(page, name, source)


def _key_reference(page: Page, name: str, source: JSONObject) -> None:
    if (reference := source.get("secretKeyRef")) is not None:
        where = f"in secret '{reference.get('name', '')}'"
    elif (reference := source.get("configMapKeyRef")) is not None:
        where = f"of config map '{reference.get('name', '')}'"
    else:
        return
    optional = _optional(reference)
    page.field(name, f"<set to the key '{reference.get('key', '')}' {where}>\tOptional: {optional}", level=3)


def _amount(reference: JSONObject, container: JSONObject) -> str:
    try:
        value = value_from.resource_amount(reference, container)
    except KctlError:
        return ""
    return (
        "node allocatable" if value == "0" and reference.get("resource") in ("limits.cpu", "limits.memory") else value
    )


def _mounts(page: Page, container: JSONObject) -> None:
    mounts = sorted(container.get("volumeMounts") or (), key=lambda one: str(one.get("mountPath", "")))
    none = "" if mounts else f"\t{NONE}"
    page.line(f"Mounts:{none}", level=2)
    for mount in mounts:
        flags = ["ro" if mount.get("readOnly") else "rw"]
        if mount.get("subPath"):
            flags.append(f"path={go_quote(mount['subPath'])}")
        page.line(f"{mount.get('mountPath', '')} from {mount.get('name', '')} ({','.join(flags)})", level=3)
    devices = sorted(container.get("volumeDevices") or (), key=lambda one: str(one.get("devicePath", "")))
    if devices:
        page.line(f"Devices:{none}", level=2)
    for device in devices:
        page.line(f"{device.get('devicePath', '')} from {device.get('name', '')}", level=3)
