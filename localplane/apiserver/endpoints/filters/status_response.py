"""An APIError as the answer its client can read: JSON, unless YAML is what it likes best.

An error is never refused for its form: who accepts neither gets JSON. Kubernetes: responsewriters.ErrorNegotiated.
"""

from __future__ import annotations

from localplane.apimachinery.errors import APIError, Forbidden, NotAcceptable
from localplane.apimachinery.serializers import to_json, to_yaml
from localplane.apimachinery.serializers.media_types import JSON, YAML, Negotiated, negotiate, wants_pretty
from localplane.apiserver.request import Request, Response

_FORMS = (JSON, YAML)


def status_response(request: Request, error: APIError) -> Response:
    headers: dict[str, str] = {}
    if error.retry_after_seconds:
        headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, Forbidden):
        headers["X-Content-Type-Options"] = "nosniff"
    form = _form(request)
    status = error.status()
    body = to_yaml(status) if form.media_type is YAML else to_json(status, pretty=form.pretty)
    return Response(error.code, body, content_type=form.media_type.name, headers=headers)


def _form(request: Request) -> Negotiated:
    pretty = wants_pretty(request.query.get("pretty"), request.headers.get("user-agent", ""))
    try:
        return negotiate(request.headers.get("accept", ""), _FORMS, pretty=pretty)
    except NotAcceptable:
        return Negotiated(JSON, pretty=pretty)
