"""Answers from before anything is known of the request: text, as Go's http.Error writes it."""

from __future__ import annotations

from urllib.parse import quote

from localplane.apimachinery.golang.text import go_quote
from localplane.apiserver.authorization.forbidden import without_markup
from localplane.apiserver.request import Request, Response


def plain_text(status: int, text: str) -> Response:
    return Response(
        status,
        f"{text}\n".encode("utf-8", "replace"),
        content_type="text/plain; charset=utf-8",
        headers={"X-Content-Type-Options": "nosniff"},
    )


def internal_error(request: Request, why: str) -> Response:
    """Kubernetes: responsewriters.InternalError. The path stands for the whole URL: a query is nobody's business."""
    return plain_text(500, without_markup(f"Internal Server Error: {go_quote(quote(request.path))}: {why}"))
