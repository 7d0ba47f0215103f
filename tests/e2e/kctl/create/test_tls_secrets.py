"""`kctl create secret tls`: only a certificate and its key become a secret."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


def _certificate(key: Key) -> str:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "web")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
    signed = builder.sign(key, None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256())
    return signed.public_bytes(Encoding.PEM).decode()


def _pem(key: Key, form: PrivateFormat = PrivateFormat.PKCS8, password: str = "") -> str:
    encryption = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, form, encryption).decode()


def _block(kind: str, content: bytes) -> str:
    return f"-----BEGIN {kind}-----\n{base64.b64encode(content).decode()}\n-----END {kind}-----\n"


@pytest.fixture(scope="module")
def pairs(maker: Desk) -> Desk:
    one, other = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    curve = ec.generate_private_key(ec.SECP256R1())
    edwards = ed25519.Ed25519PrivateKey.generate()
    files = {
        "a.crt": _certificate(one),
        "a.key": _pem(one),
        "a-old.key": _pem(one, PrivateFormat.TraditionalOpenSSL),
        "a-locked.key": _pem(one, password="open sesame"),
        "b.key": _pem(other),
        "ec.crt": _certificate(curve),
        "ec.key": _pem(curve),
        "ec-old.key": _pem(curve, PrivateFormat.TraditionalOpenSSL),
        "ed.crt": _certificate(edwards),
        "ed.key": _pem(edwards),
        "chain.crt": _certificate(one) + _certificate(other),
        "text": "nothing\n",
        "no.crt": _block("CERTIFICATE", b"nope"),
        "no.key": _block("PRIVATE KEY", b"nope"),
        "odd": _block("PUBLIC KEY", b"nope"),
    }
    for name, text in files.items():
        maker.write(name, text)
    return maker


@pytest.mark.parametrize(
    ("certificate", "key"),
    [
        ("a.crt", "a.key"),
        ("a.crt", "a-old.key"),
        ("ec.crt", "ec.key"),
        ("ec.crt", "ec-old.key"),
        ("ed.crt", "ed.key"),
        ("chain.crt", "a.key"),
    ],
)
def test_a_pair_becomes_a_secret(pairs: Desk, certificate: str, key: str) -> None:
    line = ("create", "secret", "tls", "t", f"--cert={certificate}", f"--key={key}", "--dry-run=client")
    shown = pairs.run(*line, "-o", "jsonpath={.type} {.data.tls\\.crt} {.data.tls\\.key}")
    data = [base64.b64encode((pairs.directory / name).read_bytes()).decode() for name in (certificate, key)]
    assert shown == Outcome(0, " ".join(["kubernetes.io/tls", *data]), "")


def test_it_is_made_as_other_secrets_are(pairs: Desk) -> None:
    line = ("create", "secret", "tls", "t", "--cert=a.crt", "--key=a.key")
    flags = ("--dry-run=server", "-o", "json", "--show-managed-fields", "--field-manager=me", "--save-config")
    metadata = json.loads(pairs.run(*line, *flags).stdout)["metadata"]
    assert [entry["manager"] for entry in metadata["managedFields"]] == ["me"]
    assert json.loads(metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])["kind"] == "Secret"
    assert "&fieldValidation=Ignore" in pairs.run(*line, "--dry-run=server", "--validate=ignore", "-v=6").stderr
    client = (*line, "--dry-run=client")
    assert pairs.run(*client, "--template={{.type}}") == Outcome(0, "kubernetes.io/tls", "")
    assert pairs.run(*client, "-o", "jsonpath={.nope}").code == 0
    assert pairs.run(*client, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false").code == 1


_NO_CERTIFICATE = (
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following '
    "types: [PUBLIC KEY]"
)
_NO_KEY = (
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the '
    "following types: [PUBLIC KEY]"
)
_SWITCHED = (
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
    "PEM inputs may have been switched"
)


@pytest.mark.parametrize(
    ("certificate", "key", "said"),
    [
        ("nope", "a.key", "Cannot read file nope, open nope: no such file or directory"),
        ("a.crt", ".", "Cannot read file ., read .: is a directory"),
        ("a.crt", "b.key", "tls: private key does not match public key"),
        ("a.crt", "ec.key", "tls: private key type does not match public key type"),
        ("ed.crt", "a.key", "tls: private key type does not match public key type"),
        ("a.key", "a.crt", _SWITCHED),
        ("a.crt", "a.crt", "tls: found a certificate rather than a key in the PEM for the private key"),
        ("text", "a.key", "tls: failed to find any PEM data in certificate input"),
        ("a.crt", "text", "tls: failed to find any PEM data in key input"),
        ("a.crt", "a-locked.key", "tls: failed to parse private key"),
        ("a.crt", "no.key", "tls: failed to parse private key"),
        ("no.crt", "a.key", "x509: malformed certificate"),
        (
            "odd",
            "a.key",
            _NO_CERTIFICATE,
        ),
        (
            "a.crt",
            "odd",
            _NO_KEY,
        ),
    ],
)
def test_what_is_no_pair_is_refused(pairs: Desk, certificate: str, key: str, said: str) -> None:
    done = pairs.run("create", "secret", "tls", "t", f"--cert={certificate}", f"--key={key}")
    assert done == Outcome(1, "", f"error: {said}\n")


def test_both_halves_are_needed(maker: Desk) -> None:
    said = "error: key and cert must be specified\n"
    assert maker.run("create", "secret", "tls", "t", "--cert=a.crt") == Outcome(1, "", said)


def test_a_hash_of_the_pair_goes_behind_the_name(pairs: Desk) -> None:
    line = "create secret tls t --cert=a.crt --key=a.key --append-hash --dry-run=client -o name"
    named = pairs.run(*line.split()).stdout
    assert named.startswith("secret/t-")
    assert pairs.run(*line.replace("a.", "ec.").split()).stdout != named
