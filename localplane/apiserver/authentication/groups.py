"""The group that everybody with good credentials belongs to. Kubernetes: authentication/group."""

from __future__ import annotations

from dataclasses import replace

from localplane.apiserver.request import Request, User

from .interface import Authenticator

AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"


class AuthenticatedGroupAdder:
    """Adds system:authenticated to whoever the authenticator knows, unless the groups already speak of it."""

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator
        self._last: tuple[User, User] | None = None

    async def authenticate(self, request: Request) -> User | None:
        user = await self._authenticator.authenticate(request)
        return None if user is None else self._grouped(user)

    def _grouped(self, user: User) -> User:
        # An authenticator hands out the same object for the same credentials, so the last answer is often the next.
        last = self._last
        if last is not None and last[0] is user:
            return last[1]
        grouped = with_authenticated(user)
        self._last = (user, grouped)
        return grouped


def with_authenticated(user: User) -> User:
    if AUTHENTICATED in user.groups or UNAUTHENTICATED in user.groups:
        return user
    return replace(user, groups=(*user.groups, AUTHENTICATED))
