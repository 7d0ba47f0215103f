"""Integers in text, as Go reads them."""

from __future__ import annotations

import re

from localplane.apimachinery.golang.text import go_quote

_is_integer = re.compile("[+-]?[0-9]+").fullmatch


class NotAnInteger(ValueError):
    """The text of Go's strconv.NumError."""


def parse_int64(text: str, *, function: str = "ParseInt") -> int:
    """Go's strconv.ParseInt with base 10, or Atoi, whose errors differ in the name only."""
    opening = f"strconv.{function}: parsing {go_quote(text)}: "
    if not _is_integer(text):
        raise NotAnInteger(f"{opening}invalid syntax")
    digits = text.lstrip("+-").lstrip("0") or "0"  # Python refuses to read thousands of digits, even zeros
    number = int(digits[:20]) * (-1 if text.startswith("-") else 1)
    if len(digits) > 19 or not -(2**63) <= number < 2**63:
        raise NotAnInteger(f"{opening}value out of range")
    return number
