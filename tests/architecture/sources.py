"""Our source as the tests of this folder look at it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def texts(*places: str) -> Iterator[tuple[str, str]]:
    """Each module of these packages, rooms or files: its path from the root, and what is written in it."""
    for place in places:
        path = ROOT / place
        for module in [path] if path.suffix else sorted(path.rglob("*.py")):
            yield str(module.relative_to(ROOT)), module.read_text("utf-8")


def trees(places: Iterable[str], words: Iterable[str]) -> Iterator[tuple[str, ast.Module]]:
    """Those in which one of these words stands. It takes seconds to read all of them as Python does."""
    word = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in words))
    for path, text in texts(*places):
        if word.search(text):
            yield path, ast.parse(text)
