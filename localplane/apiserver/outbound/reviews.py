"""A webhook that answers reviews: whose a token is, whether somebody may do something.

Where it is and how we prove ourselves to it stands in a kubeconfig, whose server is the very URL that is asked.
Kubernetes: apiserver/pkg/util/webhook (GenericWebhook), plugin/pkg/authenticator/token/webhook and authorizer/webhook.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from localplane.apimachinery.errors import APIError
from localplane.client import Client, ClientError
from localplane.client.kubeconfig import load, resolve


class ReviewFailed(Exception):
    """There is no answer that can be used."""


class ReviewWebhook:
    """Close it when done; several questions may be under way at once."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @classmethod
    def of_kubeconfig(cls, path: Path) -> Self:
        """Nothing is sent yet. Raises ClientError."""
        return cls(Client.connect(resolve(load(path))))

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def status_of(self, review: dict[str, Any]) -> dict[str, Any]:
        """The status that the webhook gives a review. Raises ReviewFailed."""
        headers = (("Content-Type", "application/json"), ("Accept", "application/json, */*"))
        try:
            answer = (await self._client.request("POST", "", headers=headers, body=orjson.dumps(review))).json()
        except (APIError, ClientError) as error:
            raise ReviewFailed(str(error)) from error
        status = answer.get("status") if isinstance(answer, dict) else None
        if not isinstance(status, dict) or answer.get("kind") not in (None, review["kind"]):
            raise ReviewFailed(f"the webhook's answer is no {review['kind']} with a status")
        return status
