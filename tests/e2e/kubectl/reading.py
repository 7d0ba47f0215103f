"""What kubectl printed, without what differs from run to run or from one of its releases to the next."""

from __future__ import annotations

import re

_AGE = re.compile(r"\d+m?s|\d+m(\d+s)?")
_CHOSEN = (
    (re.compile(r"\b10\.0\.0\.\d+"), "<ip>"),
    (re.compile(r"\b3[0-2]\d\d\d\b"), "<port>"),
)
_HEADING = re.compile(r"\S+(?: \S+)*")


def table(text: str) -> list[str]:
    """Its lines, `cell | cell | cell`: columns are as wide as their widest cell, which would tell how long an age is.
    Ages and what the server chose by itself are made the same in every run."""
    lines = text.splitlines()
    starts = [found.start() for found in _HEADING.finditer(lines[0])]
    ends = [*starts[1:], None]
    return [
        " | ".join(_steady(line[start:end].strip()) for start, end in zip(starts, ends, strict=True)).rstrip()
        for line in lines
    ]


def _steady(cell: str) -> str:
    if _AGE.fullmatch(cell):
        return "<age>"
    for pattern, instead in _CHOSEN:
        cell = pattern.sub(instead, cell)
    return cell


def deleted(text: str) -> str:
    """From 1.34 on kubectl tells the namespace as well."""
    return re.sub(r" from [a-z0-9-]+ namespace$", "", text, flags=re.MULTILINE)
