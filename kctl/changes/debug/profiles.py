"""How far a debugging container may reach: --profile. Kubernetes: kubectl/pkg/cmd/debug/profiles.go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from kctl.command_line.flags import FlagSet
from localplane.apimachinery.objects import JSONObject

_HOST_ROOT = "host-root"
_PROBES = (("keep-liveness", "livenessProbe"), ("keep-readiness", "readinessProbe"), ("keep-startup", "startupProbe"))


class Style(Enum):
    """Where the container is."""

    EPHEMERAL = 0
    COPY = 1
    NODE = 2


Profile = Callable[["FlagSet", JSONObject, JSONObject, Style], None]
"""Changes the pod and its debugging container in place."""


def _legacy(flags: FlagSet, pod: JSONObject, container: JSONObject, style: Style) -> None:
    if style is Style.NODE:
        _mount_root(pod, container)
        _use_host_namespaces(pod)
    elif style is Style.COPY:
        pod["metadata"].pop("labels", None)
    del flags


def _general(flags: FlagSet, pod: JSONObject, container: JSONObject, style: Style) -> None:
    if style is Style.NODE:
        _mount_root(pod, container)
        container.pop("securityContext", None)
        _use_host_namespaces(pod)
        return
    if style is Style.COPY:
        _strip(flags, pod)
        _share_processes(pod)
    _add_capabilities(container, "SYS_PTRACE")


def _baseline(flags: FlagSet, pod: JSONObject, container: JSONObject, style: Style) -> None:
    container.pop("securityContext", None)
    if style is Style.COPY:
        _strip(flags, pod)
        _share_processes(pod)


def _restricted(flags: FlagSet, pod: JSONObject, container: JSONObject, style: Style) -> None:
    container["securityContext"] = {
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "allowPrivilegeEscalation": False,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    if style is Style.COPY:
        _strip(flags, pod)
        _share_processes(pod)


def _netadmin(flags: FlagSet, pod: JSONObject, container: JSONObject, style: Style) -> None:
    _add_capabilities(container, "NET_ADMIN", "NET_RAW")
    if style is Style.NODE:
        _use_host_namespaces(pod)
    elif style is Style.COPY:
        _strip(flags, pod)
        _share_processes(pod)


def _sysadmin(flags: FlagSet, pod: JSONObject, container: JSONObject, style: Style) -> None:
    container["securityContext"] = {**(container.get("securityContext") or {}), "privileged": True}
    if style is Style.NODE:
        _use_host_namespaces(pod)
        _mount_root(pod, container)
    elif style is Style.COPY:
        _strip(flags, pod)
        _share_processes(pod)


PROFILES: Mapping[str, Profile] = {
    "legacy": _legacy,
    "general": _general,
    "baseline": _baseline,
    "restricted": _restricted,
    "netadmin": _netadmin,
    "sysadmin": _sysadmin,
}


def _strip(flags: FlagSet, pod: JSONObject) -> None:
    """A copy has neither the labels by which services find the original nor what would restart it, unless it keeps
    them."""
    for name in ("labels", "annotations"):
        if not flags.is_on(f"keep-{name}"):
            pod["metadata"].pop(name, None)
    for container in pod["spec"].get("containers") or ():
        for flag, probe in _PROBES:
            if not flags.is_on(flag):
                container.pop(probe, None)
    if not flags.is_on("keep-init-containers"):
        pod["spec"].pop("initContainers", None)


def _share_processes(pod: JSONObject) -> None:
    if pod["spec"].get("shareProcessNamespace") is None:
        pod["spec"]["shareProcessNamespace"] = True


def _use_host_namespaces(pod: JSONObject) -> None:
    pod["spec"] |= {"hostNetwork": True, "hostPID": True, "hostIPC": True}


def _mount_root(pod: JSONObject, container: JSONObject) -> None:
    pod["spec"].setdefault("volumes", []).append({"name": _HOST_ROOT, "hostPath": {"path": "/"}})
    container.setdefault("volumeMounts", []).append({"mountPath": "/host", "name": _HOST_ROOT})


def _add_capabilities(container: JSONObject, *names: str) -> None:
    context = container["securityContext"] = dict(container.get("securityContext") or {})
    capabilities = context["capabilities"] = dict(context.get("capabilities") or {})
    capabilities["add"] = [*(capabilities.get("add") or ()), *names]
