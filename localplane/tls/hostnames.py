"""Whether a certificate is a host's, and what Go says if it is another's. Go: crypto/x509 (VerifyHostname)."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .certificates import Certificate

_MOST_NAMES: Final = 100
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


def is_for(certificate: Certificate, host: str) -> bool:
    address = _address(host)
    if address is not None:
        return address in certificate.addresses
    wanted = host.lower()
    parts = wanted.removesuffix(".").split(".")
    is_name = _is_hostname(wanted.removesuffix("."), pattern=False)
    return any(
        _matches(name.lower(), parts)
        if is_name and _is_hostname(name.lower(), pattern=True)
        else name.lower() == wanted
        for name in certificate.dns_names
        if name not in ("", ".")
    )


def mismatch(certificate: Certificate, host: str) -> str:
    """Go: HostnameError."""
    parts = host.lower().removesuffix(".").split(".")
    if certificate.alternative_names is None and _matches(certificate.common_name.lower(), parts):
        return "x509: certificate relies on legacy Common Name field, use SANs instead"
    if _address(host) is not None:
        if not certificate.addresses:
            return f"x509: cannot validate certificate for {host} because it doesn't contain any IP SANs"
        return _names([str(each) for each in certificate.addresses], "IP SANs", host)
    return _names(certificate.dns_names, "names", host)


def _names(valid: Sequence[str], kind: str, host: str) -> str:
    if len(valid) >= _MOST_NAMES:
        return f"x509: certificate is valid for {len(valid)} {kind}, but none matched {host}"
    if not valid:
        return f"x509: certificate is not valid for any names, but wanted to match {host}"
    return f"x509: certificate is valid for {', '.join(valid)}, not {host}"


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def _is_hostname(name: str, *, pattern: bool) -> bool:
    labels = name.split(".")
    if name == "*":
        return False
    if pattern and labels[0] == "*":
        labels = labels[1:]
    return all(label and not label.startswith("-") and _LETTERS.issuperset(label) for label in labels)


def _matches(pattern: str, parts: Sequence[str]) -> bool:
    labels = pattern.split(".")
    if not pattern or len(labels) != len(parts):
        return False
    return labels[1:] == list(parts[1:]) and labels[0] in ("*", parts[0])
