"""SelfSubjectReview: who the server takes the caller for. Kubernetes: pkg/registry/authentication/selfsubjectreview."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Creater, Result, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin

from .users import user_info


class SelfSubjectReviewStore(Creater):
    def __init__(self, definition: Definition) -> None:
        """There is nothing to know of the place where these would be stored."""

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        """What the caller wrote does not matter: the answer is made from who it is."""
        if validate is not None:
            await validate(obj)
        user = user_info(request.user) if request.user else {}
        return {
            "kind": obj["kind"],
            "apiVersion": obj["apiVersion"],
            "metadata": {"creationTimestamp": now()},
            "status": {"userInfo": user},
        }


SELF_SUBJECT_REVIEWS = builtin("authentication.k8s.io/selfsubjectreviews", storage=SelfSubjectReviewStore)
