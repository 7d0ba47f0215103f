"""Whoever was let in may do everything."""

from __future__ import annotations

from .interface import ALLOWED, Attributes, Decision


class AlwaysAllow:
    async def authorize(self, attributes: Attributes) -> Decision:  # noqa: ARG002 - that is the point
        return ALLOWED
