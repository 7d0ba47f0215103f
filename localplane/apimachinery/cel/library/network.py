"""IP addresses and networks. Upstream: pkg/cel/library/ip.go and cidr.go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import ClassVar

from localplane.apimachinery.cel.declarations import Function, member, overload
from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.types import BOOL, CIDR, INT, IP, STRING, Type
from localplane.apimachinery.cel.values import Extension
from localplane.apimachinery.golang.text import go_quote

from .addresses import InvalidAddress, parse_address, parse_prefix


@dataclass(frozen=True, slots=True)
class IPValue(Extension):
    address: IPv4Address | IPv6Address
    cel_type: ClassVar[Type] = IP

    def __str__(self) -> str:
        return str(self.address)

    def __len__(self) -> int:
        return self.address.max_prefixlen // 8


@dataclass(frozen=True, slots=True)
class CIDRValue(Extension):
    address: IPv4Address | IPv6Address
    bits: int
    cel_type: ClassVar[Type] = CIDR

    def __str__(self) -> str:
        return f"{self.address}/{self.bits}"

    def __len__(self) -> int:
        return math.ceil(self.bits / 8)

    def holds(self, address: IPv4Address | IPv6Address) -> bool:
        if address.version != self.address.version:
            return False
        shift = address.max_prefixlen - self.bits
        return int(address) >> shift == int(self.address) >> shift


def _ip(text: str) -> IPValue:
    try:
        address, zone = parse_address(text)
    except InvalidAddress as error:
        words = f"IP Address {go_quote(text)} parse error during conversion from string: {error}"
        raise EvaluationError(words) from None
    if zone:
        raise EvaluationError(f"IP address {go_quote(text)} with zone value is not allowed")
    _not_mapped(address, text)
    return IPValue(address)


def _not_mapped(address: IPv4Address | IPv6Address, text: str) -> None:
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        raise EvaluationError(f"IPv4-mapped IPv6 address {go_quote(text)} is not allowed")


def _cidr(text: str) -> CIDRValue:
    words = "network address parse error during conversion from string"
    try:
        address, bits = parse_prefix(text)
        _not_mapped(address, text)
    except InvalidAddress as error:
        raise EvaluationError(f"{words}: {words}: {error}") from None
    except EvaluationError as error:
        raise EvaluationError(f"{words}: {error}") from None
    return CIDRValue(address, bits)


def _is_ip(text: str) -> bool:
    try:
        _ip(text)
    except EvaluationError:
        return False
    return True


def _is_cidr(text: str) -> bool:
    try:
        _cidr(text)
    except EvaluationError:
        return False
    return True


def _is_global_unicast(value: IPValue) -> bool:
    address = value.address
    broadcast = address.version == 4 and int(address) == 2**32 - 1
    return not (
        broadcast or address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    )


_LINK_LOCAL_V4 = ip_network("224.0.0.0/24")


def _is_link_local_multicast(value: IPValue) -> bool:
    address = value.address
    if isinstance(address, IPv4Address):
        return address in _LINK_LOCAL_V4
    return int(address) >> 120 == 0xFF and (int(address) >> 112) & 0x0F == 2


def _contains_cidr(one: CIDRValue, other: CIDRValue) -> bool:
    return one.holds(other.address) and one.bits <= other.bits


def _mask(value: CIDRValue) -> CIDRValue:
    shift = value.address.max_prefixlen - value.bits
    kept = int(value.address) >> shift << shift
    make = IPv4Address if value.address.version == 4 else IPv6Address
    return CIDRValue(make(kept), value.bits)


NETWORK: tuple[Function, ...] = (
    Function(
        "ip",
        (
            overload("string_to_ip", (STRING,), IP, _ip),
            member("cidr_ip", (CIDR,), IP, lambda value: IPValue(value.address)),
        ),
    ),
    Function("isIP", (overload("is_ip", (STRING,), BOOL, _is_ip),)),
    Function("ip.isCanonical", (overload("ip_is_canonical", (STRING,), BOOL, lambda text: str(_ip(text)) == text),)),
    Function("family", (member("ip_family", (IP,), INT, lambda value: value.address.version),)),
    Function("isUnspecified", (member("ip_is_unspecified", (IP,), BOOL, lambda value: value.address.is_unspecified),)),
    Function("isLoopback", (member("ip_is_loopback", (IP,), BOOL, lambda value: value.address.is_loopback),)),
    Function("isLinkLocalMulticast", (member("ip_is_link_local_multicast", (IP,), BOOL, _is_link_local_multicast),)),
    Function(
        "isLinkLocalUnicast",
        (member("ip_is_link_local_unicast", (IP,), BOOL, lambda value: value.address.is_link_local),),
    ),
    Function("isGlobalUnicast", (member("ip_is_global_unicast", (IP,), BOOL, _is_global_unicast),)),
    Function("cidr", (overload("string_to_cidr", (STRING,), CIDR, _cidr),)),
    Function("isCIDR", (overload("is_cidr", (STRING,), BOOL, _is_cidr),)),
    Function(
        "containsIP",
        (
            member("cidr_contains_ip_string", (CIDR, STRING), BOOL, lambda a, text: a.holds(_ip(text).address)),
            member("cidr_contains_ip_ip", (CIDR, IP), BOOL, lambda a, b: a.holds(b.address)),
        ),
    ),
    Function(
        "containsCIDR",
        (
            member("cidr_contains_cidr_string", (CIDR, STRING), BOOL, lambda a, text: _contains_cidr(a, _cidr(text))),
            member("cidr_contains_cidr", (CIDR, CIDR), BOOL, _contains_cidr),
        ),
    ),
    Function("prefixLength", (member("cidr_prefix_length", (CIDR,), INT, lambda value: value.bits),)),
    Function("masked", (member("cidr_masked", (CIDR,), CIDR, _mask),)),
)
