"""Which proxy, if any, a request goes through: Go's reading of the environment.

Loopback is never proxied, whatever the environment says. A `proxy-url` in the kubeconfig is a deliberate choice (the
proxy's loopback may be meant) and is taken as it is.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping

from localplane.apimachinery.light_typing import TYPE_CHECKING
from localplane.client.errors import ConfigError
from localplane.client.urls import split

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address


def proxy_for(server: str, *, configured: str = "", environment: Mapping[str, str] | None = None) -> str | None:
    """The proxy's URL. Raises ConfigError for kinds of proxies that we can't talk to."""
    environment = os.environ if environment is None else environment
    proxy = configured or _from_environment(server.partition("://")[0], environment)
    if not proxy:
        return None
    parts = split(server)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if not configured and not _is_proxied(host, port, _variable(environment, "NO_PROXY")):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if split(proxy).scheme not in ("http", "https", "socks5", "socks5h"):
        raise ConfigError(f'unsupported proxy "{proxy}": must be http, https or socks5')
    return proxy


def _from_environment(scheme: str, environment: Mapping[str, str]) -> str:
    return _variable(environment, f"{scheme.upper()}_PROXY")


def _variable(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name) or environment.get(name.lower()) or ""


def _is_proxied(host: str, port: int, exceptions: str) -> bool:
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return False
    rules = [rule.strip().lower() for rule in exceptions.split(",") if rule.strip()]
    return not any(_excepts(rule, host.lower(), port, address) for rule in rules)


def _excepts(rule: str, host: str, port: int, address: IPv4Address | IPv6Address | None) -> bool:
    if rule == "*":
        return True
    if "/" in rule:
        try:
            return address is not None and address in ipaddress.ip_network(rule, strict=False)
        except ValueError:
            return False
    name, colon, wanted = rule.rpartition(":")
    if colon and wanted.isdecimal() and _address(rule) is None:
        if int(wanted) != port:
            return False
        rule = name
    rule = rule.strip("[]")
    if address is not None:
        return _address(rule) == address
    if rule.startswith(("*.", ".")):  # the domain's hosts, not the domain
        return host.endswith(rule.lstrip("*"))
    return host == rule or host.endswith(f".{rule}")


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
