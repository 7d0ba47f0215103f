"""Tolerations, merged and compared. Kubernetes: pkg/util/tolerations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Toleration = dict[str, Any]


def merged(first: Sequence[Toleration], second: Sequence[Toleration]) -> list[Toleration]:
    """Both, without those that another one covers; of equal ones the first stays."""
    everything = [*first, *second]
    kept: list[Toleration] = []
    for index, toleration in enumerate(everything):
        later = (other for other in everything[index + 1 :] if other != toleration)
        if not any(covers(other, toleration) for other in (*kept, *later)):
            kept.append(toleration)
    return kept


def are_all_covered(tolerations: Sequence[Toleration], allowed: Sequence[Toleration]) -> bool:
    return not allowed or all(any(covers(each, toleration) for each in allowed) for toleration in tolerations)


def covers(wide: Mapping[str, Any], narrow: Mapping[str, Any]) -> bool:
    """Whether the first tolerates all that the second does."""
    if wide == narrow:
        return True
    key, operator, effect = wide.get("key", ""), wide.get("operator", ""), wide.get("effect", "")
    matches_all = not key and operator == "Exists"
    if (narrow.get("key", "") != key and not matches_all) or effect not in ("", narrow.get("effect", "")):
        return False
    if effect == "NoExecute" and not _lasts(wide, narrow):
        return False
    if operator == "Exists":
        return True
    is_equal = narrow.get("operator") == "Equal" and narrow.get("value", "") == wide.get("value", "")
    return operator in ("", "Equal") and is_equal


def _lasts(wide: Mapping[str, Any], narrow: Mapping[str, Any]) -> bool:
    """At least as long."""
    seconds, needed = wide.get("tolerationSeconds"), narrow.get("tolerationSeconds")
    return seconds is None or (needed is not None and needed <= seconds)
