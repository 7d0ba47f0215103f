"""All checks, and what a pod violates of a level. Kubernetes: pod-security-admission/policy, registry.go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from . import baseline, restricted
from .baseline import unless_in_user_namespace
from .levels import LevelVersion
from .restricted import unless_windows
from .violations import Check, JSONObject, Violation

LATEST: Final = 37
_KEEPALIVE: Final = ("tcp_keepalive_time", "tcp_fin_timeout", "tcp_keepalive_intvl", "tcp_keepalive_probes")
_RESERVED: Final = "ip_local_reserved_ports"
_BUFFERS: Final = ("tcp_rmem", "tcp_wmem")
_SENDING: Final = ("tcp_slow_start_after_idle", "tcp_notsent_lowat")


@dataclass(frozen=True, slots=True)
class PodSecurityRule:
    """A check as it is since each version of Kubernetes, by its minor. `instead_of` is the baseline's that it makes
    needless."""

    name: str
    since: dict[int, Check]
    instead_of: str = ""

    def at(self, minor: int) -> Check | None:
        return next((self.since[each] for each in sorted(self.since, reverse=True) if each <= minor), None)


_BASELINE: Final = (
    PodSecurityRule("appArmorProfile", {0: baseline.app_armor}),
    PodSecurityRule("capabilities_baseline", {0: baseline.capabilities}),
    PodSecurityRule("hostNamespaces", {0: baseline.host_namespaces}),
    PodSecurityRule("hostPathVolumes", {0: baseline.host_path_volumes}),
    PodSecurityRule("hostPorts", {0: baseline.host_ports}),
    PodSecurityRule("hostProbesAndHostLifecycle", {34: baseline.host_handlers}),
    PodSecurityRule("privileged", {0: baseline.privileged}),
    PodSecurityRule("procMount", {0: baseline.proc_mount, 35: unless_in_user_namespace(baseline.proc_mount)}),
    PodSecurityRule("seLinuxOptions", {0: baseline.se_linux(), 31: baseline.se_linux("container_engine_t")}),
    PodSecurityRule("seccompProfile_baseline", {0: baseline.seccomp_annotations, 19: baseline.seccomp}),
    PodSecurityRule(
        "sysctls",
        {
            0: baseline.sysctls(),
            27: baseline.sysctls(_RESERVED),
            29: baseline.sysctls(_RESERVED, *_KEEPALIVE),
            32: baseline.sysctls(_RESERVED, *_KEEPALIVE, *_BUFFERS),
            37: baseline.sysctls(_RESERVED, *_KEEPALIVE, *_BUFFERS, *_SENDING),
        },
    ),
    PodSecurityRule("windowsHostProcess", {0: baseline.windows_host_process}),
)
"""In the order in which violations are told, which is that of their names."""

_RESTRICTED: Final = (
    PodSecurityRule(
        "allowPrivilegeEscalation",
        {8: restricted.privilege_escalation, 25: unless_windows(restricted.privilege_escalation)},
    ),
    PodSecurityRule(
        "capabilities_restricted",
        {22: restricted.dropped_capabilities, 25: unless_windows(restricted.dropped_capabilities)},
        instead_of="capabilities_baseline",
    ),
    PodSecurityRule("procMount_restricted", {35: baseline.proc_mount}, instead_of="procMount"),
    PodSecurityRule("restrictedVolumes", {0: restricted.volumes}, instead_of="hostPathVolumes"),
    PodSecurityRule("runAsNonRoot", {0: restricted.non_root, 35: unless_in_user_namespace(restricted.non_root)}),
    PodSecurityRule(
        "runAsUser", {23: restricted.user_not_root, 35: unless_in_user_namespace(restricted.user_not_root)}
    ),
    PodSecurityRule(
        "seccompProfile_restricted",
        {19: restricted.seccomp_set, 25: unless_windows(restricted.seccomp_set)},
        instead_of="seccompProfile_baseline",
    ),
)


def violations(level: LevelVersion, metadata: JSONObject, pod: JSONObject) -> list[Violation]:
    minor = LATEST if level.minor is None else min(level.minor, LATEST)
    found = (check(metadata, pod) for check in _checks(level.level, minor))
    return [violation for violation in found if violation is not None]


@cache
def _checks(level: str, minor: int) -> tuple[Check, ...]:
    return tuple(_of(level, minor))


def _of(level: str, minor: int) -> Iterator[Check]:
    if level == "privileged":
        return
    stricter = [rule for rule in _RESTRICTED if level == "restricted" and rule.at(minor) is not None]
    replaced = {rule.instead_of for rule in stricter}
    for rule in (*(each for each in _BASELINE if each.name not in replaced), *stricter):
        check = rule.at(minor)
        if check is not None:
            yield check
