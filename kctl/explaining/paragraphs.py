"""Text in lines of a given width: lines that belong together are joined, lists and code stay as they are.

Kubernetes: kubectl/pkg/explain/formatter.go.
"""

from __future__ import annotations

import re

_BULLET = re.compile(r"^(\d+\.?|-|\*)[\t\n\f\r ]")
_CODE = "    "


def paragraphs(text: str, width: int) -> list[str]:
    """Words are joined by one space. An empty line stays, unless nothing has been said before it."""
    lines: list[str] = []
    words: list[str] = []

    def flush() -> None:
        if words:
            lines.append(" ".join(words))
            words.clear()

    for line in text.split("\n"):
        is_empty = not line.strip()
        if line.startswith(_CODE):
            flush()
            lines.append(line)
        elif is_empty and lines:
            flush()
            lines.append("")
        else:
            if is_empty or _begins_anew(line, after=words[-1] if words else ""):
                flush()
            for word in line.split():
                if words and len(" ".join((*words, word)).encode()) > width:
                    flush()
                words.append(word)
    flush()
    return lines


def _begins_anew(line: str, *, after: str) -> bool:
    return after.endswith(":") or _BULLET.match(line.strip()) is not None
