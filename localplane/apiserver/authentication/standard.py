"""How authenticators are put together. Kubernetes: pkg/kubeapiserver/authenticator."""

from __future__ import annotations

from .anonymous import AnonymousAuthenticator
from .groups import AuthenticatedGroupAdder
from .interface import Authenticator
from .union import UnionAuthenticator


def standard_authenticator(*authenticators: Authenticator, anonymous: AnonymousAuthenticator | None) -> Authenticator:
    """Whoever brings credentials must bring good ones: only without any does somebody become anonymous."""
    known = AuthenticatedGroupAdder(UnionAuthenticator(*authenticators))
    if anonymous is None:
        return known
    return UnionAuthenticator(known, anonymous, fail_on_error=True)
