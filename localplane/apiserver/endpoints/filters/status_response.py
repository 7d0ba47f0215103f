"""An APIError as the answer its client can read: JSON, unless YAML or protobuf is what it likes best.

An error is never refused for its form: who accepts none of them gets JSON. Kubernetes: responsewriters.ErrorNegotiated.
"""

from __future__ import annotations

from localplane.apimachinery.errors import APIError, Forbidden, NotAcceptable
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
from localplane.apiserver.request import Request, Response

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
