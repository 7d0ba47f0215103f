"""Who asks: from a request's credentials to a User.

- `interface`             what an authenticator is, and how it says that credentials are bad
- `bearer_token`          a token is asked of all who know some; some are known beforehand
- `token_webhook`         somebody else is asked whose a token is
- `oidc`                  ID tokens of an OpenID provider
- `client_certificate`    a certificate of the connection
- `request_header`        a proxy in front of us says it, and proves itself
- `certificate_verification`   whether a certificate is believed, asked at each request
- `union`                 several as one, so that bad credentials never become anonymous; the group of all who are known
- `der`, `jwt`, `service_accounts`    what they are made of

The authentication filter calls it. It never decides what somebody may do, and never logs or keeps a credential.
"""

from .bearer_token import (
    BearerTokenAuthenticator,
    StaticTokenAuthenticator,
    TokenAuthenticator,
    TokenFileInvalid,
    TokenHolder,
    TokenUnion,
    read_token_file,
)
from .certificate_verification import CertificateVerifier
from .client_certificate import ClientCertificateAuthenticator
from .interface import Authenticator, Unauthenticated
from .request_header import RequestHeaderAuthenticator
from .union import (
    ANONYMOUS,
    AUTHENTICATED,
    UNAUTHENTICATED,
    AnonymousAuthenticator,
    AuthenticatedGroupAdder,
    UnionAuthenticator,
    standard_authenticator,
)

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
