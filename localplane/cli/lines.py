"""What people read: a title, rows of name and value, and a last word. Coloured on a terminal, plain everywhere else.

Nothing is wrapped or cut here: a path that the terminal itself breaks can still be copied in one piece.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_STYLES = {"server": "cyan", "note": "yellow", "health": "red"}


@dataclass(frozen=True, slots=True)
class Block:
    """`good` puts a green or a red mark before the title; None puts none."""

    title: str
    good: bool | None = None
    rows: Sequence[tuple[str, str]] = ()
    footer: str = ""


def show(block: Block) -> None:
    """On standard output, at once."""
    if "NO_COLOR" not in os.environ and (sys.stdout.isatty() or "FORCE_COLOR" in os.environ):
        _show_in_colour(block)
    else:
        lines = [block.title, *(f"  {name:<9} {value}" for name, value in block.rows)]
        sys.stdout.write("\n".join([*lines, *([block.footer] if block.footer else []), ""]))
    sys.stdout.flush()


def _show_in_colour(block: Block) -> None:
    """rich is imported only where somebody watches."""
    from rich.console import Console
    from rich.text import Text

    text = Text()
    if block.good is not None:
        text.append("● " if block.good else "○ ", "bold green" if block.good else "bold red")
    text.append(block.title, "bold")
    for name, value in block.rows:
        text.append(f"\n  {name:<9} ", "dim").append(value, _STYLES.get(name, ""))
    if block.footer:
        text.append(f"\n{block.footer}", "dim")
    Console(highlight=False).print(text, soft_wrap=True)


def tidy(path: str | Path) -> str:
    """As short as it can be and still be pasted into a shell; whole when it is not for eyes."""
    text = str(path)
    home = str(Path("~").expanduser())
    if sys.stdout.isatty() and text.startswith(f"{home}/"):
        return f"~{text.removeprefix(home)}"
    return text


def size(number: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}"
        number /= 1024
    return f"{number:.1f} GiB"
