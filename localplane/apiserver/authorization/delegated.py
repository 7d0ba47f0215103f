"""Another server decides: each question is a SubjectAccessReview, and its answer is remembered for a moment.

For servers behind an aggregator, whose users and roles are the cluster's, and for clusters that ask a webhook.
Kubernetes: apiserver/plugin/pkg/authorizer/webhook, with the times of apiserver/pkg/server/options.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.errors import APIError
from localplane.apiserver.outbound.reviews import ReviewFailed, ReviewWebhook
from localplane.apiserver.request import User
from localplane.client import Client, ClientError, GroupVersionResource

from .authorizers import Rules
from .interface import Attributes, Decision, Verdict

_REVIEWS: Final = GroupVersionResource("authorization.k8s.io", "v1", "subjectaccessreviews")
_REMEMBERED: Final = timedelta(seconds=10)
_MOST: Final = 4096


class ReviewingAuthorizer:
    """`status_of` gives the status of a review. Raises ReviewFailed. `version` is of the reviews."""

    def __init__(
        self,
        status_of: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]],
        *,
        version: str = "v1",
        allowed_for: timedelta = _REMEMBERED,
        denied_for: timedelta = _REMEMBERED,
    ) -> None:
        self._status_of = status_of
        self._version = version
        self._allowed_for = allowed_for.total_seconds()
        self._denied_for = denied_for.total_seconds()
        self._known: dict[str, tuple[float, Decision]] = {}

    async def authorize(self, attributes: Attributes) -> Decision:
        spec = _spec(attributes)
        question, now = repr(spec), asyncio.get_running_loop().time()
        until, known = self._known.get(question, (0.0, None))
        if known is not None and now < until:
            return known
        try:
            status = await self._status_of(self._review(spec))
        except ReviewFailed as error:
            return Decision(Verdict.NO_OPINION, error=str(error))
        decision = _decision(status)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[question] = (now + (self._allowed_for if decision.allowed else self._denied_for), decision)
        return decision

    async def rules_for(self, user: User, namespace: str) -> Rules:  # noqa: ARG002 - nobody can be asked for all
        return Rules(incomplete=True, error="webhook authorizer does not support user rule resolution")

    def _review(self, spec: dict[str, Any]) -> dict[str, Any]:
        if self._version == "v1beta1":  # it calls them so
            spec = {"group" if name == "groups" else name: value for name, value in spec.items()}
        version = f"authorization.k8s.io/{self._version}"
        return {"apiVersion": version, "kind": "SubjectAccessReview", "metadata": {}, "spec": spec}


class DelegatedAuthorizer(ReviewingAuthorizer):
    """`client` is somebody who may create SubjectAccessReviews (role `system:auth-delegator`)."""

    def __init__(self, client: Client) -> None:
        reviews = client.resource(_REVIEWS)

        async def status_of(review: dict[str, Any]) -> dict[str, Any]:
            try:
                return (await reviews.create(review)).get("status") or {}
            except (APIError, ClientError) as error:
                raise ReviewFailed(str(error)) from error

        super().__init__(status_of)


class WebhookAuthorizer(ReviewingAuthorizer):
    """Asks the webhook itself."""

    def __init__(self, webhook: ReviewWebhook, *, version: str, allowed_for: timedelta, denied_for: timedelta) -> None:
        super().__init__(webhook.status_of, version=version, allowed_for=allowed_for, denied_for=denied_for)


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
