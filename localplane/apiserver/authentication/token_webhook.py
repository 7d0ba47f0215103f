"""Somebody else says whose a token is: each question is a TokenReview, and its answer is remembered for a while.

Kubernetes: apiserver/plugin/pkg/authenticator/token/webhook, authentication/token/cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.clock import elapsed
from localplane.apiserver.outbound.reviews import ReviewFailed, ReviewWebhook
from localplane.apiserver.request import User

from .bearer_token import TokenHolder
from .interface import Unauthenticated

_MOST: Final = 4096


class TokenWebhook:
    """`own_audiences` are this server's. No token is kept, only a digest of it."""

    def __init__(
        self,
        webhook: ReviewWebhook,
        *,
        own_audiences: tuple[str, ...],
        version: str = "v1",
        remembered: timedelta = timedelta(minutes=2),
        clock: Callable[[], float] = elapsed,
    ) -> None:
        self._webhook = webhook
        self._own_audiences = own_audiences
        self._version = version
        self._remembered = remembered.total_seconds()
        self._clock = clock
        self._known: dict[bytes, tuple[float, TokenHolder | None]] = {}

    async def holder(self, token: str, audiences: tuple[str, ...], warnings: list[str]) -> TokenHolder | None:  # noqa: ARG002 - there are none
        """Raises Unauthenticated if the webhook can't be asked, or says what is wrong with the token."""
        wanted = audiences or self._own_audiences
        question = hashlib.sha256("\0".join((token, *wanted)).encode("utf-8", "surrogateescape")).digest()
        until, known = self._known.get(question, (0.0, None))
        if self._clock() < until:
            return known
        holder = await self._asked(token, wanted)
        if self._remembered > 0:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[question] = (self._clock() + self._remembered, holder)
        return holder

    async def _asked(self, token: str, wanted: tuple[str, ...]) -> TokenHolder | None:
        review = {
            "apiVersion": f"authentication.k8s.io/{self._version}",
            "kind": "TokenReview",
            "metadata": {},
            "spec": {"token": token, "audiences": list(wanted)},
        }
        try:
            status = await self._webhook.status_of(review)
        except ReviewFailed as error:
            raise Unauthenticated(str(error)) from error
        if status.get("authenticated") is not True:
            if status.get("error"):
                raise Unauthenticated(str(status["error"]))
            return None
        meant = tuple(status.get("audiences") or self._own_audiences)
        common = tuple(each for each in wanted if each in meant)
        return TokenHolder(_user(status.get("user")), common) if common or not wanted else None


def _user(said: Any) -> User:
    if not isinstance(said, Mapping):
        raise Unauthenticated("the webhook knows the token and does not say whose it is")
    extra = said.get("extra") or {}
    return User(
        str(said.get("username", "")),
        uid=str(said.get("uid", "")),
        groups=tuple(map(str, said.get("groups") or ())),
        extra={str(name).lower(): tuple(map(str, values or ())) for name, values in extra.items()},
    )
