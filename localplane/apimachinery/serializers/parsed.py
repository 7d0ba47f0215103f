"""What parsing gives, whatever the format was."""

from __future__ import annotations

from dataclasses import dataclass

from localplane.apimachinery.light_typing import Any


@dataclass(frozen=True, slots=True)
class Parsed:
    """`duplicates` has a sentence for each key that came twice: what a warning says.

    `strict` has the same as errors: for JSON the same sentences, for YAML one with all of them.
    """

    value: Any
    duplicates: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
