"""Security contexts, of a container and of a pod: users, profiles, capabilities, sysctls, and Windows' own options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.rules import Between, Each, Fields, OneOf

from .names import descending_errors, invalid_each

Placed = Sequence[tuple[Path, JSONObject]]

_SPEC_KIB = 64
_DOMAIN_MAX, _USER_MAX = 256, 104
_has_control = re.compile(r"[\x00-\x1f\x7f]").search
_is_netbios = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}').fullmatch
_DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_is_domain = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*").fullmatch
_has_reserved = re.compile(r'["/\\:;|=,+*?<>@\[\]]').search
_is_dots_and_spaces = re.compile("[. ]+").fullmatch

_LINUX_ONLY_POD = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)
_LINUX_ONLY_SPEC = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")
_LINUX_ONLY_CONTAINER = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)


def windows_option_errors(options: JSONObject | None, path: Path) -> Iterator[FieldError]:
    if options is None:
        return
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        yield from invalid_each(path / "gmsaCredentialSpecName", name, dns1123_subdomain(name))
    if (text := options.get("gmsaCredentialSpec")) is not None:
        if not text:
            yield invalid(path / "gmsaCredentialSpec", text, "gmsaCredentialSpec cannot be an empty string")
        elif size(text) > _SPEC_KIB * 1024:
            place = path / "gmsaCredentialSpec"
            yield invalid(place, text, f"gmsaCredentialSpec size must be under {_SPEC_KIB} KiB")
    if (user := options.get("runAsUserName")) is not None:
        for problem in _user_problems(user):
            yield invalid(path / "runAsUserName", user, f"runAsUserName{problem}")


def _user_problems(text: str) -> Iterator[str]:
    """`DOMAIN\\USER`, or a user alone."""
    if not text:
        yield " cannot be an empty string"
    elif _has_control(text):
        yield " cannot contain control characters"
    elif text.count("\\") > 1:
        yield " cannot contain more than one backslash"
    else:
        domain, backslash, user = text.rpartition("\\")
        if size(domain) >= _DOMAIN_MAX:
            yield f"'s Domain length must be under {_DOMAIN_MAX} characters"
        if backslash and not _is_netbios(domain) and not _is_domain(domain):
            yield "'s Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "'s User cannot be empty"
        elif size(user) > _USER_MAX:
            yield f"'s User length must not be longer than {_USER_MAX} characters"
        if _is_dots_and_spaces(user):
            yield "'s User cannot contain only periods or spaces"
        if _has_reserved(user):
            yield "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"


def _host_process(holder: JSONObject) -> bool | None:
    found: bool | None = ((holder.get("securityContext") or {}).get("windowsOptions") or {}).get("hostProcess")
    return found


def host_process_errors(spec: JSONObject, containers: Placed, path: Path) -> Iterator[FieldError]:
    """Either all of the containers are processes of the host, or none."""
    of_pod = _host_process(spec)
    count = 0
    for place, container in containers:
        own = _host_process(container)
        if of_pod is not None and own is not None and of_pod != own:
            was = "true" if of_pod else "false"
            detail = f"pod hostProcess value must be identical if both are specified, was {was}"
            yield invalid(place / "securityContext" / "windowsOptions" / "hostProcess", own, detail)
        count += bool(of_pod if own is None else own)
    if not count:
        return
    if count != len(containers):
        detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield invalid(path, "", detail)
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        yield invalid(path / "hostNetwork", spec.get("hostNetwork", False), detail)


def os_errors(spec: JSONObject, containers: Placed, path: Path) -> Iterator[FieldError]:
    if spec.get("os") is None:
        return
    match spec["os"].get("name", ""):
        case "":
            yield required(path / "os" / "name")
        case "linux":
            for place, holder in [(path, spec), *containers]:
                if "windowsOptions" in (holder.get("securityContext") or {}):
                    field = place / "securityContext" / "windowsOptions"
                    yield forbidden(field, "windows options cannot be set for a linux pod")
        case "windows":
            yield from _linux_only_errors(spec, containers, path)
        case other:
            yield not_supported(path / "os", other, ("linux", "windows"))


def _linux_only_errors(spec: JSONObject, containers: Placed, path: Path) -> Iterator[FieldError]:
    detail = "cannot be set for a windows pod"
    context = spec.get("securityContext") or {}
    for field in _LINUX_ONLY_POD:
        if field in context:
            yield forbidden(path / "securityContext" / field, detail)
    for field in _LINUX_ONLY_SPEC:
        if field in spec and (spec[field] or field in ("hostUsers", "shareProcessNamespace")):
            yield forbidden(path / field, detail)
    for place, container in containers:
        own = container.get("securityContext") or {}
        for field in _LINUX_ONLY_CONTAINER:
            if field in own:
                yield forbidden(place / "securityContext" / field, detail)


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
    yield from _OF_CONTAINER(context, path)
    if host_users and context.get("procMount") == "Unmasked":
        yield invalid(path / "procMount", "Unmasked", "`hostUsers` must be false to use `Unmasked`")
    yield from seccomp_errors(context.get("seccompProfile"), path / "seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        yield from _escalation_errors(context, path)
    yield from windows_option_errors(context.get("windowsOptions"), path / "windowsOptions")
    yield from apparmor_errors(context.get("appArmorProfile"), path / "appArmorProfile")


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
    yield from _IDS(context, path)
    yield from _sysctl_errors(context, spec, path / "sysctls")
    yield from _OF_POD(context, path)


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


_ID = Between(0, 2**31 - 1)
_IDS = Fields(fsGroup=_ID, runAsUser=_ID, runAsGroup=_ID, supplementalGroups=Each(_ID))
_OF_CONTAINER = Fields(runAsUser=_ID, runAsGroup=_ID, procMount=OneOf("Default", "Unmasked"))
_OF_POD = Fields(
    fsGroupChangePolicy=OneOf("Always", "OnRootMismatch"),
    seccompProfile=seccomp_errors,
    windowsOptions=windows_option_errors,
    appArmorProfile=apparmor_errors,
    supplementalGroupsPolicy=OneOf("Merge", "Strict"),
    seLinuxChangePolicy=OneOf("MountOption", "Recursive"),
)
