"""What was worked out for a text, kept for the next time: the same few names, times and amounts come again and again.

Only short texts are kept. What strangers send may be as long as a request, and must not be able to fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

LONGEST_KEY: Final = 64
"""In characters. Every cache whose keys a client can write has this bound."""

_MOST: Final = 4096

Result = TypeVar("Result")


def remembered(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """As functools.lru_cache, for a function of one text: longer ones are worked out anew. What is kept is looked up
    without a call of Python's, and all of it is let go when there is too much: what is used often is soon back."""
    return _Kept(function).__getitem__


class _Kept(dict[str, Result], Generic[Result]):
    def __init__(self, function: Callable[[str], Result]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> Result:
        result = self._function(text)
        if len(text) <= LONGEST_KEY:
            if len(self) >= _MOST:
                self.clear()
            self[text] = result
        return result
