"""Tokens of service accounts: the key that signs them, who is believed, and what others need to check them.

    tokens = await ServiceAccountTokens.open(directory / "sa.key")
    tokens.sign(claims)              a signed JWT
    ServiceAccountAuthenticator      from a bearer token to a user, as long as its account lives
    openid_router                    /.well-known/openid-configuration and /openid/v1/jwks
    track_legacy_tokens              tells since when uses of tokens in secrets are noted

Kubernetes: pkg/serviceaccount.

Beside these:

    keys    files with keys of service accounts' tokens: our own, or somebody's
"""

from .authenticator import ServiceAccountAuthenticator
from .issuance import InvalidToken, Issuance, ServiceAccountTokens
from .legacy import track_legacy_tokens
from .openid import OPENID_PATHS, openid_router

__all__ = [
    "OPENID_PATHS",
    "InvalidToken",
    "Issuance",
    "ServiceAccountAuthenticator",
    "ServiceAccountTokens",
    "openid_router",
    "track_legacy_tokens",
]
