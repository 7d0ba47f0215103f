"""The token of an Authorization header, and whose it is. Kubernetes: authentication/request/bearertoken, token/union.

Whoever knows tokens is asked in one place, for requests and for reviews alike: what is good for the one is good for the
other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from localplane.apiserver.request import Request, User

from .interface import Unauthenticated

_EXTRA_SPACE: Final = "the provided Authorization header contains extra space before the bearer token, and is ignored"
_INVALID: Final = "invalid bearer token"


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """`audiences` are whom the token is meant for, of those that were asked for; None if it does not say."""

    user: User
    audiences: tuple[str, ...] | None = None


class TokenAuthenticator(Protocol):
    async def holder(self, token: str, audiences: tuple[str, ...], warnings: list[str]) -> TokenHolder | None:
        """None for a token that is not of its kind or not known; Unauthenticated for one that is, and is no longer
        good, or not for any of the audiences. None are this server's own."""
        ...


class TokenUnion:
    """Several as one. `audiences` are this server's own, for which tokens are meant that do not say it."""

    def __init__(self, *authenticators: TokenAuthenticator, audiences: tuple[str, ...] = ()) -> None:
        self._authenticators = authenticators
        self.audiences = audiences

    async def holder(self, token: str, audiences: tuple[str, ...], warnings: list[str]) -> TokenHolder:
        """Raises Unauthenticated, with all that was wrong."""
        problems = [_INVALID]
        for authenticator in self._authenticators:
            try:
                holder = await authenticator.holder(token, audiences, warnings)
            except Unauthenticated as problem:
                problems.append(str(problem))
                continue
            if holder is None:
                continue
            if holder.audiences is not None or not audiences:
                return holder
            if meant := tuple(each for each in audiences if each in self.audiences):
                return TokenHolder(holder.user, meant)
        raise Unauthenticated(_aggregate(problems))


class BearerTokenAuthenticator:
    def __init__(self, tokens: TokenUnion) -> None:
        self._tokens = tokens

    async def authenticate(self, request: Request) -> User | None:
        token = bearer_token(request)
        return None if token is None else (await self._tokens.holder(token, (), request.warnings)).user


def bearer_token(request: Request) -> str | None:
    """None without one: another scheme, or nothing after the word. A token in the query is no credential."""
    header = request.headers.get("authorization")
    if not header:
        return None
    parts = header.strip().split(" ", 2)
    if len(parts) < 2 or parts[0].lower() != "bearer":
        return None
    if not parts[1]:
        request.warnings.append(_EXTRA_SPACE)
        return None
    return parts[1]


def _aggregate(problems: Iterable[str]) -> str:
    """As Kubernetes shows several errors: each once. apimachinery/pkg/util/errors."""
    distinct = list(dict.fromkeys(problems))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
