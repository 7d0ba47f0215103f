"""`key=value` and `key-` after what they are for: label, annotate, taint. Kubernetes: cmdutil.GetResourcesAndPairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kctl.errors import KctlError


class Words(NamedTuple):
    resources: tuple[str, ...]
    pairs: tuple[str, ...]


class Changes(NamedTuple):
    """What to set, in order, and what to take away."""

    new: dict[str, str]
    removed: tuple[str, ...]


def split(arguments: Sequence[str], what: str) -> Words:
    """`what` is label, annotation... Raises KctlError for a resource after the first pair."""
    resources: list[str] = []
    pairs: list[str] = []
    for word in arguments:
        is_pair = ("=" in word and not word.startswith("=")) or (word.endswith("-") and word != "-")
        if is_pair:
            pairs.append(word)
        elif pairs:
            raise KctlError(f"all resources must be specified before {what} changes: {word}")
        else:
            resources.append(word)
    return Words(tuple(resources), tuple(pairs))


def parse(pairs: Sequence[str]) -> Changes:
    """The first `=` separates. Kubernetes: cmdutil.ParsePairs."""
    new: dict[str, str] = {}
    removed = []
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if equals:
            new[key] = value
        else:
            removed.append(pair[:-1])
    return Changes(new, tuple(removed))
