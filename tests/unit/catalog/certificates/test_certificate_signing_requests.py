"""Certificate signing requests: who asks, what for, who decides and who issues."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Query, Request, User
from localplane.catalog.certificates.certificate_signing_requests import (
    CertificateSigningRequestApprovalStrategy,
    CertificateSigningRequestStatusStrategy,
    CertificateSigningRequestStrategy,
    certificate_signing_request_cells,
)

KEY = ed25519.Ed25519PrivateKey.generate()
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "someone")])


async def _no_body(_: int) -> bytes:
    return b""


REQUEST = Request(
    "POST",
    "/",
    Query({}),
    {},
    _no_body,
    user=User("jane", uid="7", groups=("a", "b"), extra={"k": ("v",)}),
)


def encoded(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


def request_pem() -> bytes:
    return x509.CertificateSigningRequestBuilder().subject_name(NAME).sign(KEY, None).public_bytes(Encoding.PEM)


def certificate_pem() -> bytes:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(NAME).issuer_name(NAME).public_key(KEY.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    return builder.sign(KEY, None).public_bytes(Encoding.PEM)


def signing_request(**fields: Any) -> JSONObject:
    spec = {"request": encoded(request_pem()), "signerName": "example.com/s", "usages": ["client auth"]} | fields
    metadata = {"name": "x", "uid": "u", "resourceVersion": "1"}
    return {"metadata": metadata, "spec": spec, "status": {}}


def condition(kind: str, status: str = "True") -> JSONObject:
    return {"type": kind, "status": status}


def refused(strategy: Strategy, old: JSONObject, new: JSONObject) -> list[str]:
    changed = cast("JSONObject", copied(new))
    strategy.prepare_for_update(REQUEST, changed, old)
    return [str(error) for error in strategy.validate_update(REQUEST, changed, old)]


EMPTY = b"-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n"


def with_status(**status: Any) -> JSONObject:
    return signing_request() | {"status": status}


def test_who_asks_is_who_sent_it() -> None:
    obj = signing_request(username="root", uid="0", groups=["system:masters"], extra={"x": ["y"]})
    CertificateSigningRequestStrategy().prepare_for_create(REQUEST, obj)
    asked = {name: obj["spec"][name] for name in ("username", "uid", "groups", "extra")}
    assert asked == {"username": "jane", "uid": "7", "groups": ["a", "b"], "extra": {"k": ["v"]}}


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({}, []),
        ({"signerName": "kubernetes.io/kubelet-serving", "expirationSeconds": 600}, []),
        (
            {"request": encoded(b"hello")},
            [f'spec.request: Invalid value: "{encoded(b"hello")}": PEM block type must be CERTIFICATE REQUEST'],
        ),
        ({"request": ""}, ['spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST']),
        ({"request": None}, ["spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST"]),
        (
            {"request": encoded(EMPTY)},
            [f'spec.request: Invalid value: "{encoded(EMPTY)}": asn1: syntax error: sequence truncated'],
        ),
        ({"usages": []}, ["spec.usages: Required value"]),
        (
            {"usages": ["client auth", "client auth"], "expirationSeconds": 599},
            [
                'spec.usages[1]: Duplicate value: "client auth"',
                (
                    "spec.expirationSeconds: Invalid value: 599: "
                    "may not specify a duration less than 600 seconds (10 minutes)"
                ),
            ],
        ),
        (
            {"signerName": "kubernetes.io/legacy-unknown"},
            [
                (
                    'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": '
                    "the legacy signerName is not allowed via this API version"
                )
            ],
        ),
        (
            {"signerName": "example"},
            [
                (
                    'spec.signerName: Invalid value: "example": '
                    "must be a fully qualified domain and path of the form 'example.com/signer-name'"
                )
            ],
        ),
    ],
)
def test_what_is_asked(fields: JSONObject, errors: list[str]) -> None:
    found = CertificateSigningRequestStrategy().validate(REQUEST, signing_request(**fields))
    assert [str(error) for error in found] == errors


def test_an_unknown_usage_is_told_the_known_ones() -> None:
    found = CertificateSigningRequestStrategy().validate(REQUEST, signing_request(usages=["guessing"]))
    assert len(found) == 1
    assert str(found[0]).startswith('spec.usages[0]: Unsupported value: "guessing": supported values: "any", ')


def test_a_signature_of_another_key_is_seen() -> None:
    der = bytearray(x509.load_pem_x509_csr(request_pem()).public_bytes(Encoding.DER))
    der[-1] ^= 1
    pem = b"-----BEGIN CERTIFICATE REQUEST-----\n%s\n-----END CERTIFICATE REQUEST-----\n" % base64.b64encode(der)
    found = CertificateSigningRequestStrategy().validate(REQUEST, signing_request(request=encoded(pem)))
    assert [error.detail for error in found] == ["x509: Ed25519 verification failure"]


def test_the_main_way_changes_nothing_but_metadata() -> None:
    old, new = signing_request(), signing_request(usages=["server auth"]) | {"status": {"certificate": "eA=="}}
    new["metadata"] = old["metadata"] | {"labels": {"a": "b"}}
    changed = cast("JSONObject", copied(new))
    changed["status"] = {}  # as the registry resets it
    strategy = CertificateSigningRequestStrategy()
    strategy.prepare_for_update(REQUEST, changed, old)
    assert changed == old | {"metadata": new["metadata"]}
    assert strategy.validate_update(REQUEST, changed, old) == []


def test_approval_decides_and_stamps_the_time() -> None:
    old, new = signing_request(), with_status(conditions=[condition("Approved")], certificate="eA==")
    strategy = CertificateSigningRequestApprovalStrategy()
    strategy.prepare_for_update(REQUEST, new, old)
    assert strategy.validate_update(REQUEST, new, old) == []
    (approved,) = new["status"]["conditions"]
    assert approved.keys() == {"type", "status", "lastUpdateTime", "lastTransitionTime"}
    assert "certificate" not in new["status"]


@pytest.mark.parametrize(
    ("old", "new", "errors"),
    [
        (
            with_status(conditions=[condition("Approved")]),
            with_status(conditions=[condition("Approved"), condition("Denied")]),
            [
                (
                    'status.conditions: Invalid value: "{conditions[{\\"type\\": \\"Approved\\"}], '
                    'conditions[{\\"type\\": \\"Denied\\"}]}": must specify at most one of: '
                    '`conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`'
                )
            ],
        ),
        (
            with_status(conditions=[condition("Approved")]),
            with_status(),
            ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
        ),
        (
            with_status(),
            with_status(conditions=[condition("Denied", "False"), {}]),
            [
                'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
                "status.conditions[1].type: Required value",
                "status.conditions[1].status: Required value",
            ],
        ),
    ],
)
def test_decisions(old: JSONObject, new: JSONObject, errors: list[str]) -> None:
    assert refused(CertificateSigningRequestApprovalStrategy(), old, new) == errors


@pytest.mark.parametrize(
    ("old", "new", "errors"),
    [
        (with_status(), with_status(certificate=encoded(certificate_pem())), []),
        (
            with_status(),
            with_status(certificate=encoded(b"none")),
            [
                (
                    'status.certificate: Invalid value: "<certificate data>": '
                    "must contain at least one CERTIFICATE PEM block"
                )
            ],
        ),
        (
            with_status(certificate=encoded(certificate_pem())),
            with_status(certificate=encoded(certificate_pem() * 2)),
            ["status.certificate: Forbidden: updates may not modify existing certificate content"],
        ),
        (
            with_status(),
            with_status(conditions=[condition("Approved")]),
            ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
        ),
        (with_status(), with_status(conditions=[condition("Failed")]), []),
    ],
)
def test_issuing(old: JSONObject, new: JSONObject, errors: list[str]) -> None:
    assert refused(CertificateSigningRequestStatusStrategy(), old, new) == errors


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ({}, "Pending"),
        ({"conditions": [condition("Approved")], "certificate": "eA=="}, "Approved,Issued"),
        ({"conditions": [condition("Approved"), condition("Denied"), condition("Failed")]}, "Denied,Failed"),
    ],
)
def test_a_row_tells_the_state(status: JSONObject, state: str) -> None:
    obj = signing_request(username="jane", expirationSeconds=86400) | {"status": status}
    assert certificate_signing_request_cells(obj)[2:] == ["example.com/s", "jane", "24h", state]
