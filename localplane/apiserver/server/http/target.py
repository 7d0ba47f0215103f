"""The request line's target, as Go's net/url reads it: a decoded path, and every value of the query."""

from __future__ import annotations

import re
from urllib.parse import unquote, unquote_plus

from localplane.apiserver.request import Query

_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_NOTHING_ASKED = Query({})


def decode_path(raw: str) -> str:
    """Empty if it can't be decoded. Bytes that are no UTF-8 become the replacement character: no name can hold them,
    and no answer could repeat them."""
    if "%" not in raw:
        return raw if raw.isascii() else _as_text(raw)
    if _BAD_ESCAPE.search(raw):
        return ""
    return unquote(_as_text(raw), errors="replace")


def parse_query(raw: str) -> Query:
    """Pairs that can't be decoded, or hold a semicolon, are left out, as url.Values does."""
    if not raw:
        return _NOTHING_ASKED
    values: dict[str, list[str]] = {}
    for pair in raw.split("&"):
        if not pair or ";" in pair:
            continue
        name, _, value = pair.partition("=")
        if "%" in pair or "+" in pair:
            if _BAD_ESCAPE.search(pair):
                continue
            name, value = unquote_plus(name, errors="replace"), unquote_plus(value, errors="replace")
        if name in values:
            values[name].append(value)
        else:
            values[name] = [value]
    return Query(values)


def _as_text(raw: str) -> str:
    """aiohttp keeps bytes that are no UTF-8 as lone surrogates, which nothing can write."""
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
