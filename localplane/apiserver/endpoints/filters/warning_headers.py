"""The Warning headers of an answer, made where it leaves.

Every warning is a header of its own, so the edge that writes headers asks for them; `Response.headers` can't hold a
name twice. Kubernetes: endpoints/filters/warning.go, apimachinery/pkg/util/net NewWarningHeader.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# Together, and each one once together is too much. Kubernetes counts characters.
_MOST_CHARACTERS = 4 * 1024
_SHORTENED_TO = 256


def warning_headers(warnings: Iterable[str]) -> list[str]:
    """One value for each warning, no text twice. If all of them are too long, each is cut short; if they still are,
    the rest is left out."""
    texts = [text for text in dict.fromkeys(warnings) if text]
    if not texts:
        return []
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        texts = _shortened(texts)
    return [_header(text) for text in texts if _can_be_told(text)]


def _shortened(texts: list[str]) -> list[str]:
    kept, written = [], 0
    for text in texts:
        if written >= _MOST_CHARACTERS:
            break
        kept.append(text[:_SHORTENED_TO])
        written += len(kept[-1])
    return kept


def _can_be_told(text: str) -> bool:
    """Control characters would end the header, and half a character is no text at all."""
    return text.isprintable() or not any(unicodedata.category(character) in ("Cc", "Cs") for character in text)


def _header(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{quoted}"'
