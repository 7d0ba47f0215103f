"""How much the rules of a definition may cost at most, and what is said of those that may cost more.

Upstream: apiextensions-apiserver pkg/apis/apiextensions/validation, cel_validation.go.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.cel.costs.numbers import MOST, plus, times
from localplane.apimachinery.cel.schema.declared_types import REQUEST_SIZE
from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.schema import Node

EXPRESSION_LIMIT: Final = 10_000_000
DEFINITION_LIMIT: Final = 100_000_000
PER_CALL: Final = 1_000_000
PER_OBJECT: Final = 10_000_000
"""What evaluating may cost: one expression, and all rules for one object."""


def most_places(node: Node, places: int | None) -> int | None:
    """How often what is within this node can occur, where the node itself can occur `places` times."""
    if places is None:
        return None
    if node.type == "object" and (node.values is not None or node.values_allowed is not None):
        most = node.limits.max_properties
    elif node.type == "array":
        most = node.limits.max_items
    else:
        most = 1
    return times(places, max(most, 0)) if most is not None else None


def places_by_size(smallest: int) -> int:
    """How often so many bytes fit into a request."""
    return REQUEST_SIZE // (smallest + 1)


def cost_message(name: str, cost: int, limit: int) -> str:
    factor = float(min(cost, MOST)) / float(limit)
    if factor > 100.0:
        said = "more than 100x"
    elif factor < 1.5:
        said = f"{factor:f}x"
    else:
        said = f"{factor:.1f}x"
    hint = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings"
    return f"{name} exceeds budget by factor of {said} ({hint} are declared)"


class Total:
    """What all rules of a definition may cost together, and which of them cost most."""

    def __init__(self) -> None:
        self._cost = 0
        self._most_expensive: list[tuple[int, Path]] = []

    def observe(self, path: Path, cost: int) -> None:
        cost = min(cost, MOST)
        self._cost = plus(self._cost, cost)
        if cost >= DEFINITION_LIMIT // 100:
            self._most_expensive.append((cost, path))
            self._most_expensive.sort(key=lambda each: -each[0])
            del self._most_expensive[4:]

    def errors(self, path: Path) -> list[FieldError]:
        if self._cost <= DEFINITION_LIMIT:
            return []
        words = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        errors = [forbidden(each, words) for _, each in self._most_expensive]
        return [*errors, forbidden(path, cost_message(name, self._cost, DEFINITION_LIMIT))]
