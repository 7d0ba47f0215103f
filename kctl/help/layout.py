"""A page of help as text: paragraphs and columns that fit, headings that stand out on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from localplane.apimachinery.light_typing import NamedTuple

_WIDEST = 100
"""Longer lines are hard to read, however wide the window is."""
_NARROWEST = 40
_COLUMN = 32
"""No wider than this are the names of flags; what is longer has a line of its own."""
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"

Rows = Sequence[tuple[str, str]]


class Section(NamedTuple):
    """A heading with rows of two columns, or with lines that stay as they are."""

    title: str
    rows: Rows = ()
    lines: str = ""
    column: int = 0
    """At least so wide is the first one, to be in line with other sections."""


class Page(NamedTuple):
    about: str
    sections: Sequence[Section]
    footer: str = ""


def render(page: Page) -> str:
    """For whoever reads stdout."""
    width = _width()
    parts = [fill(page.about, width)] if page.about else []
    for section in page.sections:
        body = _table(section.rows, width, section.column) if section.rows else _indented(section.lines)
        parts.append(f"{_heading(section.title)}\n{body}")
    if page.footer:
        parts.append(fill(page.footer, width))
    return "\n\n".join(parts) + "\n"


def fill(text: str, width: int) -> str:
    """Paragraphs anew, as wide as may be. Lines that are indented, and lists, stay lines of their own."""
    return "\n".join(line for block in _blocks(text) for line in _wrapped(block, width))


def _blocks(text: str) -> Iterator[str]:
    """Lines that belong together, joined. An empty line is a block, too."""
    joined = ""
    for line in text.strip().split("\n"):
        is_listed = line.startswith(("- ", "* ")) or (line[:1].isdecimal() and line[1:2] == ".")
        starts_anew = not line.strip() or line.startswith(" ") or is_listed
        if starts_anew and joined:
            yield joined
            joined = ""
        if not line.strip():
            yield ""
        elif line.startswith(" "):
            yield line
        else:
            joined = f"{joined} {line}" if joined else line
    if joined:
        yield joined


def _wrapped(text: str, width: int, *, indent: str = "") -> Iterator[str]:
    if text.startswith(" "):
        yield text
        return
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width - len(indent):
            yield indent + line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield indent + line if line else ""


def _table(rows: Rows, width: int, least: int) -> str:
    fitting = [len(name) for name, _ in rows if len(name) <= _COLUMN]
    column = max(*fitting, least, 0) + 2 if fitting else _COLUMN + 2
    lines = []
    for name, said in rows:
        texts = list(_wrapped(said, max(width - column - 2, _NARROWEST // 2)))
        if len(name) > _COLUMN:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:<{column}}{texts.pop(0)}".rstrip())
        lines += [f"  {'':<{column}}{text}" for text in texts]
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.strip("\n").split("\n"))


def _heading(title: str) -> str:
    from kctl.colours import wanted

    return f"{_BOLD}{title}:{_PLAIN}" if wanted(sys.argv, sys.stdout) else f"{title}:"


def _width() -> int:
    if os.environ.get("COLUMNS", "").isdecimal():
        width = int(os.environ["COLUMNS"])
    elif sys.stdout.isatty():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    else:
        width = _WIDEST
    return max(_NARROWEST, min(width or _WIDEST, _WIDEST))
