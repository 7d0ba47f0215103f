"""ID tokens of an OpenID provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from localplane.apiserver.authentication import Unauthenticated
from localplane.apiserver.authentication.jwt import SigningKey
from localplane.apiserver.authentication.oidc import OIDCAuthenticator, Provider

ISSUER = "https://issuer.example.com"
NOW = 1_000_000.0


class Published:
    """A provider that may change its keys."""

    def __init__(self) -> None:
        self.key = SigningKey(rsa.generate_private_key(public_exponent=65537, key_size=2048))
        self.asked: list[str] = []
        self.is_down = False
        self.now = NOW

    async def fetch(self, url: str) -> Mapping[str, Any]:
        self.asked.append(url)
        if self.is_down:
            raise OSError("connection refused")
        if url == f"{ISSUER}/.well-known/openid-configuration":
            return {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys"}
        assert url == f"{ISSUER}/keys"
        return {"keys": [{"kty": "oct"}, self.key.public.jwk()]}

    def token(self, **claims: Any) -> str:
        usual = {"iss": ISSUER, "aud": "me", "exp": self.now + 60, "sub": "joe", "groups": ["a", "b"]}
        return self.key.signed({name: value for name, value in {**usual, **claims}.items() if value is not None})


@pytest.fixture
def provider() -> Published:
    return Published()


def authenticator(provider: Published, **options: Any) -> OIDCAuthenticator:
    options = {"username_prefix": "oidc:", "groups_claim": "groups", **options}
    return OIDCAuthenticator(
        Provider(issuer=ISSUER, client_id="me", **options), provider.fetch, clock=lambda: provider.now
    )


async def test_claims_become_a_user(provider: Published) -> None:
    asked = authenticator(provider, groups_prefix="g:")
    holder = await asked.holder(provider.token(jti="7"), (), [])
    assert holder is not None
    assert (holder.user.name, holder.user.groups) == ("oidc:joe", ("g:a", "g:b"))
    assert holder.user.extra == {"authentication.kubernetes.io/credential-id": ("JTI=7",)}
    one = await asked.holder(provider.token(groups="a"), (), [])
    assert one is not None
    assert one.user.groups == ("g:a",)
    assert provider.asked == [f"{ISSUER}/.well-known/openid-configuration", f"{ISSUER}/keys"]


async def test_tokens_of_others_are_left_to_others(provider: Published) -> None:
    asked = authenticator(provider)
    assert await asked.holder("no token", (), []) is None
    assert await asked.holder(provider.token(iss="https://else"), (), []) is None
    assert provider.asked == []


BAD = [
    ({"aud": "you"}, 'oidc: expected audience "me" got ["you"]'),
    ({"exp": NOW - 1}, "token is expired"),
    ({"exp": None}, "token is expired"),
    ({"nbf": NOW + 301}, "before the nbf"),
    ({"sub": None}, "claim not present"),
    ({"groups": 7}, "parse groups claim"),
    ({"team": "b"}, "required claim team value does not match. Got = b, want = a"),
    ({"team": None}, "required claim team not present in ID token"),
]


@pytest.mark.parametrize(("claims", "why"), BAD)
async def test_a_token_that_is_not_good_is_refused(provider: Published, claims: dict[str, Any], why: str) -> None:
    asked = authenticator(provider, required_claims=(("team", "a"),))
    assert await asked.holder(provider.token(team="a"), (), []) is not None
    with pytest.raises(Unauthenticated) as raised:
        await asked.holder(provider.token(**{"team": "a", **claims}), (), [])
    assert why in str(raised.value)


async def test_a_mail_address_must_be_verified(provider: Published) -> None:
    asked = authenticator(provider, username_claim="email", username_prefix="")
    with pytest.raises(Unauthenticated, match="oidc: email not verified"):
        await asked.holder(provider.token(email="a@b", email_verified=False), (), [])
    holder = await asked.holder(provider.token(email="a@b", email_verified=True), (), [])
    assert holder is not None
    assert holder.user.name == "a@b"


async def test_new_keys_are_found_and_nobody_can_make_it_ask_all_the_time(provider: Published) -> None:
    asked = authenticator(provider)
    assert await asked.holder(provider.token(), (), []) is not None
    provider.key = SigningKey(rsa.generate_private_key(public_exponent=65537, key_size=2048))
    with pytest.raises(Unauthenticated, match="failed to verify id token signature"):
        await asked.holder(provider.token(), (), [])
    assert len(provider.asked) == 2
    provider.now += 11
    assert await asked.holder(provider.token(), (), []) is not None
    assert len(provider.asked) == 4


async def test_another_algorithm_is_refused(provider: Published) -> None:
    provider.key = SigningKey(ec.generate_private_key(ec.SECP256R1()))
    with pytest.raises(Unauthenticated, match=r'unsupported algorithm, expected \["RS256"\] got "ES256"'):
        await authenticator(provider).holder(provider.token(), (), [])
    assert await authenticator(provider, algorithms=("ES256",)).holder(provider.token(), (), []) is not None


async def test_a_provider_that_is_down_is_asked_again_later(provider: Published) -> None:
    provider.is_down = True
    asked = authenticator(provider)
    with pytest.raises(Unauthenticated, match="authenticator not initialized: connection refused"):
        await asked.holder(provider.token(), (), [])
    provider.is_down, provider.now = False, provider.now + 11
    assert await asked.holder(provider.token(), (), []) is not None
