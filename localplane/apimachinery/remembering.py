"""What was worked out for a text, kept for the next time: the same few names, times and amounts come again and again.

Only short texts are kept. What strangers send may be as long as a request, and must not be able to fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

LONGEST_KEY: Final = 64
"""In characters. Every cache whose keys a client can write has this bound."""

_MOST = 4096

Result = TypeVar("Result")


def remembered(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """As functools.lru_cache, for a function of one text: longer ones are worked out anew."""
    kept = lru_cache(maxsize=_MOST)(function)

    @wraps(function)
    def of_text(text: str) -> Result:
        return kept(text) if len(text) <= LONGEST_KEY else function(text)

    return of_text
