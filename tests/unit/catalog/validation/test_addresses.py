"""Addresses and blocks, as strictly as Kubernetes reads them, and in its words."""

from __future__ import annotations

import pytest

from localplane.apimachinery.fieldpath import Path
from localplane.catalog.validation.addresses import (
    NO_ADDRESS,
    NO_BLOCK,
    cidr_errors,
    cidr_warnings,
    endpoint_ip_errors,
    family_of,
    ip_errors,
    ip_warnings,
    legacy_cidr_errors,
    legacy_ip_errors,
)

AT = Path("ip")
MAPPED = "must not be an IPv4-mapped IPv6 address"


@pytest.mark.parametrize(
    ("text", "legacy", "strict"),
    [
        ("10.0.0.1", [], []),
        ("fd00::1", [], []),
        ("FD00:0::1", [], ['must be in canonical form ("fd00::1")']),
        ("010.0.0.1", ["must not have leading 0s"], ["must not have leading 0s"]),
        ("fd00::00001", ["must not have leading 0s"], ["must not have leading 0s"]),
        ("::ffff:1.2.3.4", [MAPPED], [MAPPED]),
        *((text, [NO_ADDRESS], [NO_ADDRESS]) for text in ("", "x", "1.2.3", "1.2.3.256", "fe80::1%eth0", "1.2.3.4/8")),
    ],
)
def test_addresses(text: str, legacy: list[str], strict: list[str]) -> None:
    assert [error.detail for error in legacy_ip_errors(text, AT)] == legacy
    assert [error.detail for error in ip_errors(text, AT)] == strict
    assert legacy_ip_errors(text, AT, known=[text]) == []


@pytest.mark.parametrize(
    ("text", "legacy", "strict"),
    [
        ("10.0.0.0/8", [], []),
        ("0.0.0.0/0", [], []),
        ("FD00::/64", [], ['must be in canonical form ("fd00::/64")']),
        ("10.0.0.1/8", ["must not have bits set beyond the prefix length"], None),
        ("10.0.0.0/08", ["must not have leading 0s in IP or prefix length"], None),
        ("010.0.0.0/8", ["must not have leading 0s in IP or prefix length"], None),
        ("::ffff:1.2.3.0/120", ["must not have an IPv4-mapped IPv6 address"], None),
        *((text, [NO_BLOCK], None) for text in ("", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "x/8", "10.0.0.0/")),
    ],
)
def test_blocks(text: str, legacy: list[str], strict: list[str] | None) -> None:
    assert [error.detail for error in legacy_cidr_errors(text, AT)] == legacy
    assert [error.detail for error in cidr_errors(text, AT)] == (legacy if strict is None else strict)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.0.0.1", []),
        ("010.0.0.1", ['ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']),
        ("::ffff:1.2.3.4", ['ip: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"']),
        ("FD00::1", ['ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")']),
    ],
)
def test_warnings_about_addresses(text: str, found: list[str]) -> None:
    assert ip_warnings(text, AT) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.0.0.0/8", []),
        (
            "10.0.0.1/8",
            ['ip: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
        ),
        ("10.0.0.0/08", ['ip: non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"']),
        ("FD00::/64", ['ip: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")']),
    ],
)
def test_warnings_about_blocks(text: str, found: list[str]) -> None:
    assert cidr_warnings(text, AT) == found


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("10.0.0.1", ""),
        ("224.1.0.1", ""),
        ("0.0.0.0", "unspecified (0.0.0.0)"),
        ("127.9.9.9", "loopback"),
        ("::1", "loopback"),
        ("169.254.1.1", "link-local range"),
        ("fe80::1", "link-local range"),
        ("224.0.0.251", "link-local multicast"),
        ("ff02::fb", "link-local multicast"),
        ("bad", "must be a valid IP address"),
    ],
)
def test_where_traffic_may_go(text: str, word: str) -> None:
    errors = [error.detail for error in endpoint_ip_errors(text, AT)]
    assert len(errors) == bool(word)
    assert all(word in error for error in errors)


def test_families() -> None:
    assert [family_of(text) for text in ("1.2.3.4", "fd00::1", "::ffff:1.2.3.4", "x")] == ["IPv4", "IPv6", "IPv4", ""]
