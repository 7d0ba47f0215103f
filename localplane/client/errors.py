"""What can go wrong on our side of the wire. What the server says no with is an APIError of apimachinery.

ClientError
├── ConfigError             the configuration is missing, malformed or contradicts itself
│   ├── EmptyConfig         there is none at all
│   └── InvalidConfig       entries that can't be used, all of them named
├── CredentialsError        a token or certificate can't be had
├── ConnectionFailed        the request or its answer did not get through
│   ├── ConnectionRefused   nobody listens there: the request was never sent
│   ├── ConnectionLost      cut after it was made; whether the server acted is unknown
│   ├── TLSFailed           the two sides don't trust one another
│   └── RequestTimedOut     we stopped waiting; whether the server acted is unknown
├── InvalidAnswer           bytes that are no Kubernetes answer
├── InvalidName             a name that can't be part of a path, or none where there has to be one
├── DiscoveryFailed         some groups could not be asked
└── NoMatch                 no such resource or kind; AmbiguousMatch: several, and none is preferred
"""

from __future__ import annotations

from collections.abc import Sequence


class ClientError(Exception):
    """All that can go wrong before there is an answer, or with one that is none. What is refused is an APIError."""


class ConfigError(ClientError):
    """`mistyped` is what somebody wrote, and what there is."""

    def __init__(self, message: str, mistyped: tuple[str, Sequence[str]] | None = None) -> None:
        super().__init__(message)
        self.mistyped = mistyped


class EmptyConfig(ConfigError):
    pass


class InvalidConfig(ConfigError):
    """`problems` one by one."""

    def __init__(self, problems: Sequence[str], mistyped: tuple[str, Sequence[str]] | None = None) -> None:
        listed = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
        super().__init__(f"invalid configuration: {listed}", mistyped)
        self.problems = tuple(problems)


class InvalidName(ClientError, ValueError):
    """Nothing was sent."""


class CredentialsError(ClientError):
    pass


class ConnectionFailed(ClientError):
    """`address` is the server's host and port, and `reason` what Go would say, if they are known.

    `unanswered` when not a byte came back: the server may never have seen the request.
    """

    def __init__(self, message: str, *, address: str = "", reason: str = "", unanswered: bool = False) -> None:
        super().__init__(message)
        self.address = address
        self.reason = reason
        self.unanswered = unanswered


class ConnectionRefused(ConnectionFailed):
    pass


class ConnectionLost(ConnectionFailed):
    pass


class TLSFailed(ConnectionFailed):
    pass


class RequestTimedOut(ConnectionFailed):
    pass


class InvalidAnswer(ClientError):
    pass


class DiscoveryFailed(ClientError):
    pass


class NoMatch(ClientError):
    """`mistyped` is what somebody wrote, and what there is."""

    def __init__(self, message: str, mistyped: tuple[str, Sequence[str]] | None = None) -> None:
        super().__init__(message)
        self.mistyped = mistyped


class AmbiguousMatch(ClientError):
    pass
