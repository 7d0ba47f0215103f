"""What an authenticator is. Kubernetes: apiserver/pkg/authentication/authenticator.Request."""

from __future__ import annotations

from typing import Protocol

from localplane.apiserver.request import Request, User


class Unauthenticated(Exception):
    """There were credentials, and they are bad. The text is for the server's log: it never holds the credential."""


class Authenticator(Protocol):
    async def authenticate(self, request: Request) -> User | None:
        """The user, None if the request has no credentials of this kind, or Unauthenticated if they are bad."""
        ...
