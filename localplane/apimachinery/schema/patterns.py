"""Patterns are written for RE2 and run by Python's re: they are read as Go reads them, and written anew for Python.

What Go refuses is an InvalidPattern, in Go's words: a look-ahead, a reference to a group, a repeated repetition.
RE2 runs in linear time and Python does not: a pattern like `(a+)+$` can take forever on a text of thirty characters.
Whoever may write definitions may stop the server with one; there is no guard against it here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .regexps import InvalidRegexp, translated


class InvalidPattern(ValueError):
    pass


@lru_cache(maxsize=4096)
def searcher(pattern: str) -> Callable[[str], Any]:
    """What finds the pattern anywhere in a text."""
    try:
        return re.compile(translated(pattern), re.ASCII).search
    except InvalidRegexp as error:
        raise InvalidPattern(f"error parsing regexp: {error}") from None
    except (re.error, OverflowError, RecursionError):
        raise InvalidPattern(f"error parsing regexp: expression too large: `{pattern}`") from None
