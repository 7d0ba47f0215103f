"""The token of an Authorization header. Kubernetes: authentication/request/bearertoken."""

from __future__ import annotations

from localplane.apiserver.request import Request

_EXTRA_SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored"


def bearer_token(request: Request) -> str | None:
    """None without one: another scheme, or nothing after the word. A token in the query is no credential."""
    header = request.headers.get("authorization")
    if not header:
        return None
    parts = header.strip().split(" ", 2)
    if len(parts) < 2 or parts[0].lower() != "bearer":
        return None
    if not parts[1]:
        request.warnings.append(_EXTRA_SPACE)
        return None
    return parts[1]
