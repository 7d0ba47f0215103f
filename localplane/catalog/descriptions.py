"""What the fields of built-in types mean, in our own words: `data/descriptions`, read when a document is made of them.

    core/v1.EphemeralContainer < @container: What the type is.
      image: What the field is.

A type has the fields of those behind `<` as well; names that begin with @ are only there for that. `@kind` is what
every kind has. Nothing is kept: few ask for documents, and they ask once.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from .schemas import openapi_name

Words = dict[str, str]

_DATA: Final = files("localplane.catalog") / "data" / "descriptions"
_EVERY_KIND: Final = "@kind"


def descriptions() -> Mapping[str, Words]:
    """By the name that documents have for a type: its fields' descriptions, and its own under the empty name.
    What every kind has is under the empty name, too."""
    read = _read()
    found = {openapi_name(name): _whole(name, read) for name in read if not name.startswith("@")}
    found[""] = {name: text for name, text in read[_EVERY_KIND][1].items() if name}
    return found


def _read() -> dict[str, tuple[str, Words]]:
    """By name: what it inherits from, and its own words."""
    found: dict[str, tuple[str, Words]] = {}
    words: Words = {}
    for file in _DATA.iterdir():
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                name, _, text = line[2:].partition(": ")
                words[name] = text
            elif line:
                head, _, text = line.partition(": ")
                name, _, parent = head.partition(" < ")
                words = {"": text}
                found[name] = parent, words
    return found


def _whole(name: str, read: Mapping[str, tuple[str, Words]]) -> Words:
    parent, words = read[name]
    return {**_whole(parent, read), **words} if parent else words
