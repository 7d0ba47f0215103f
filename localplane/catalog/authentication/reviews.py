"""TokenReview: whose is this token? SelfSubjectReview: who the server takes the caller for.

Kubernetes: pkg/registry/authentication/{tokenreview,selfsubjectreview}.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.apiserver.authentication import Unauthenticated
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Creater, Result, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request, User
from localplane.apiserver.resource import Resource
from localplane.catalog.declarations import builtin
from localplane.catalog.options import AuthenticateToken, CatalogOptions


class SelfSubjectReviewStore(Creater):
    def __init__(self, definition: Definition) -> None:
        """There is nothing to know of the place where these would be stored."""

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        """What the caller wrote does not matter: the answer is made from who it is."""
        if validate is not None:
            await validate(obj)
        user = _user_info(request.user) if request.user else {}
        return {
            "kind": obj["kind"],
            "apiVersion": obj["apiVersion"],
            "metadata": {"creationTimestamp": now()},
            "status": {"userInfo": user},
        }


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
        status: JSONObject = {"authenticated": True, "user": _user_info(holder.user)}
        if holder.audiences:
            status["audiences"] = list(holder.audiences)
        return status


def _user_info(user: User) -> dict[str, Any]:
    """A UserInfo as reviews show it, without what is empty."""
    info: dict[str, Any] = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
    if user.extra:
        info["extra"] = {name: list(values) for name, values in user.extra.items()}
    return {name: value for name, value in info.items() if value}


SELF_SUBJECT_REVIEWS = builtin("authentication.k8s.io/selfsubjectreviews", storage=SelfSubjectReviewStore)


def token_reviews(options: CatalogOptions) -> Resource:
    return builtin("authentication.k8s.io/tokenreviews", storage=lambda _: TokenReviewStore(options.authenticate_token))
