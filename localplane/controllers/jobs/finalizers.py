"""The finalizer that keeps a pod until it is counted, and what is known of those that were removed.

Kubernetes: pkg/controller/job/tracking_utils.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from localplane.client import Client, PatchType
from localplane.controllers.pods import PODS

from .terms import TRACKING, is_tracked

Object = dict[str, Any]


class Removals:
    """The pods of each job whose finalizer was removed and that are still seen with it: they must not be counted again.
    Jobs are told by their uids."""

    def __init__(self) -> None:
        self._expected: dict[str, set[str]] = {}

    def of(self, job: str) -> frozenset[str]:
        return frozenset(self._expected.get(job, ()))

    def expect(self, job: str, uids: Iterable[str]) -> None:
        self._expected.setdefault(job, set()).update(uids)

    def observed(self, job: str, uid: str) -> None:
        """It was seen without, or it was not removed after all."""
        if (expected := self._expected.get(job)) is not None:
            expected.discard(uid)

    def forget(self, job: str) -> None:
        self._expected.pop(job, None)


async def remove_finalizer(client: Client, pod: Object) -> None:
    """Raises APIError, NotFound among them."""
    if not is_tracked(pod):
        return
    metadata = pod["metadata"]
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": [TRACKING]}}
    await client.resource(PODS, metadata.get("namespace", "")).patch(metadata["name"], patch, PatchType.STRATEGIC)
