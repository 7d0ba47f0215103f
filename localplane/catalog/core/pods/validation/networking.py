"""A pod's names and addresses: DNS, host aliases, host names, and what the host's network asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required, too_long
from localplane.apimachinery.names import size
from localplane.catalog.validation.addresses import legacy_ip_errors

from .names import invalid_each, label_errors, subdomain_errors, underscored_subdomain

JSONObject = Mapping[str, Any]

_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_SERVERS_MAX, _SEARCHES_MAX, _SEARCH_CHARACTERS_MAX = 3, 32, 2048
_HOSTNAME_MAX = 64


def dns_policy_errors(policy: str, path: Path) -> list[FieldError]:
    if not policy:
        return [required(path)]
    return [] if policy in _POLICIES else [not_supported(path, policy, _POLICIES)]


def dns_config_errors(config: JSONObject | None, policy: str, path: Path) -> Iterator[FieldError]:
    """With the policy `None` everything comes from here."""
    if policy == "None":
        if config is None:
            yield required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield required(path / "nameservers", detail)
            return
    if config is None:
        return
    servers = config.get("nameservers") or []
    if len(servers) > _SERVERS_MAX:
        yield invalid(path / "nameservers", servers, f"must not have more than {_SERVERS_MAX} nameservers")
    for index, server in enumerate(servers):
        yield from legacy_ip_errors(server, (path / "nameservers")[index])
    yield from _search_errors(config.get("searches") or [], path / "searches")
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield required((path / "options")[index], "must not be empty")


def _search_errors(searches: list[str], path: Path) -> Iterator[FieldError]:
    if len(searches) > _SEARCHES_MAX:
        yield invalid(path, searches, f"must not have more than {_SEARCHES_MAX} search paths")
    if size(" ".join(searches)) > _SEARCH_CHARACTERS_MAX:
        bound = f"must not have more than {_SEARCH_CHARACTERS_MAX} characters (including spaces) in the search list"
        yield invalid(path, searches, bound)
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            yield from invalid_each(path[index], domain, underscored_subdomain(domain))


def host_alias_errors(aliases: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    for index, alias in enumerate(aliases):
        yield from legacy_ip_errors(alias.get("ip", ""), path[index] / "ip")
        for number, name in enumerate(alias.get("hostnames") or ()):
            yield from subdomain_errors(name, (path[index] / "hostnames")[number])


def host_network_errors(spec: JSONObject, path: Path, *, is_pod: bool) -> Iterator[FieldError]:
    """On the host's network a container's port is the host's. A template may leave the host's out."""
    if not spec.get("hostNetwork"):
        return
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            outer, inner = port.get("hostPort", 0), port.get("containerPort", 0)
            if (is_pod or outer) and outer != inner:
                place = ((path / "containers")[index] / "ports")[number] / "hostPort"
                yield invalid(place, outer, "must match `containerPort` when `hostNetwork` is true")


def host_user_errors(
    spec: JSONObject, containers: Sequence[tuple[Path, JSONObject]], path: Path
) -> Iterator[FieldError]:
    """A user namespace of its own goes with no other namespace of the host."""
    if spec.get("hostUsers") is not False:
        return
    for field, called in {"hostNetwork": "hostNetwork", "hostPID": "HostPID", "hostIPC": "HostIPC"}.items():
        if spec.get(field):
            yield forbidden(path / called, "when `hostUsers` is false")
    for place, container in containers:
        if container.get("volumeDevices"):
            yield forbidden(place / "volumeDevices", "when `hostUsers` is false")


def hostname_override_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    name, place = spec.get("hostnameOverride"), path / "hostnameOverride"
    if name is None:
        return
    if spec.get("setHostnameAsFQDN"):
        yield forbidden(place, "may not be specified when setHostnameAsFQDN is true")
    if spec.get("hostNetwork"):
        yield forbidden(place, "may not be specified when hostNetwork is true")
    if size(name) > _HOSTNAME_MAX:
        yield too_long(place, _HOSTNAME_MAX)
    yield from subdomain_errors(name, place)


def hostname_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    for field in ("hostname", "subdomain"):
        if name := spec.get(field):
            yield from label_errors(name, path / field)
