"""Who asks: from a request's credentials to a User.

- `interface`             what an authenticator is, and how it says that credentials are bad
- `bearer_token`          a token is asked of all who know some; `static_token` are known beforehand
- `client_certificate`, `anonymous`   the other ones there are
- `request_header`        a proxy in front of us says it, and proves itself
- `certificate_verification`   whether a certificate is believed, asked at each request
- `union`, `groups`       several as one; the group everyone who is known belongs to
- `standard`              how they are put together so that bad credentials never become anonymous
- `der`, `service_accounts`           what they are made of

The authentication filter calls it. It never decides what somebody may do, and never logs or keeps a credential.
"""

from .anonymous import ANONYMOUS, AnonymousAuthenticator
from .bearer_token import BearerTokenAuthenticator, TokenAuthenticator, TokenHolder, TokenUnion
from .certificate_verification import CertificateVerifier
from .client_certificate import ClientCertificateAuthenticator
from .groups import AUTHENTICATED, UNAUTHENTICATED, AuthenticatedGroupAdder
from .interface import Authenticator, Unauthenticated
from .request_header import RequestHeaderAuthenticator
from .standard import standard_authenticator
from .static_token import StaticTokenAuthenticator, TokenFileInvalid, read_token_file
from .union import UnionAuthenticator

__all__ = [
    "ANONYMOUS",
    "AUTHENTICATED",
    "UNAUTHENTICATED",
    "AnonymousAuthenticator",
    "AuthenticatedGroupAdder",
    "Authenticator",
    "BearerTokenAuthenticator",
    "CertificateVerifier",
    "ClientCertificateAuthenticator",
    "RequestHeaderAuthenticator",
    "StaticTokenAuthenticator",
    "TokenAuthenticator",
    "TokenFileInvalid",
    "TokenHolder",
    "TokenUnion",
    "Unauthenticated",
    "UnionAuthenticator",
    "read_token_file",
    "standard_authenticator",
]
