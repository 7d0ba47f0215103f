"""Who asks: from a request's credentials to a User.

- `interface`             what an authenticator is, and how it says that credentials are bad
- `static_token`, `client_certificate`, `anonymous`   the ones there are
- `request_header`        a proxy in front of us says it, and proves itself
- `union`, `groups`       several as one; the group everyone who is known belongs to
- `standard`              how they are put together so that bad credentials never become anonymous
- `bearer_token`, `der`, `service_accounts`           what they are made of

The authentication filter calls it. It never decides what somebody may do, and never logs or keeps a credential.
"""

from .anonymous import ANONYMOUS, AnonymousAuthenticator
from .client_certificate import ClientCertificateAuthenticator
from .groups import AUTHENTICATED, UNAUTHENTICATED, AuthenticatedGroupAdder
from .interface import Authenticator, Unauthenticated
from .request_header import ClientsOnly, FrontProxyAuthority, RequestHeaderAuthenticator
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
    "ClientCertificateAuthenticator",
    "ClientsOnly",
    "FrontProxyAuthority",
    "RequestHeaderAuthenticator",
    "StaticTokenAuthenticator",
    "TokenFileInvalid",
    "Unauthenticated",
    "UnionAuthenticator",
    "read_token_file",
    "standard_authenticator",
]
