"""Bearer tokens that are known beforehand, from memory or from a file.

Kubernetes: authentication/token/tokenfile (--token-auth-file).
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from pathlib import Path

from localplane.apiserver.request import User

from .bearer_token import TokenHolder

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
