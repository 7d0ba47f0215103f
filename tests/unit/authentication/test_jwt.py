"""Signed tokens: each kind of key signs what it checks, and nothing else."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from localplane.apiserver.authentication.jwt import (
    MalformedToken,
    PrivateKey,
    SigningKey,
    UnusableKey,
    key_of_jwk,
    parse,
)
from localplane.apiserver.server.options import InvalidOptions
from localplane.servers.kube.tokens import InvalidToken, Issuance, ServiceAccountTokens
from localplane.servers.kube.tokens.keys import read_signing_key, read_verification_keys

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
KEYS: list[tuple[str, PrivateKey]] = [
    ("RS256", RSA),
    ("ES256", ec.generate_private_key(ec.SECP256R1())),
    ("ES384", ec.generate_private_key(ec.SECP384R1())),
    ("ES512", ec.generate_private_key(ec.SECP521R1())),
]


@pytest.mark.parametrize(("algorithm", "key"), KEYS, ids=[name for name, _ in KEYS])
def test_a_token_is_checked_by_the_published_form_of_its_key(algorithm: str, key: PrivateKey) -> None:
    signing = SigningKey(key)
    token = parse(signing.signed({"sub": "me"}))
    assert (token.algorithm, token.key_id, token.claims) == (algorithm, signing.public.key_id, {"sub": "me"})
    published = key_of_jwk(signing.public.jwk())
    assert published.key_id == signing.public.key_id
    assert published.has_signed(token)
    forged = parse(signing.signed({"sub": "you"}).rpartition(".")[0] + "." + "A" * 86)
    assert not published.has_signed(forged)
    others = [SigningKey(other).public for name, other in KEYS if name != algorithm]
    assert not any(other.has_signed(token) for other in others)


@pytest.mark.parametrize("text", ["", "a.b", "a.b.c", "....", "e30.W10.AA", "e30.e30.%"])
def test_what_is_no_token_is_told(text: str) -> None:
    with pytest.raises(MalformedToken, match="the token is no JWT"):
        parse(text)


@pytest.mark.parametrize("jwk", [{}, {"kty": "oct"}, {"kty": "RSA"}, {"kty": "EC", "crv": "P-1"}, "key", 1, None])
def test_a_key_of_another_kind_is_unusable(jwk: object) -> None:
    with pytest.raises(UnusableKey):
        key_of_jwk(jwk)


def test_a_curve_that_no_token_is_signed_with_is_unusable() -> None:
    with pytest.raises(UnusableKey, match="unknown public key curve"):
        SigningKey(ec.generate_private_key(ec.SECP256K1()))


def test_tokens_of_all_issuers_and_keys_are_believed_and_the_first_signs() -> None:
    (_, old), (_, new) = KEYS[0], KEYS[1]
    before = ServiceAccountTokens(old, issuance=Issuance(issuers=("https://old",)))
    now = ServiceAccountTokens(
        new,
        others=[SigningKey(old).public, SigningKey(new).public],
        issuance=Issuance(issuers=("https://new", "https://old"), audiences=("api",)),
    )
    assert [key.algorithm for key in now.keys] == ["ES256", "RS256"]
    assert now.audiences == ("api",)
    assert before.audiences == ("https://old",)
    claims = now.claims_of(before.sign({"sub": "me"}))
    assert claims == {"sub": "me", "iss": "https://old"}
    assert parse(now.sign({})).claims == {"iss": "https://new"}
    assert before.claims_of(now.sign({})) is None
    stranger = ServiceAccountTokens(KEYS[2][1], issuance=Issuance(issuers=("https://new",)))
    with pytest.raises(InvalidToken, match="signed in a way that this server does not use"):
        now.claims_of(stranger.sign({}))


def test_key_files_have_keys_and_certificates(tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("keys")
    key = KEYS[1][1]
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    public = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (directory / "both.pem").write_bytes(b"# two of them\n" + private + public)
    found = read_verification_keys([directory / "both.pem"])
    assert [each.algorithm for each in found] == ["ES256", "RS256"]
    assert SigningKey(read_signing_key(directory / "both.pem")).public.key_id == found[0].key_id
    (directory / "none.pem").write_bytes(public[:40])
    with pytest.raises(InvalidOptions, match="does not contain any valid RSA or ECDSA public keys"):
        read_verification_keys([directory / "none.pem"])
    with pytest.raises(InvalidOptions, match="does not contain a valid RSA or EC private key"):
        read_signing_key(directory / "none.pem")
    edwards = ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (directory / "edwards.pem").write_bytes(edwards)
    with pytest.raises(InvalidOptions, match="does not contain a valid RSA or EC private key"):
        read_signing_key(directory / "edwards.pem")
    with pytest.raises(InvalidOptions, match="no such file or directory"):
        read_verification_keys([directory / "missing.pem"])
