"""What even the baseline level forbids. Kubernetes: pod-security-admission/policy, check_*.go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote
from localplane.servers.kube.admission.pods.pod_references import containers

from .violations import (
    Check,
    JSONObject,
    Violation,
    counted,
    named,
    names_of,
    quoted,
    security_context,
    setters,
)

_CAPABILITIES: Final = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)
_APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP: Final = "container.seccomp.security.alpha.kubernetes.io/"
_PROFILES: Final = ("RuntimeDefault", "Localhost")
_SE_LINUX: Final = frozenset({"", "container_t", "container_init_t", "container_kvm_t"})
_SYSCTLS: Final = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_unprivileged_port_start",
    }
)


def app_armor(metadata: JSONObject, pod: JSONObject) -> Violation | None:
    found = setters(pod, lambda context: _bad_profile(context, "appArmorProfile"))
    given = metadata.get("annotations") or {}
    bad = sorted(
        f"{name}={go_quote(value)}"
        for name, value in given.items()
        if name.startswith(_APP_ARMOR) and value not in ("", "runtime/default") and not value.startswith("localhost/")
    )
    if not found.names and not bad:
        return None
    who = " and ".join([*found.names, *([counted("annotation", bad)] if bad else [])])
    values = [*found.values, *bad]
    reason = f"forbidden AppArmor {counted('profile', values)}"
    return Violation(reason, f"{who} must not set AppArmor profile type to {quoted(values)}")


def capabilities(_: JSONObject, pod: JSONObject) -> Violation | None:
    bad: list[str] = []
    added: set[str] = set()
    for container in containers(pod):
        beyond = set((security_context(container).get("capabilities") or {}).get("add") or ()) - _CAPABILITIES
        if beyond:
            bad.append(container.get("name", ""))
            added |= beyond
    if not bad:
        return None
    detail = f"{named(bad)} must not include {quoted(sorted(added))} in securityContext.capabilities.add"
    return Violation("non-default capabilities", detail)


def host_namespaces(_: JSONObject, pod: JSONObject) -> Violation | None:
    shared = [f"{field}=true" for field in ("hostNetwork", "hostPID", "hostIPC") if pod.get(field)]
    return Violation("host namespaces", ", ".join(shared)) if shared else None


def host_path_volumes(_: JSONObject, pod: JSONObject) -> Violation | None:
    bad = [volume.get("name", "") for volume in pod.get("volumes") or () if "hostPath" in volume]
    return Violation("hostPath volumes", named(bad, word="volume")) if bad else None


def host_ports(_: JSONObject, pod: JSONObject) -> Violation | None:
    bad: list[str] = []
    ports: set[str] = set()
    for container in containers(pod):
        used = {str(port["hostPort"]) for port in container.get("ports") or () if port.get("hostPort")}
        if used:
            bad.append(container.get("name", ""))
            ports |= used
    if not bad:
        return None
    which = sorted(ports)
    use = counted("uses", bad, plural="use")
    return Violation("hostPort", f"{named(bad)} {use} {counted('hostPort', which)} {', '.join(which)}")


def host_handlers(_: JSONObject, pod: JSONObject) -> Violation | None:
    """Probes and lifecycle handlers of one's own pod only."""
    bad: set[str] = set()
    hosts: set[str] = set()
    for container in containers(pod):
        found = set(_hosts(container))
        if found:
            bad.add(container.get("name", ""))
            hosts |= found
    if not bad:
        return None
    who, which = sorted(bad), sorted(hosts)
    use = counted("uses", who, plural="use")
    detail = f"{named(who)} {use} {counted('probe or lifecycle host', which)} {quoted(which)}"
    return Violation("probe or lifecycle host", detail)


def _hosts(container: JSONObject) -> Iterator[str]:
    lifecycle = container.get("lifecycle") or {}
    handlers = [container.get(name) for name in ("livenessProbe", "readinessProbe", "startupProbe")]
    for handler in (*handlers, lifecycle.get("postStart"), lifecycle.get("preStop")):
        for action in ("httpGet", "tcpSocket"):
            host = ((handler or {}).get(action) or {}).get("host", "")
            if host:
                yield host


