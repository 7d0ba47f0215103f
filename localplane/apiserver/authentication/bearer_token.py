"""The token of an Authorization header, and whose it is. Kubernetes: authentication/request/bearertoken, token/union.

Whoever knows tokens is asked in one place, for requests and for reviews alike: what is good for the one is good for the
other.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import logging
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
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
        self._authenticators = list(authenticators)
        self.audiences = audiences

    def add(self, authenticator: TokenAuthenticator) -> None:
        """Asked after all others, from the next request on."""
        self._authenticators.append(authenticator)

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


# Bearer tokens that are known beforehand, from memory or from a file.
#
# Kubernetes: authentication/token/tokenfile (--token-auth-file).


_log = logging.getLogger(__name__)


class TokenFileInvalid(ValueError):
    """The token file can't be used; the text says why, and no token."""


class StaticTokenAuthenticator:
    """Compares keyed digests, each in the same time wherever it differs, and always all of them.

    Digests are of equal length and nobody outside can predict one, so time tells neither a token's length nor its
    beginning.
    """

    def __init__(self, users: Mapping[str, User]) -> None:
        self._key = secrets.token_bytes(32)
        self._holders = tuple((self._digest(token), TokenHolder(user)) for token, user in users.items() if token)

    async def holder(self, token: str, audiences: tuple[str, ...], warnings: list[str]) -> TokenHolder | None:  # noqa: ARG002 - it says nothing of whom it is for
        digest, found = self._digest(token), None
        for known, holder in self._holders:
            if hmac.compare_digest(known, digest):
                found = holder
        return found

    def _digest(self, token: str) -> bytes:
        return hashlib.blake2b(token.encode("utf-8", "surrogateescape"), key=self._key, digest_size=32).digest()


def read_token_file(path: Path) -> dict[str, User]:
    """Lines of `token,user name,user uid[,"group,group"]`; the last line of a repeated token counts."""
    users: dict[str, User] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, record in enumerate((line for line in csv.reader(file) if line), start=1):
                if len(record) < 3:
                    raise TokenFileInvalid(
                        f"token file '{path}' must have at least 3 columns (token, user name, user uid), "
                        f"found {len(record)}"
                    )
                token, name, uid = record[:3]
                if not token:
                    _log.warning("empty token has been found in token file '%s', record number '%d'", path, number)
                    continue
                if token in users:
                    _log.warning("duplicate token has been found in token file '%s', record number '%d'", path, number)
                groups = tuple(record[3].split(",")) if len(record) > 3 and record[3] else ()
                users[token] = User(name, uid=uid, groups=groups)
    except (csv.Error, UnicodeDecodeError) as error:
        raise TokenFileInvalid(f"token file '{path}' can't be read: {type(error).__name__}") from None
    return users
