"""Who brings no credentials at all. Kubernetes: authentication/request/anonymous."""

from __future__ import annotations

from collections.abc import Collection

from localplane.apiserver.request import Request, User

from .groups import UNAUTHENTICATED

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
