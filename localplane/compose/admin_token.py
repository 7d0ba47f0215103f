"""The administrator's bearer token, for clients that can't use a certificate: made once, kept beside the keys."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Final

from localplane.apiserver.authentication import StaticTokenAuthenticator
from localplane.apiserver.request import User
from localplane.apiserver.server.certificates import ADMIN_GROUP, ADMIN_NAME
from localplane.apiserver.storage.data_directory import write_atomically

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32,128}")
"""Half of one, or what a damaged disk made of it, must not let anybody in."""


def admin_token(directory: Path) -> str:
    """256 random bits that only their owner can read."""
    path = directory / "admin.token"
    if path.is_file() and _TOKEN.fullmatch(known := path.read_text("latin-1").strip()):
        return known
    token = secrets.token_urlsafe(32)
    write_atomically(path, token.encode("ascii"))
    return token


def admin_token_authenticator(token: str) -> StaticTokenAuthenticator:
    return StaticTokenAuthenticator({token: User(ADMIN_NAME, groups=(ADMIN_GROUP,))})
