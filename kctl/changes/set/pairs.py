"""Words after a verb: the objects, then what is to be set. Kubernetes: cmdutil.GetResourcesAndPairs, ParsePairs."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.errors import KctlError


def split(arguments: Sequence[str], what: str) -> tuple[list[str], list[str]]:
    """Objects, and the pairs (`key=value`, `key-`) behind them."""
    resources: list[str] = []
    pairs: list[str] = []
    for word in arguments:
        if ("=" in word and not word.startswith("=")) or (word.endswith("-") and word != "-"):
            pairs.append(word)
        elif pairs:
            raise KctlError(f"all resources must be specified before {what} changes: {word}")
        else:
            resources.append(word)
    return resources, pairs


def values(pairs: Sequence[str], what: str) -> dict[str, str]:
    """Of pairs that may only set."""
    wrong = [pair for pair in pairs if "=" not in pair[1:]]
    if wrong:
        raise KctlError(f"invalid {what} format: {', '.join(wrong)}")
    return dict(pair.split("=", 1) for pair in pairs)
