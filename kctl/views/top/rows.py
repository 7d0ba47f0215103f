"""Tables of what is used. Kubernetes: kubectl/pkg/metricsutil, metrics_printer.go and metrics_sorter.go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kctl.printers.table import TabWriter
from kctl.printers.terminal import escape
from localplane.apimachinery.quantity import ZERO, Quantity, parse

Amounts = Mapping[str, Quantity]

SWAP = "swap"
_MEASURED = ("cpu", "memory")
_HEADERS = {"cpu": "CPU(cores)", "memory": "MEMORY(bytes)", SWAP: "SWAP(bytes)"}
_SHARES = {"cpu": "CPU(%)", "memory": "MEMORY(%)", SWAP: "SWAP(%)"}
_MEBIBYTE = 1024 * 1024
_UNKNOWN = "<unknown>"
_LINE = "________"


def measured(*, swap: bool) -> tuple[str, ...]:
    return (*_MEASURED, SWAP) if swap else _MEASURED


def usage(entries: Mapping[str, Any] | None) -> dict[str, Quantity]:
    return {name: parse(str(value)) for name, value in (entries or {}).items()}


def total(every: Iterable[Amounts], resources: Sequence[str]) -> dict[str, Quantity]:
    found = dict.fromkeys(resources, ZERO)
    for amounts in every:
        for name in resources:
            found[name] = found[name] + amounts.get(name, ZERO)
    return found


def order(amounts: Amounts, name: object, sort_by: str) -> Any:
    """What to sort by: the greatest first, or the names."""
    if not sort_by:
        return name
    amount = amounts.get(sort_by, ZERO)
    return -(amount.milli_value() if sort_by == "cpu" else amount.value())


class Rows:
    """Cells end with a tab, the last ones too: so does kubectl's table."""

    def __init__(self, out: TabWriter, resources: Sequence[str]) -> None:
        self._out = out
        self._resources = resources

    def headers(self, before: Sequence[str], *, shares: bool) -> int:
        """How many columns there are."""
        names = [*before, "NAME"]
        for one in self._resources:
            names += [_HEADERS[one], _SHARES[one]] if shares else [_HEADERS[one]]
        self.line(names)
        return len(names)

    def line(self, cells: Iterable[str]) -> None:
        self._out.write("".join(f"{escape(cell)}\t" for cell in cells) + "\n")

    def used(
        self,
        before: Sequence[str],
        amounts: Amounts,
        available: Amounts | None = None,
        *,
        missing: frozenset[str] = frozenset(),
    ) -> None:
        """`before` ends with the name. What is `missing` is unknown, and so is its share of what is available."""
        cells = list(before)
        for one in self._resources:
            if one in missing:
                cells += [_UNKNOWN, _UNKNOWN]
                continue
            amount = amounts.get(one, ZERO)
            cells.append(_shown(one, amount))
            if available is not None and one in available:
                cells.append(_share(amount, available[one]))
        self.line(cells)

    def unknown(self, name: str) -> None:
        self.line([name, *(_UNKNOWN,) * (2 * len(self._resources))])

    def sum(self, amounts: Amounts, columns: int) -> None:
        self.line([*("",) * (columns - 2), _LINE, _LINE])
        self.used(("",) * (columns - 2), amounts)


def _shown(resource: str, amount: Quantity) -> str:
    return f"{amount.milli_value()}m" if resource == "cpu" else f"{amount.value() // _MEBIBYTE}Mi"


def _share(amount: Quantity, available: Quantity) -> str:
    whole = available.milli_value()
    return f"{int(amount.milli_value() / whole * 100) if whole else 0}%"
