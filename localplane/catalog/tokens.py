"""What the built-in kinds ask of whoever signs the tokens of service accounts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Protocol


class TokenSigner(Protocol):
    """`audiences` are those of tokens that are meant for this server."""

    @property
    def audiences(self) -> tuple[str, ...]: ...

    @property
    def longest(self) -> timedelta | None:
        """How long a token may be good for; None if there is no limit of the signer's own."""

    def sign(self, claims: Mapping[str, Any]) -> str:
        """A signed token of these claims; the signer adds its own name."""
