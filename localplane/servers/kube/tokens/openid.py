"""What others need to check our tokens themselves. Kubernetes: pkg/routes/openidmetadata.go."""

from __future__ import annotations

from typing import Any, Final

import orjson

from localplane.apimachinery.errors import generic
from localplane.apiserver.request import Answer, Request, Response
from localplane.apiserver.server.dispatch import Router

from .issuance import ServiceAccountTokens

CONFIGURATION: Final = "/.well-known/openid-configuration"
KEYS: Final = "/openid/v1/jwks"
OPENID_PATHS: Final = (CONFIGURATION, KEYS)


def openid_router(tokens: ServiceAccountTokens) -> Router:
    async def route(request: Request) -> Answer | None:
        if request.method not in ("GET", "HEAD"):
            return None
        if request.path == CONFIGURATION:
            return _answer(_configuration(tokens), "application/json")
        if request.path == KEYS:
            return _keys(request, tokens)
        return None

    return route


def _configuration(tokens: ServiceAccountTokens) -> dict[str, Any]:
    return {
        "issuer": tokens.issuer,
        "jwks_uri": tokens.jwks_uri or f"{tokens.issuer}{KEYS}",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": list(dict.fromkeys(key.algorithm for key in tokens.keys)),
    }


def _keys(request: Request, tokens: ServiceAccountTokens) -> Response:
    """Kubernetes' router serves this type alone, and does not take `application/json` for it."""
    accepted = request.headers.get("accept", "*/*")
    if not any(word in accepted for word in ("*/*", "application/*", "application/jwk-set+json")):
        raise generic(406)
    return _answer({"keys": [key.jwk() for key in tokens.keys]}, "application/jwk-set+json")


def _answer(document: dict[str, Any], content_type: str) -> Response:
    return Response(
        200, orjson.dumps(document), content_type=content_type, headers={"Cache-Control": "public, max-age=3600"}
    )
