"""IP addresses and CIDR blocks, in the words of Kubernetes' validation.

Old fields (`legacy_*`) take whatever means one address for everybody; new ones ask for the canonical text. What an
object already holds may stay. Reading is lenient first, as Go once was (leading zeros), so that the message can say
what is wrong. Kubernetes: apimachinery/pkg/util/validation/ip.go.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.golang.text import go_quote

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

IPV4, IPV6 = "IPv4", "IPv6"

_OCTET_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_GROUP_ZEROS = re.compile(r"(?<![0-9A-Fa-f])0+(?=[0-9A-Fa-f])")

NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
NO_BLOCK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def parse_ip(text: str) -> Address | None:
    """An address however it is written; an IPv4 one in IPv6 dress is the IPv4 one."""
    found = _lenient(text)
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def _lenient(text: str) -> Address | None:
    if "%" in text:
        return None  # zones are for interfaces
    zeros = _GROUP_ZEROS if ":" in text else _OCTET_ZEROS
    try:
        return ip_address(zeros.sub("", text))
    except ValueError:
        return None


def _strict(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def parse_cidr(text: str) -> Network | None:
    """A block however it is written, host bits dropped."""
    found = _split(text)
    return None if found is None else ip_network(found, strict=False)


def _split(text: str) -> tuple[Address, int] | None:
    """The address and the length of the prefix."""
    before, slash, after = text.partition("/")
    found = _lenient(before)
    if not slash or found is None or not (after.isascii() and after.isdigit()):
        return None
    length = int(after.lstrip("0")[:4] or "0")
    return (found, length) if length <= found.max_prefixlen else None


def family_of(text: str) -> str:
    """`IPv4`, `IPv6`, or nothing for what is no address."""
    found = parse_ip(text)
    return "" if found is None else IPV4 if found.version == 4 else IPV6


def legacy_ip_errors(text: str, path: Path, *, known: Collection[str] = ()) -> list[FieldError]:
    """Kubernetes: IsValidIPForLegacyField. `known` were accepted before."""
    return [] if text in known else _ip_errors(text, path)


def _ip_errors(text: str, path: Path) -> list[FieldError]:
    found = _lenient(text)
    if found is None:
        return [invalid(path, text, NO_ADDRESS)]
    if _strict(text) is None:
        return [invalid(path, text, "must not have leading 0s")]
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        return [invalid(path, text, "must not be an IPv4-mapped IPv6 address")]
    return []


def ip_errors(text: str, path: Path) -> list[FieldError]:
    """Kubernetes: IsValidIP."""
    errors = _ip_errors(text, path)
    canonical = str(parse_ip(text))
    if not errors and text != canonical:
        errors.append(invalid(path, text, f"must be in canonical form ({go_quote(canonical)})"))
    return errors


def ip_warnings(text: str, path: Path) -> list[str]:
    """Kubernetes: GetWarningsForIP."""
    found, strict = parse_ip(text), _strict(text)
    if found is None:
        return []
    if strict is None or strict.version != found.version:
        return [f"{path}: non-standard IP address {go_quote(text)} is invalid: use {go_quote(str(found))}"]
    if found.version == 6 and str(found) != text:
        form = f"RFC 5952 canonical format ({go_quote(str(found))})"
        return [f"{path}: IPv6 address {go_quote(text)} should be in {form}"]
    return []


def legacy_cidr_errors(text: str, path: Path, *, known: Collection[str] = ()) -> list[FieldError]:
    """Kubernetes: IsValidCIDRForLegacyField."""
    return [] if text in known else _cidr_errors(text, path)


def _cidr_errors(text: str, path: Path) -> list[FieldError]:
    found = _split(text)
    if found is None:
        return [invalid(path, text, NO_BLOCK)]
    if _has_zeros(text):
        return [invalid(path, text, "must not have leading 0s in IP or prefix length")]
    address = found[0]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return [invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    if ip_network(found, strict=False).network_address != address:
        return [invalid(path, text, "must not have bits set beyond the prefix length")]
    return []


def _has_zeros(text: str) -> bool:
    """Zeros in front that today's readers refuse."""
    before, _, after = text.partition("/")
    return _strict(before) is None or (len(after) > 1 and after.startswith("0"))


def cidr_errors(text: str, path: Path) -> list[FieldError]:
    """Kubernetes: IsValidCIDR."""
    errors = _cidr_errors(text, path)
    canonical = str(parse_cidr(text))
    if not errors and text != canonical:
        errors.append(invalid(path, text, f"must be in canonical form ({go_quote(canonical)})"))
    return errors


def cidr_warnings(text: str, path: Path) -> list[str]:
    """Kubernetes: GetWarningsForCIDR."""
    found = _split(text)
    if found is None:
        return []
    address, network, quoted = found[0], ip_network(found, strict=False), go_quote(text)
    warnings = []
    if network.network_address != address:
        single = go_quote(f"{address}/{address.max_prefixlen}")
        should = f"should be {go_quote(str(network))} or {single}?"
        warnings.append(f"{path}: CIDR value {quoted} is ambiguous in this context ({should})")
    if _has_zeros(text) or (isinstance(address, IPv6Address) and address.ipv4_mapped is not None):
        warnings.append(f"{path}: non-standard CIDR value {quoted} is invalid: use {go_quote(str(network))}")
    if not warnings and network.version == 6 and str(network) != text:
        form = f"RFC 5952 canonical format ({go_quote(str(network))})"
        warnings.append(f"{path}: IPv6 CIDR value {quoted} should be in {form}")
    return warnings


def endpoint_ip_errors(text: str, path: Path) -> Iterator[FieldError]:
    """Where traffic may go. Kubernetes: pkg/apis/core/validation, ValidateEndpointIP."""
    found = parse_ip(text)
    if found is None:
        yield invalid(path, text, "must be a valid IP address")
        return
    if found.is_unspecified:
        yield invalid(path, text, f"may not be unspecified ({text})")
    if found.is_loopback:
        yield invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if found.is_link_local:
        yield invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if _is_link_local_multicast(found):
        yield invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")


def _is_link_local_multicast(address: Address) -> bool:
    packed = address.packed
    if address.version == 4:
        return packed[:3] == b"\xe0\x00\x00"
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02
