"""Does a certificate belong to a private key? In the words of Go's tls.X509KeyPair, which clients see as warnings."""

from __future__ import annotations

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificate

from localplane.catalog.certificates.pem import blocks


def key_pair_problem(certificate: bytes, key: bytes) -> str:
    """What is wrong with the pair; nothing if it would serve."""
    problem = _certificate_problem(certificate) or _key_problem(key)
    return problem or _pair_problem(certificate, key)


def _kinds(pem: bytes) -> list[str]:
    return [block.kind for block in blocks(pem)]


def _certificate_problem(pem: bytes) -> str:
    kinds = _kinds(pem)
    if not kinds:
        return "tls: failed to find any PEM data in certificate input"
    if "CERTIFICATE" in kinds:
        return ""
    if len(kinds) == 1 and kinds[0].endswith("PRIVATE KEY"):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may "
            "have been switched"
        )
    shown = " ".join(kinds)
    return (
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following '
        f"types: [{shown}]"
    )


def _key_problem(pem: bytes) -> str:
    kinds = _kinds(pem)
    if not kinds:
        return "tls: failed to find any PEM data in key input"
    if any(kind == "PRIVATE KEY" or kind.endswith(" PRIVATE KEY") for kind in kinds):
        return ""
    if kinds == ["CERTIFICATE"]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    shown = " ".join(kinds)
    return (
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the '
        f"following types: [{shown}]"
    )


def _pair_problem(certificate: bytes, key: bytes) -> str:
    """Imported here: few Secrets hold certificates, and the library is a large one."""
    try:
        public = load_pem_x509_certificate(certificate).public_key()
    except (ValueError, UnsupportedAlgorithm):
        return "x509: malformed certificate"
    try:
        private = load_pem_private_key(key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "tls: failed to parse private key"
    return "" if private.public_key() == public else "tls: private key does not match public key"
