"""Quantities by the name of what they measure: Kubernetes' ResourceList. Kubernetes: apiserver/pkg/quota/v1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.quantity import Quantity, parse

Amounts = dict[str, Quantity]
ONE: Final = Quantity(1)


def read(amounts: Mapping[str, Any] | None) -> Amounts:
    return {name: parse(str(amount)) for name, amount in (amounts or {}).items()}


def written(amounts: Mapping[str, Quantity]) -> dict[str, str]:
    return {name: str(amount) for name, amount in sorted(amounts.items())}


def add(total: Amounts, more: Mapping[str, Quantity]) -> None:
    """Onto `total`, in place."""
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def raise_to(total: Amounts, least: Mapping[str, Quantity]) -> None:
    """To the greater of both, in place."""
    for name, amount in least.items():
        if name not in total or amount > total[name]:
            total[name] = amount
