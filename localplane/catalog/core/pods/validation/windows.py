"""Windows: its own options, host processes, and what one system's pods may not say that the other's may."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain, size

from .names import invalid_each

JSONObject = Mapping[str, Any]
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
