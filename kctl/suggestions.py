"""What was probably meant: names within two keystrokes, and names that begin so. Kubernetes: cobra's SuggestionsFor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kctl.errors import UsageError


def unknown_command(name: str, *, known: Sequence[str], own: Sequence[str] = ()) -> UsageError:
    """kubectl guesses what was meant, also where nobody watches. Our `own` come second."""
    near = close(name, known) or close(name, own)
    return UsageError(f'unknown command "{name}" for "kctl"', hint=did_you_mean(near))


def did_you_mean(names: Sequence[str]) -> str:
    """What follows an error; empty for nothing."""
    return "\n".join(("", "Did you mean this?", *(f"\t{name}" for name in names))) if names else ""


def close(name: str, known: Iterable[str]) -> list[str]:
    name = name.lower()
    return [one for one in known if _distance(name, one) <= 2 or one.startswith(name)]


def closest(name: str, known: Iterable[str], *, most: int = 5) -> list[str]:
    """The same where there are many: the nearest first, and few of them."""
    name = name.lower()
    ranked = sorted({(_distance(name, one), one) for one in known})
    limit = 1 if len(name) < 4 else 2
    return [one for distance, one in ranked if distance <= limit or (len(name) > 2 and one.startswith(name))][:most]


def _distance(one: str, other: str) -> int:
    """Levenshtein's: how many keystrokes lie between two words."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
