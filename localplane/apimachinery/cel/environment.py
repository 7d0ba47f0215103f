"""What Kubernetes 1.37 lets expressions use. Upstream: apiserver/pkg/cel/environment/base.go.

There is no cel.bind and no math library, because there is none there. Rules of custom resources add `self` and
`oldSelf`, admission policies `object`, `request`, `params` and their like.
"""

from __future__ import annotations

from functools import lru_cache

from .declarations import Environment, merged
from .types import (
    BOOL,
    BYTES,
    CIDR,
    DOUBLE,
    DURATION,
    INT,
    IP,
    LIST,
    MAP,
    NULL,
    OPTIONAL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
)

_TYPES = (BOOL, BYTES, CIDR, DOUBLE, DURATION, INT, IP, LIST, MAP, NULL, OPTIONAL, STRING, TIMESTAMP, TYPE, UINT)


@lru_cache(maxsize=1)
def base_environment() -> Environment:
    """Made when it is first needed: importing this costs nothing."""
    from .library.authorization import AUTHORIZATION
    from .library.conversions import CONVERSIONS
    from .library.lists import LISTS
    from .library.named_formats import NAMED_FORMATS
    from .library.network import NETWORK
    from .library.operators import OPERATORS
    from .library.optionals import OPTIONALS
    from .library.patterns import REGEX
    from .library.quantities import QUANTITIES
    from .library.semver import SEMVERS
    from .library.strings import STRINGS
    from .library.times import TIMES
    from .library.urls import URLS

    functions = merged(
        OPERATORS,
        CONVERSIONS,
        TIMES,
        URLS,
        REGEX,
        AUTHORIZATION,
        OPTIONALS,
        QUANTITIES,
        STRINGS,
        NETWORK,
        NAMED_FORMATS,
        SEMVERS,
        LISTS,
    )
    return Environment(functions, {type_.name: type_ for type_ in _TYPES}, {})
