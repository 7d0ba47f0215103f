"""Several authenticators as one. Kubernetes: authentication/request/union."""

from __future__ import annotations

from localplane.apiserver.request import Request, User

from .interface import Authenticator, Unauthenticated


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
