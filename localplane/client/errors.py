"""What can go wrong on our side of the wire. What the server says no with is an APIError of apimachinery.

ClientError
├── ConfigError             the configuration is missing, malformed or contradicts itself
│   └── EmptyConfig         there is none at all
├── CredentialsError        a token or certificate can't be had
├── ConnectionFailed        the request or its answer did not get through
│   ├── ConnectionRefused   nobody listens there: the request was never sent
│   ├── ConnectionLost      cut after it was made; whether the server acted is unknown
│   ├── TLSFailed           the two sides don't trust one another
│   └── RequestTimedOut     we stopped waiting; whether the server acted is unknown
├── InvalidAnswer           bytes that are no Kubernetes answer
├── DiscoveryFailed         some groups could not be asked
└── NoMatch                 no such resource or kind; AmbiguousMatch: several, and none is preferred
"""

from __future__ import annotations


class ClientError(Exception):
    pass


class ConfigError(ClientError):
    pass


class EmptyConfig(ConfigError):
    pass


class CredentialsError(ClientError):
    pass


class ConnectionFailed(ClientError):
    pass


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
    pass


class AmbiguousMatch(ClientError):
    pass
