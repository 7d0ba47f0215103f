"""Query parameters as Kubernetes converts them. Kubernetes: apimachinery/pkg/runtime/conversion.go."""

from __future__ import annotations

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apiserver.request import Query

OPTIONS_GROUP = "meta.k8s.io"
"""The group of options in error messages."""

_MOST_DIGITS = 19  # of a number of 64 bits; Python refuses to read thousands of them


def number(query: Query, name: str) -> int | None:
    """As Go reads a number; None if the query says nothing. Raises BadRequest."""
    return integer(query.get(name)) if name in query else None


def integer(text: str, *, bits: int = 64) -> int:
    """As Go's strconv.ParseInt reads it. Raises BadRequest."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit()):
        raise BadRequest(f"strconv.ParseInt: parsing {go_quote(text)}: invalid syntax")
    if len(digits.lstrip("0")) > _MOST_DIGITS or not -(1 << bits - 1) <= int(text) < 1 << bits - 1:
        raise BadRequest(f"strconv.ParseInt: parsing {go_quote(text)}: value out of range")
    return int(text)


def flag(query: Query, name: str) -> bool:
    """Only its absence, "0" and "false" are false."""
    return name in query and query.get(name).lower() not in ("false", "0")


def optional_flag(query: Query, name: str) -> bool | None:
    return flag(query, name) if name in query else None
