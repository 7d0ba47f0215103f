"""The outermost filter: whatever happened further in, the client gets an answer.

The only place where an APIError becomes HTTP. Anything else that is raised is a fault of ours: it is logged with its
traceback, and the client learns nothing but that. A cancellation is no fault and goes on its way. Errors while the
pieces of a StreamResponse are sent come too late for here: its headers are gone by then.
Kubernetes: server/filters/wrap.go (WithPanicRecovery), responsewriters.ErrorNegotiated.
"""

from __future__ import annotations

import logging

from localplane.apimachinery.errors import APIError, BadRequest, Forbidden, NotAcceptable
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import protobuf, to_json_answer, to_yaml
from localplane.apimachinery.serializers.media_types import (
    JSON,
    PROTOBUF,
    YAML,
    MediaType,
    Negotiated,
    negotiate,
    wants_pretty,
)
from localplane.apiserver.audit import audit_id
from localplane.apiserver.request import Answer, Filter, Handler, Request, Response, Severed

from .plain_text import plain_text
from .response_headers import with_common_headers

# An APIError as the answer its client can read: JSON, unless YAML or protobuf is what it likes best.
#
# An error is never refused for its form: who accepts none of them gets JSON.

_FORMS = (JSON, YAML, PROTOBUF)


def status_response(request: Request, error: APIError) -> Response:
    headers: dict[str, str] = {}
    if error.retry_after_seconds:
        headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, Forbidden):
        headers["X-Content-Type-Options"] = "nosniff"
    form = _form(request)
    body = _encoded(error.status(), form.media_type, pretty=form.pretty)
    return Response(error.code, body, content_type=form.media_type.name, headers=headers)


def _encoded(status: JSONObject, media_type: MediaType, *, pretty: bool) -> bytes:
    if media_type is PROTOBUF:
        return protobuf.encoded(protobuf.status(), status)
    return to_yaml(status) if media_type is YAML else to_json_answer(status, pretty=pretty)


def _form(request: Request) -> Negotiated:
    pretty = wants_pretty(request.query.get("pretty"), request.headers.get("user-agent", ""))
    try:
        return negotiate(request.headers.get("accept", ""), _FORMS, pretty=pretty)
    except NotAcceptable:
        return Negotiated(JSON, pretty=pretty)


_log = logging.getLogger(__name__)

_WITH_BODIES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_PANIC = "This request caused apiserver to panic. Look in the logs for details."


def recover() -> Filter:
    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            try:
                answer = await handler(request)
            except Severed:
                raise  # nobody is to be answered
            except Exception as error:  # noqa: BLE001 - the one place that answers for whatever was raised
                told = sole_api_error(error) or _too_deep(request, error)
                answer = _panic(request, error) if told is None else status_response(request, told)
            return with_common_headers(request, answer)

        return handle

    return filtered


def sole_api_error(error: BaseException) -> APIError | None:
    """The APIError that was raised, be it inside a group that holds nothing else; None if it is something else."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error if isinstance(error, APIError) else None


def _too_deep(request: Request, error: BaseException) -> BadRequest | None:
    """Whoever sends a body decides how deeply it is nested, and some of what walks through it recurses."""
    if not isinstance(error, RecursionError) or request.method not in _WITH_BODIES:
        return None
    _log.warning("a body is nested too deeply: %s %r", request.method, request.path)
    return BadRequest("the request is nested too deeply")


def _panic(request: Request, error: Exception) -> Response:
    _log.error(
        "a handler failed: %s %r, audit id %r", request.method, request.path, audit_id(request)[:128], exc_info=error
    )
    return plain_text(500, _PANIC)
