"""Several authenticators as one. Kubernetes: authentication/request/union."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from localplane.apiserver.request import Request, User

from .interface import Authenticator, Unauthenticated

# The group that everybody with good credentials belongs to. Kubernetes: authentication/group.

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


class UnionAuthenticator:
    """The first who knows the user answers. Bad credentials of one kind may be outdone by good ones of another, unless
    `fail_on_error`: then they end it at once."""

    def __init__(self, *authenticators: Authenticator, fail_on_error: bool = False) -> None:
        self._authenticators = authenticators
        self._fail_on_error = fail_on_error

    async def authenticate(self, request: Request) -> User | None:
        problems: list[str] = []
        for authenticator in self._authenticators:
            try:
                user = await authenticator.authenticate(request)
            except Unauthenticated as problem:
                if self._fail_on_error:
                    raise
                problems.append(str(problem))
                continue
            if user is not None:
                return user
        if problems:
            raise Unauthenticated("; ".join(problems))
        return None


# Who brings no credentials at all. Kubernetes: authentication/request/anonymous.


ANONYMOUS = "system:anonymous"


class AnonymousAuthenticator:
    """Everybody, or everybody who asks for one of `paths`. It belongs last, where no credentials are left to try."""

    def __init__(self, *, paths: Collection[str] | None = None) -> None:
        self._paths = paths
        self._user = User(ANONYMOUS, groups=(UNAUTHENTICATED,))

    async def authenticate(self, request: Request) -> User | None:
        if self._paths is not None and request.path not in self._paths:
            return None
        return self._user


# How authenticators are put together. Kubernetes: pkg/kubeapiserver/authenticator.


def standard_authenticator(*authenticators: Authenticator, anonymous: AnonymousAuthenticator | None) -> Authenticator:
    """Whoever brings credentials must bring good ones: only without any does somebody become anonymous."""
    known = AuthenticatedGroupAdder(UnionAuthenticator(*authenticators))
    if anonymous is None:
        return known
    return UnionAuthenticator(known, anonymous, fail_on_error=True)
