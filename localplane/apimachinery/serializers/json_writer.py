"""JSON out."""

from __future__ import annotations

import re
from typing import Any

import orjson

from localplane.apimachinery.golang.text import go_json

_LEADING_SPACES = re.compile(rb"^ +", re.MULTILINE)
_SEPARATORS = (("\u2028".encode(), b"\\u2028"), ("\u2029".encode(), b"\\u2029"))


def to_json(
    value: Any, *, pretty: bool = False, indent: int = 2, sort_keys: bool = False, html_safe: bool = False
) -> bytes:
    """One line, or for people; servers indent by two spaces, kubectl by four. No line break at the end.

    `html_safe` writes <, > and & as Go's encoder does; the value is the same, but kubectl's last-applied annotation
    has it so. What orjson can't write (very deep values, whole numbers of more than 64 bits) comes in one line.
    """
    options = (orjson.OPT_INDENT_2 if pretty else 0) | (orjson.OPT_SORT_KEYS if sort_keys else 0)
    try:
        data = orjson.dumps(value, option=options)
    except orjson.JSONEncodeError:
        return go_json(value).encode()
    if pretty and indent != 2:
        data = _LEADING_SPACES.sub(lambda spaces: b" " * (len(spaces[0]) // 2 * indent), data)
    return escape_html(data) if html_safe else data


def to_json_answer(value: Any, *, pretty: bool = False) -> bytes:
    """What a server sends. Go's encoder ends a line, and what it indents it does not end."""
    data = to_json(value, pretty=pretty)
    return data if pretty else data + b"\n"


def escape_html(data: bytes) -> bytes:
    """JSON as Go writes it. These characters stand only inside strings, so they can be replaced wherever they are."""
    data = data.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")
    for character, escape in _SEPARATORS:
        data = data.replace(character, escape)
    return data