def privileged(_: JSONObject, pod: JSONObject) -> Violation | None:
    bad = names_of(pod, lambda container: bool(security_context(container).get("privileged")))
    return Violation("privileged", f"{named(bad)} must not set securityContext.privileged=true") if bad else None


def proc_mount(_: JSONObject, pod: JSONObject) -> Violation | None:
    bad: list[str] = []
    kinds: set[str] = set()
    for container in containers(pod):
        kind = security_context(container).get("procMount", "Default")
        if kind != "Default":
            bad.append(container.get("name", ""))
            kinds.add(kind)
    if not bad:
        return None
    return Violation("procMount", f"{named(bad)} must not set securityContext.procMount to {quoted(sorted(kinds))}")


def unless_in_user_namespace(check: Check) -> Check:
    """For what is harmless to a pod whose users are not the host's."""
    return lambda metadata, pod: None if pod.get("hostUsers") is False else check(metadata, pod)


def seccomp_annotations(metadata: JSONObject, pod: JSONObject) -> Violation | None:
    given = metadata.get("annotations") or {}
    names = [_SECCOMP_POD, *(f"{_SECCOMP}{container.get('name', '')}" for container in containers(pod))]
    allowed = ("runtime/default", "docker/default")
    bad = sorted(
        {
            f"{name}={go_quote(given[name])}"
            for name in names
            if name in given and given[name] not in allowed and not given[name].startswith("localhost/")
        }
    )
    return Violation("seccompProfile", f"forbidden {counted('annotation', bad)} {', '.join(bad)}") if bad else None


def seccomp(_: JSONObject, pod: JSONObject) -> Violation | None:
    found = setters(pod, lambda context: _bad_profile(context, "seccompProfile"))
    if not found.names:
        return None
    detail = f"{found} must not set securityContext.seccompProfile.type to {quoted(found.values)}"
    return Violation("seccompProfile", detail)


def _bad_profile(context: JSONObject, field: str) -> list[str]:
    profile = context.get(field)
    return [] if profile is None or profile.get("type") in _PROFILES else [profile.get("type", "")]


def se_linux(*more: str) -> Check:
    allowed = _SE_LINUX | set(more)

    def bad(context: JSONObject) -> Iterator[str]:
        options: dict[str, Any] = context.get("seLinuxOptions") or {}
        if options.get("type", "") not in allowed:
            yield f"type {options['type']}"
        yield from (field for field in ("user", "role") if options.get(field))

    def check(_: JSONObject, pod: JSONObject) -> Violation | None:
        found = setters(pod, bad)
        if not found.names:
            return None
        types = [value.removeprefix("type ") for value in found.values if value.startswith("type ")]
        told = [named(types, word="type")] if types else []
        told += [f"{field} may not be set" for field in ("user", "role") if field in found.values]
        return Violation("seLinuxOptions", f"{found} set forbidden securityContext.seLinuxOptions: {'; '.join(told)}")

    return check


def sysctls(*more: str) -> Check:
    allowed = _SYSCTLS | {f"net.ipv4.{name}" for name in more}

    def check(_: JSONObject, pod: JSONObject) -> Violation | None:
        given = [each.get("name", "") for each in security_context(pod).get("sysctls") or ()]
        bad = [name for name in given if name not in allowed]
        return Violation("forbidden sysctls", ", ".join(bad)) if bad else None

    return check


def windows_host_process(_: JSONObject, pod: JSONObject) -> Violation | None:
    found = setters(pod, lambda context: ["true"] if (context.get("windowsOptions") or {}).get("hostProcess") else [])
    if not found.names:
        return None
    return Violation("hostProcess", f"{found} must not set securityContext.windowsOptions.hostProcess=true")
