"""A line of kubectl's log: letter, day, time, process, place. Kubernetes: klog's text format."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence


def line(place: str, text: str, *, letter: str = "I") -> str:
    stamp = dt.datetime.now().astimezone().strftime("%m%d %H:%M:%S.%f")
    return f"{letter}{stamp} {os.getpid():7d} {place}] {text}\n"


def level_in(words: Sequence[str]) -> int:
    """What -v says, before anybody knows which flags there are. Kubernetes: GetLogVerbosity."""
    for position, word in enumerate(words):
        if word == "--":
            break
        value = ""
        if word in ("-v", "--v") and position + 1 < len(words):
            value = words[position + 1]
        elif word.startswith(("-v=", "--v=")):
            value = word.partition("=")[2]
        if value.isdecimal():
            return int(value)
    return 0
