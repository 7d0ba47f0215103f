"""Users from certificates."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.authentication.client_certificate import user_of
from localplane.apiserver.authentication.der import MalformedDER, object_identifier

COMMON_NAME, ORGANIZATION, COUNTRY = b"\x55\x04\x03", b"\x55\x04\x0a", b"\x55\x04\x06"
UID = bytes.fromhex("2b0601040183c25302")
UTF8, PRINTABLE, BMP, TELETEX, OCTETS = 0x0C, 0x13, 0x1E, 0x14, 0x04


def tlv(tag: int, *contents: bytes) -> bytes:
    content = b"".join(contents)
    if len(content) < 0x80:
        return bytes((tag, len(content))) + content
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def attribute(kind: bytes, value: bytes, tag: int = UTF8) -> bytes:
    return tlv(0x30, tlv(0x06, kind), tlv(tag, value))


def certificate(*sets: bytes, version: bool = True) -> bytes:
    """Just a subject: nothing else is read."""
    subject = tlv(0x30, *(tlv(0x31, each) for each in sets))
    fields = [tlv(0xA0, tlv(0x02, b"\x02"))] if version else []
    fields += [tlv(0x02, b"\x01"), tlv(0x30), tlv(0x30, tlv(0x31, attribute(COMMON_NAME, b"the issuer"))), tlv(0x30)]
    return tlv(0x30, tlv(0x30, *fields, subject, tlv(0x30)), tlv(0x30), tlv(0x03, b"\x00"))


def test_the_common_name_is_the_user_and_organizations_are_groups() -> None:
    der = certificate(
        attribute(ORGANIZATION, b"system:masters"), attribute(COUNTRY, b"CH"), attribute(COMMON_NAME, b"admin")
    )
    user = user_of(der)
    assert user is not None
    assert (user.name, user.uid, user.groups) == ("admin", "", ("system:masters",))
    assert user.extra == {
        "authentication.kubernetes.io/credential-id": (f"X509SHA256={hashlib.sha256(der).hexdigest()}",)
    }


def test_several_attributes_may_share_a_set_or_not() -> None:
    together = attribute(ORGANIZATION, b"a") + attribute(ORGANIZATION, b"b")
    user = user_of(certificate(together, attribute(ORGANIZATION, b"c"), attribute(COMMON_NAME, b"u")))
    assert user is not None
    assert user.groups == ("a", "b", "c")


@pytest.mark.parametrize(
    ("tag", "value", "text"),
    [
        (UTF8, "Zoë".encode(), "Zoë"),
        (PRINTABLE, b"zoe", "zoe"),
        (BMP, "Zoë".encode("utf-16-be"), "Zoë"),
        (TELETEX, b"Zo\xeb", "Zoë"),
    ],
)
def test_names_come_in_several_encodings(tag: int, value: bytes, text: str) -> None:
    user = user_of(certificate(attribute(COMMON_NAME, value, tag), version=False))
    assert user is not None
    assert user.name == text


def test_without_a_common_name_it_is_nobody() -> None:
    assert user_of(certificate(attribute(ORGANIZATION, b"system:masters"))) is None
    assert user_of(certificate()) is None


def test_of_several_common_names_the_last_counts() -> None:
    user = user_of(certificate(attribute(COMMON_NAME, b"a"), attribute(COMMON_NAME, b"b")))
    assert user is not None
    assert user.name == "b"


def test_a_uid_may_be_there_once() -> None:
    name = attribute(COMMON_NAME, b"u")
    user = user_of(certificate(name, attribute(UID, b"42")))
    assert user is not None
    assert user.uid == "42"
    for uids in ((b"1", b"2"), (b"",)):
        with pytest.raises(MalformedDER):
            user_of(certificate(name, *(attribute(UID, uid) for uid in uids)))


NAMED = certificate(attribute(COMMON_NAME, b"u"))


@pytest.mark.parametrize(
    "der",
    [
        b"",
        b"\x30",
        b"\x30\x80\x00\x00",
        b"\x30\x81\x05aaaaa",
        b"\x30\x85\x00\x00\x00\x00\x01a",
        b"\x1f\x01\x00",
        NAMED[:-1],
        NAMED + b"\x00",
        NAMED + NAMED,
        certificate(tlv(0x30, tlv(0x06, COMMON_NAME), b"\x0c\x81\x01u")),
        certificate(tlv(0x30, tlv(0x06, COMMON_NAME), b"\x0c\x82\x00\x80" + b"u" * 128)),
        certificate(attribute(COMMON_NAME, b"\xff")),
        certificate(attribute(COMMON_NAME, b"u", OCTETS)),
        certificate(attribute(COMMON_NAME, b"a", BMP)),
        certificate(tlv(0x30, tlv(0x06, COMMON_NAME))),
        certificate(tlv(0x30, tlv(0x06, b""), tlv(UTF8, b"u"))),
        certificate(tlv(0x31, tlv(0x06, COMMON_NAME), tlv(UTF8, b"u"))),
        tlv(0x30, tlv(0x30), tlv(0x30), tlv(0x03, b"\x00")),
    ],
)
def test_what_is_no_certificate_is_refused(der: bytes) -> None:
    with pytest.raises(MalformedDER):
        user_of(der)


@given(st.data())
def test_whatever_is_sent_it_is_read_or_refused(data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(NAMED) - 1))
    changed = bytearray(NAMED)
    changed[position] = data.draw(st.integers(0, 255))
    with suppress(MalformedDER):
        user_of(bytes(changed))


@pytest.mark.parametrize(
    ("data", "expected"), [(b"\x55\x04\x03", "2.5.4.3"), (UID, "1.3.6.1.4.1.57683.2"), (b"\x88\x37\x03", "2.999.3")]
)
def test_object_identifiers_are_numbers(data: bytes, expected: str) -> None:
    assert object_identifier(data) == expected


@pytest.mark.parametrize("data", [b"", b"\x55\x84", b"\x55\x80\x01"])
def test_odd_object_identifiers_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedDER):
        object_identifier(data)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_real_certificate_is_read(tmp_path: Path) -> None:
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-utf8",
            "-keyout",
            tmp_path / "key.pem",
            "-out",
            tmp_path / "cert.pem",
            "-days",
            "1",
            "-subj",
            "/C=CH/O=system:masters/O=dévs/CN=kube-admin",
        ],
        check=True,
        capture_output=True,
    )
    pem = (tmp_path / "cert.pem").read_text().splitlines()
    user = user_of(base64.b64decode("".join(pem[1:-1])))
    assert user is not None
    assert (user.name, user.groups) == ("kube-admin", ("system:masters", "dévs"))
