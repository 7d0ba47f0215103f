"""What every answer carries: how to cache it, the id under which the audit log knows its request, and its flow.

Kubernetes: endpoints/filters/cachecontrol.go, audit_init.go.
"""

from __future__ import annotations

from typing import Final

from localplane.apiserver.audit import audit_id
from localplane.apiserver.request import Answer, Request, Response, StreamResponse

FLOW: Final = "flow"
"""The note of a request that has the headers about its flow."""


def with_common_headers(request: Request, answer: Answer) -> Answer:
    """A copy: a handler may keep its answer and give it to the next request too."""
    headers = {"Audit-Id": audit_id(request), "Cache-Control": "no-cache, private", **answer.headers}
    if flow := request.notes.get(FLOW):
        headers.update(flow)
    if isinstance(answer, Response):
        return Response(answer.status, answer.body, answer.content_type, headers, answer.size)
    return StreamResponse(answer.pieces, answer.close, answer.status, answer.content_type, headers)
