"""The seam to the engine of x-kubernetes-validations: all that custom resources want of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from localplane.apimachinery.fieldpath import FieldError, Path


class Rules(Protocol):
    """The compiled rules of one version's schema."""

    def validate(self, obj: Any, old: Any, path: Path) -> list[FieldError]:
        """What the rules have against an object; `old` is None for a new one."""
        ...


def rule_errors(schema: Mapping[str, Any], path: Path, *, known: Collection[str], any_cost: bool) -> list[FieldError]:
    """What is wrong with the rules of a schema that is known to be good. `known` are expressions that were there
    before, and `any_cost` forgives what a rule costs: the schema is stored already."""
    return []


def compiled_rules(schema: Mapping[str, Any]) -> Rules | None:
    """None if a schema has no rules."""
    return None
