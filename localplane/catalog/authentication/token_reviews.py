"""TokenReview: whose is this token? Kubernetes: pkg/registry/authentication/tokenreview."""

from __future__ import annotations

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authentication import Unauthenticated
from localplane.apiserver.registry.rest import Creater, Result, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request
from localplane.apiserver.resource import Resource
from localplane.catalog.declaring import builtin
from localplane.catalog.options import AuthenticateToken, CatalogOptions

from .users import user_info


class TokenReviewStore(Creater):
    def __init__(self, authenticate: AuthenticateToken) -> None:
        self._authenticate = authenticate

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        spec = obj.get("spec") or {}
        if obj["metadata"].get("namespace"):
            raise BadRequest(f"namespace is not allowed on this type: {obj['metadata']['namespace']}")
        if not spec.get("token"):
            raise BadRequest("token is required for TokenReview in authentication")
        if validate is not None:
            await validate(obj)
        obj["status"] = await self._status(spec["token"], tuple(spec.get("audiences") or ()))
        return obj

    async def _status(self, token: str, audiences: tuple[str, ...]) -> JSONObject:
        """Whoever asks for several audiences is told which of them the token is for: the others must refuse it."""
        try:
            holder = await self._authenticate(token, audiences)
        except Unauthenticated as error:
            return {"user": {}, "error": str(error)}
        status: JSONObject = {"authenticated": True, "user": user_info(holder.user)}
        if holder.audiences:
            status["audiences"] = list(holder.audiences)
        return status


def token_reviews(options: CatalogOptions) -> Resource:
    return builtin("authentication.k8s.io/tokenreviews", storage=lambda _: TokenReviewStore(options.authenticate_token))
