"""All functions that expressions may call, in the order in which their declarations are merged."""

from __future__ import annotations

from .authorization import AUTHORIZATION
from .conversions import CONVERSIONS
from .lists import LISTS
from .named_formats import NAMED_FORMATS
from .network import NETWORK
from .operators import OPERATORS
from .optionals import OPTIONALS
from .patterns import REGEX
from .quantities import QUANTITIES
from .semver import SEMVERS
from .strings import STRINGS
from .times import TIMES
from .urls import URLS

FUNCTIONS = (
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
