"""Find out who asks. Kubernetes: endpoints/filters/authentication.go, authn_audit.go."""

from __future__ import annotations

import logging

from localplane.apimachinery.errors import Unauthorized
from localplane.apiserver.audit import Auditor
from localplane.apiserver.authentication import Authenticator, Unauthenticated
from localplane.apiserver.request import Answer, Filter, Handler, Request

from .hidden_headers import hide_headers

_log = logging.getLogger(__name__)

# What says who somebody is says it here and no further. The others are a front proxy's.
_CREDENTIALS = ("authorization", "x-remote-user", "x-remote-uid", "x-remote-group")
_PROXY_EXTRA = "x-remote-extra-"


def authentication(authenticator: Authenticator, *, auditor: Auditor | None = None) -> Filter:
    """Sets `request.user`, or answers 401. A refused request never reaches the audit filter, so it is recorded here."""

    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            try:
                user = await authenticator.authenticate(request)
            except Unauthenticated as problem:
                _log.warning("Unable to authenticate the request: %s", problem)
                user = None
            if user is None:
                error = Unauthorized()
                if auditor is not None:
                    auditor.refused(request, error)
                raise error
            request.user = user
            _hide_credentials(request)
            return await handler(request)

        return handle

    return filtered


def _hide_credentials(request: Request) -> None:
    names = [name for name in request.headers if name in _CREDENTIALS or name.startswith(_PROXY_EXTRA)]
    if names:
        hide_headers(request, names)
