"""Trust bundles, and the life of a pod's request for a certificate."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.catalog.certificates import issuance
from localplane.catalog.certificates.cluster_trust_bundles import CLUSTER_TRUST_BUNDLES
from localplane.catalog.certificates.pod_certificate_requests import (
    POD_CERTIFICATE_REQUESTS,
    pod_certificate_request_cells,
)
from tests.unit.catalog import writing
from tests.unit.catalog.judging import change_refusals, made, refusals

KEY = ed25519.Ed25519PrivateKey.generate()
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands still: these tests were collected some minutes ago, and a certificate must begin about now."""
    monkeypatch.setattr(issuance, "present", lambda: NOW)


BUNDLE = 'spec.trustBundle: Invalid value: "<value omitted>": '


def certificate(*, is_authority: bool = False, hours: int = 2) -> str:
    builder = x509.CertificateBuilder().subject_name(NAME).issuer_name(NAME).public_key(KEY.public_key())
    builder = builder.serial_number(1).not_valid_before(NOW).not_valid_after(NOW + timedelta(hours=hours))
    if is_authority:
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return builder.sign(KEY, None).public_bytes(Encoding.PEM).decode()


AUTHORITY = certificate(is_authority=True)


def bundle(text: str, signer: str = "", name: str = "x") -> JSONObject:
    return {"metadata": {"name": name}, "spec": {"signerName": signer, "trustBundle": text}}


@pytest.mark.parametrize(
    ("obj", "errors"),
    [
        (bundle(AUTHORITY), []),
        (bundle(f"some words\n{AUTHORITY}", "example.com/s", "example.com:s:x"), []),
        (bundle(""), [f"{BUNDLE}at least one trust anchor must be provided"]),
        (bundle(certificate()), [f"{BUNDLE}entry 0 does not have the CA bit set"]),
        (bundle(AUTHORITY * 2), [f"{BUNDLE}duplicate trust anchor (indices [0 1])"]),
        (
            bundle("-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n"),
            [f"{BUNDLE}entry 0 does not parse as X.509"],
        ),
        (
            bundle(f"{AUTHORITY}-----BEGIN KEY-----\neA==\n-----END KEY-----\n"),
            [f"{BUNDLE}entry 1 has bad block type: KEY"],
        ),
        (
            bundle(AUTHORITY, "example.com/s"),
            [
                (
                    'metadata.name: Invalid value: "x": ClusterTrustBundle for signerName example.com/s must be named '
                    "with prefix example.com:s:"
                )
            ],
        ),
        (
            bundle(AUTHORITY, name="a:b"),
            [
                (
                    'metadata.name: Invalid value: "a:b": '
                    'ClusterTrustBundle without signer name must not have ":" in its name'
                )
            ],
        ),
    ],
)
def test_bundles(obj: JSONObject, errors: list[str]) -> None:
    assert refusals(CLUSTER_TRUST_BUNDLES, obj) == errors


def test_a_bundle_that_stays_is_not_parsed_again() -> None:
    assert change_refusals(CLUSTER_TRUST_BUNDLES, bundle("old"), bundle("old")) == []
    assert len(change_refusals(CLUSTER_TRUST_BUNDLES, bundle("old"), bundle("new"))) == 1


def stub(key: Any = KEY, algorithm: Any = None) -> str:
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, algorithm)
    return base64.b64encode(request.public_bytes(Encoding.DER)).decode()


def pod_request(**fields: Any) -> JSONObject:
    names = {f"{owner}{what}": owner.lower() for owner in ("pod", "serviceAccount", "node") for what in ("Name", "UID")}
    return {"spec": names | {"signerName": "example.com/s", "stubPKCS10Request": stub()} | fields}


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({}, []),
        (
            {"maxExpirationSeconds": 60, "nodeUID": ""},
            [
                'spec.nodeUID: Invalid value: "": must not be empty',
                "spec.maxExpirationSeconds: Invalid value: 60: must be in the range [3600, 7862400]",
            ],
        ),
        (
            {"signerName": "kubernetes.io/x", "maxExpirationSeconds": 86401},
            ["spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]"],
        ),
        (
            {"stubPKCS10Request": ""},
            [
                (
                    "spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) "
                    "must "
                    "be set"
                )
            ],
        ),
        ({"stubPKCS10Request": "eA=="}, ["spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR"]),
        (
            {"stubPKCS10Request": stub(ec.generate_private_key(ec.SECP224R1()), SHA256())},
            [
                (
                    'spec.stubPKCS10Request: Invalid value: "curve P-224": '
                    "elliptic public keys must use curve P256, P384, or P521"
                )
            ],
        ),
        (
            {"unverifiedUserAnnotations": {"plain": "v"}},
            [
                (
                    'spec.unverifiedUserAnnotations: Invalid value: "plain": '
                    'must be a domain-prefixed key (such as "acme.io/foo")'
                )
            ],
        ),
    ],
)
def test_pod_requests(fields: JSONObject, errors: list[str]) -> None:
    assert refusals(POD_CERTIFICATE_REQUESTS, pod_request(**fields)) == errors


def answer(kind: str, **fields: Any) -> JSONObject:
    moment = format_time(NOW)
    condition = {"type": kind, "status": "True", "reason": "R", "message": "", "lastTransitionTime": moment}
    return {"conditions": [condition], **fields}


def issued(chain: str, *, hours: int = 2, **fields: Any) -> JSONObject:
    times = {"notBefore": NOW, "notAfter": NOW + timedelta(hours=hours), "beginRefreshAt": NOW + timedelta(minutes=30)}
    shown = {name: format_time(moment) for name, moment in times.items()}
    return answer("Issued", certificateChain=chain, **shown | fields)


@pytest.mark.parametrize(
    ("before", "after", "errors"),
    [
        ({}, issued(certificate()), []),
        ({}, answer("Denied"), []),
        (
            {},
            answer("Denied", certificateChain="x"),
            [
                (
                    "status: Invalid value: non-condition status fields must be empty when denying or failing the "
                    "PodCertificateRequest"
                )
            ],
        ),
        (
            answer("Failed"),
            issued(certificate()),
            ["status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed"],
        ),
        (
            {},
            {"certificateChain": "x"},
            ['status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"'],
        ),
        (
            {},
            issued(certificate(), beginRefreshAt=format_time(NOW)),
            [
                (
                    f'status.beginRefreshAt: Invalid value: "{format_time(NOW)}": '
                    "must be at least 10 minutes after status.notBefore"
                )
            ],
        ),
        (
            {},
            issued(certificate(hours=25), hours=25),
            [
                (
                    "status.certificateChain: Invalid value: 90000000000000: "
                    "leaf certificate lifetime must be <= spec.maxExpirationSeconds (86400)"
                )
            ],
        ),
        (
            {},
            answer("Guessed"),
            [
                (
                    'status.conditions.[0].type: Unsupported value: "Guessed": '
                    'supported values: "Issued", "Denied", "Failed"'
                )
            ],
        ),
    ],
)
def test_answers(before: JSONObject, after: JSONObject, errors: list[str]) -> None:
    old = made(POD_CERTIFICATE_REQUESTS, pod_request()) | {"status": before}
    assert writing.status_refusals(POD_CERTIFICATE_REQUESTS, old, after) == errors


def test_a_row_tells_the_state() -> None:
    obj = {"metadata": {"name": "x"}, **pod_request(), "status": answer("Denied")}
    assert pod_certificate_request_cells(obj)[1:] == [
        "pod",
        "serviceaccount",
        "node",
        "example.com/s",
        "Denied",
        "<none>",
    ]
