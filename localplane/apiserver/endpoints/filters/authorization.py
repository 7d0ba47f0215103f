"""May they do it? Kubernetes: endpoints/filters/authorization.go."""

from __future__ import annotations

import logging

from localplane.apiserver.audit import annotate
from localplane.apiserver.authorization import Attributes, Authorizer, Demands, forbidden
from localplane.apiserver.request import Answer, Filter, Handler, Request

from .plain_text import internal_error

_log = logging.getLogger(__name__)

_DECISION = "authorization.k8s.io/decision"
_REASON = "authorization.k8s.io/reason"


def authorization(authorizer: Authorizer, demands: Demands | None = None) -> Filter:
    """Answers 403 to what is not allowed, and 500 if that could not be found out. `demands` hears of all of it."""

    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            assert request.user is not None, "authentication comes before authorization"
            attributes = Attributes.of(request.user, request.info)
            if demands is not None:
                demands.note(attributes)
            decision = await authorizer.authorize(attributes)
            if decision.allowed:
                annotate(request, _DECISION, "allow")
                annotate(request, _REASON, decision.reason)
                return await handler(request)
            if decision.error:
                annotate(request, _REASON, "internal error")
                _log.error("Authorization failed: %s", decision.error)
                return internal_error(request, decision.error)
            annotate(request, _DECISION, "forbid")
            annotate(request, _REASON, decision.reason)
            raise forbidden(attributes, decision.reason)

        return handle

    return filtered
