"""Formats of text, as Kubernetes decides them."""

from __future__ import annotations

import pytest

from localplane.apimachinery.schema.validation.formats import FORMATS, effective_format, has_format

GOOD = {
    "bsonobjectid": ["507f1f77bcf86cd799439011"],
    "uri": ["https://example.com/a?b#c", "/path", "mailto:a@b.c", "http://[::1]:80/"],
    "email": ["a@b.c", "Ann <ann@example.com>"],
    "hostname": ["example.com", "a", "a-b", "xn--4ca.example.org", "straße.de", "1host"],
    "ipv4": ["10.0.0.1", "010.0.0.1", "::ffff:1.2.3.4"],
    "ipv6": ["::1", "2001:db8::8a2e", "::ffff:1.2.3.4"],
    "cidr": ["10.0.0.0/8", "2001:db8::/32", "1.2.3.4/32"],
    "mac": ["01:23:45:67:89:ab", "0123.4567.89ab", "01-23-45-67-89-ab-cd-ef"],
    "uuid": ["7c9e6679-7425-40de-944b-e07fc1f90ae7", "7C9E6679742540DE944BE07FC1F90AE7"],
    "uuid3": ["bcdf1b5d-3b4c-3f8e-8f7f-0a1b2c3d4e5f"],
    "uuid4": ["7c9e6679-7425-40de-944b-e07fc1f90ae7"],
    "uuid5": ["74738ff5-5367-5958-9aee-98fffdcd1876"],
    "isbn": ["0321751043", "978-0321751041"],
    "isbn10": ["0321751043", "080442957X"],
    "isbn13": ["978-0321751041"],
    "creditcard": ["4111-1111-1111-1111"],
    "ssn": ["111-11-1111", "111 11 1111"],
    "hexcolor": ["#fff", "ABCDEF"],
    "rgbcolor": ["rgb(0,10, 255)"],
    "byte": ["YWI=", "YWJj"],
    "password": ["anything", ""],
    "date": ["2024-02-29", "0000-02-29"],
    "duration": ["1h30m", "22 ns", "3 days", "5 WEEKS"],
    "datetime": ["2024-01-02T03:04:05Z", "2024-01-02t03:04:05.678+01:00"],
    "k8sshortname": ["a", "a-1"],
    "k8slongname": ["a.b-c", "a" * 253],
}
BAD = {
    "bsonobjectid": ["507f1f77bcf86cd79943901"],
    "uri": ["example.com", "", "a b", "http://host/%zz", "http://host:port/"],
    "email": ["a", "a@", "@b", "a b@c"],
    "hostname": ["", "-a", "a_b", "a-b-c", "a.b", "a..com", "example.c0m", f"{'a' * 64}.com"],
    "ipv4": ["256.0.0.1", "1.2.3", "::1", "a"],
    "ipv6": ["1.2.3.4", ":::", "fe80::1%eth0"],
    "cidr": ["10.0.0.0", "10.0.0.0/33", "x/8", "::/129"],
    "mac": ["01:23:45:67:89", "01:23-45:67:89:ab", "g1:23:45:67:89:ab"],
    "uuid": ["7c9e6679-7425-40de-944b-e07fc1f90ae", "x"],
    "uuid3": ["7c9e6679-7425-40de-944b-e07fc1f90ae7"],
    "uuid4": ["74738ff5-5367-5958-9aee-98fffdcd1876"],
    "uuid5": ["7c9e6679-7425-40de-144b-e07fc1f90ae7"],
    "isbn": ["0321751044"],
    "isbn10": ["978-0321751041"],
    "isbn13": ["978-0321751042"],
    "creditcard": ["4111-1111-1111-1112", "5"],
    "ssn": ["111111111", "111-11-11111"],
    "hexcolor": ["#ffff"],
    "rgbcolor": ["rgb(256,0,0)"],
    "byte": ["", "YWI", "YW-_"],
    "date": ["2023-02-29", "2024-1-2", "2024-01-02T00:00:00Z"],
    "duration": ["", "soon", "5"],
    "datetime": ["2024-01-02", "2024-01-02T24:00:00Z", "2024-01-02T03:04:05"],
    "k8sshortname": ["", "A", "-a", "a" * 64],
    "k8slongname": ["a..b", "a" * 254],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in GOOD.items() for text in texts])
def test_a_text_has_the_format(name: str, text: str) -> None:
    assert FORMATS[name](text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts])
def test_a_text_has_not_the_format(name: str, text: str) -> None:
    assert not FORMATS[name](text)


def test_every_format_is_tried() -> None:
    assert GOOD.keys() == FORMATS.keys()


def test_dashes_in_a_format_s_name_don_t_count() -> None:
    assert not has_format("x", "date-time")
    assert effective_format("string", "k8s-short-name") == "k8s-short-name"


@pytest.mark.parametrize(
    ("type_", "format_"), [("integer", "date"), ("object", "byte"), ("string", "int32"), ("number", "int64")]
)
def test_a_format_of_another_type_is_none(type_: str, format_: str) -> None:
    assert effective_format(type_, format_) == ""
