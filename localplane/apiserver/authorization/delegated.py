"""Another server decides: each question is a SubjectAccessReview, and its answer is remembered for a moment.

For servers behind an aggregator, whose users and roles are the cluster's. Kubernetes: apiserver/plugin/pkg/authorizer/
webhook, with the times of apiserver/pkg/server/options.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.errors import APIError
from localplane.client import Client, ClientError, GroupVersionResource

from .interface import Attributes, Decision, Verdict

_REVIEWS: Final = GroupVersionResource("authorization.k8s.io", "v1", "subjectaccessreviews")
_REMEMBERED: Final = timedelta(seconds=10)
_MOST: Final = 4096


class DelegatedAuthorizer:
    """`client` is somebody who may create SubjectAccessReviews (role `system:auth-delegator`)."""

    def __init__(self, client: Client) -> None:
        self._reviews = client.resource(_REVIEWS)
        self._known: dict[str, tuple[float, Decision]] = {}

    async def authorize(self, attributes: Attributes) -> Decision:
        spec = _spec(attributes)
        question, now = repr(spec), asyncio.get_running_loop().time()
        until, known = self._known.get(question, (0.0, None))
        if known is not None and now < until:
            return known
        try:
            review = await self._reviews.create(
                {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
            )
        except (APIError, ClientError) as error:
            return Decision(Verdict.NO_OPINION, error=str(error))
        decision = _decision(review.get("status") or {})
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[question] = (now + _REMEMBERED.total_seconds(), decision)
        return decision


def _decision(status: dict[str, Any]) -> Decision:
    reason, error = status.get("reason", ""), status.get("evaluationError", "")
    if status.get("allowed"):
        return Decision(Verdict.ALLOW, reason)
    return Decision(Verdict.DENY if status.get("denied") else Verdict.NO_OPINION, reason, error)


def _spec(attributes: Attributes) -> dict[str, Any]:
    user = attributes.user
    spec: dict[str, Any] = {
        "user": user.name,
        "uid": user.uid,
        "groups": list(user.groups),
        "extra": {name: list(values) for name, values in user.extra.items()},
    }
    if not attributes.is_resource:
        return spec | {"nonResourceAttributes": {"path": attributes.path, "verb": attributes.verb}}
    asked = ("namespace", "verb", "group", "version", "resource", "subresource", "name")
    return spec | {"resourceAttributes": {name: getattr(attributes, name) for name in asked}}
