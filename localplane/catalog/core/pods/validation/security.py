"""Security contexts: of a container and of a pod; users, profiles, capabilities and sysctls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
)
from localplane.apimachinery.names import size
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.values import in_range, one_of

from .paths import descending_errors
from .windows import windows_option_errors

JSONObject = Mapping[str, Any]

_ID_MAX = 2**31 - 1
_PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
_PROFILE_PATH_MAX = 4095
_SYSCTL_MAX = 253
_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = rf"({_SEGMENT}[\./])*{_SEGMENT}"
_is_sysctl = re.compile(_SYSCTL).fullmatch
_IPC_SYSCTLS = frozenset(
    f"kernel.{name}"
    for name in ("sem", "shmall", "shmmax", "shmmni", "shm_rmid_forced", "shm", "msgmax", "msgmnb", "msgmni", "msg")
)


def security_context_errors(context: JSONObject | None, path: Path, *, host_users: bool) -> Iterator[FieldError]:
    """Of a container. `host_users`: the pod has no user namespace of its own."""
    if context is None:
        return
    yield from _id_errors(context, path, "runAsUser", "runAsGroup")
    if (mount := context.get("procMount")) is not None:
        if mount not in ("Default", "Unmasked"):
            yield not_supported(path / "procMount", mount, ("Default", "Unmasked"))
        if host_users and mount == "Unmasked":
            yield invalid(path / "procMount", mount, "`hostUsers` must be false to use `Unmasked`")
    yield from seccomp_errors(context.get("seccompProfile"), path / "seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        yield from _escalation_errors(context, path)
    yield from windows_option_errors(context.get("windowsOptions"), path / "windowsOptions")
    yield from apparmor_errors(context.get("appArmorProfile"), path / "appArmorProfile")


def _id_errors(context: JSONObject, path: Path, *fields: str) -> Iterator[FieldError]:
    for field in fields:
        if (number := context.get(field)) is not None:
            yield from in_range(number, 0, _ID_MAX, path / field)


def _escalation_errors(context: JSONObject, path: Path) -> Iterator[FieldError]:
    opening, value = (
        "cannot set `allowPrivilegeEscalation` to false and",
        internal_form(context, "core.SecurityContext"),
    )
    if context.get("privileged"):
        yield invalid(path, value, f"{opening} `privileged` to true")
    for name in (context.get("capabilities") or {}).get("add") or ():
        if name == "CAP_SYS_ADMIN":
            yield invalid(
                path, internal_form(context, "core.SecurityContext"), f"{opening} `capabilities.Add` CAP_SYS_ADMIN"
            )


def pod_security_context_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    context = spec.get("securityContext") or {}
    yield from _id_errors(context, path, "fsGroup", "runAsUser", "runAsGroup")
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        yield from in_range(group, 0, _ID_MAX, (path / "supplementalGroups")[index])
    yield from _sysctl_errors(context, spec, path / "sysctls")
    yield from _choice_errors(context, path, "fsGroupChangePolicy", "Always", "OnRootMismatch")
    yield from seccomp_errors(context.get("seccompProfile"), path / "seccompProfile")
    yield from windows_option_errors(context.get("windowsOptions"), path / "windowsOptions")
    yield from apparmor_errors(context.get("appArmorProfile"), path / "appArmorProfile")
    yield from _choice_errors(context, path, "supplementalGroupsPolicy", "Merge", "Strict")
    yield from _choice_errors(context, path, "seLinuxChangePolicy", "MountOption", "Recursive")


def _choice_errors(context: JSONObject, path: Path, field: str, *choices: str) -> Iterator[FieldError]:
    if (value := context.get(field)) is not None:
        yield from one_of(value, choices, path / field)


def _sysctl_errors(context: JSONObject, spec: JSONObject, path: Path) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, sysctl in enumerate(context.get("sysctls") or ()):
        name, place = sysctl.get("name", ""), path[index] / "name"
        if not name:
            yield required(place)
        elif size(name) > _SYSCTL_MAX or not _is_sysctl(name):
            yield invalid(place, name, f"must have at most {_SYSCTL_MAX} characters and match regex ^{_SYSCTL}$")
        elif name in names:
            yield duplicate(place, name)
        names.add(name)
        namespace = _namespace(name)
        if spec.get("hostNetwork") and namespace == "net":
            yield invalid(place, name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and namespace == "ipc":
            yield invalid(place, name, "may not be specified when 'hostIPC' is true")


def _namespace(sysctl: str) -> str:
    """Which of the host's namespaces a sysctl belongs to. Slashes may stand for dots, told by which comes first."""
    first = next((character for character in sysctl if character in "./"), ".")
    name = sysctl.translate(str.maketrans("./", "/.")) if first == "/" else sysctl
    name = name.partition("*")[0]
    if name in _IPC_SYSCTLS or name.startswith("fs.mqueue."):
        return "ipc"
    return "net" if name.startswith("net.") else ""


def seccomp_errors(profile: JSONObject | None, path: Path) -> Iterator[FieldError]:
    if profile is None:
        return
    kind, file = profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        yield required(path / "type", "type is required when seccompProfile is set")
    elif kind not in _PROFILE_TYPES:
        yield not_supported(path / "type", kind, _PROFILE_TYPES)
    place = path / "localhostProfile"
    if kind != "Localhost":
        if file is not None:
            yield invalid(
                place, internal_form(profile, "core.SeccompProfile"), "can only be set when seccomp type is Localhost"
            )
    elif file is None:
        yield required(place, "must be set when seccomp type is Localhost")
    else:
        yield from descending_errors(file, place)


def apparmor_errors(profile: JSONObject | None, path: Path) -> Iterator[FieldError]:
    if profile is None:
        return
    kind, name = profile.get("type", ""), profile.get("localhostProfile")
    place = path / "localhostProfile"
    if kind == "Localhost":
        yield from _apparmor_name_errors(name, place)
    elif kind in _PROFILE_TYPES:
        if name is not None:
            yield invalid(place, name, "can only be set when AppArmor type is Localhost")
    elif not kind:
        yield required(path / "type", "type is required when appArmorProfile is set")
    else:
        yield not_supported(path / "type", kind, _PROFILE_TYPES)


def _apparmor_name_errors(name: str | None, path: Path) -> Iterator[FieldError]:
    if not name:
        yield required(path, "must be set when AppArmor type is Localhost")
        return
    if name.strip() != name:
        yield invalid(path, name, "must not be padded with whitespace")
    if size(name) > _PROFILE_PATH_MAX:
        yield too_long(path, _PROFILE_PATH_MAX)
