"""What a Markdown file shows as code: which language, for which file, and whether tests can run it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

NOT_RUN = "not run by our tests"
"""What stands right before a block that can't be run, with the reason."""
_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"\A(?:#|//) (?P<file>[\w./-]+\.(?:py|ya?ml|toml|ini|go|sh|json))\n")


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    text: str
    line: int
    """Where it begins."""
    file: str
    """What its first line says that it is saved as, or nothing."""
    runs: bool


def blocks(markdown: str) -> Iterator[Block]:
    for found in _FENCE.finditer(markdown):
        text = found["text"]
        named = _FILE.match(text)
        before = markdown[: found.start()].rstrip("\n").rpartition("\n\n")[2]
        yield Block(
            language=found["language"],
            text=text,
            line=markdown.count("\n", 0, found.start()) + 1,
            file=named["file"] if named else "",
            runs=NOT_RUN not in before.lower(),
        )
