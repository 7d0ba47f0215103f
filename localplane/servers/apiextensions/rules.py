"""The rules of x-kubernetes-validations: what is wrong with them, and what they have against an object.

A definition's rules are compiled when it is judged, and needed again when its first object comes, so the last few are
kept. Kubernetes: pkg/apiserver/schema/cel.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import orjson

from localplane.apimachinery.fieldpath import FieldError, Path
from localplane.apimachinery.schema.declarations.structural import node_of_openapi

from .schemas import walk

if TYPE_CHECKING:
    from localplane.apimachinery.cel.rules.rules import CompiledRules

_KEYWORD: Final = "x-kubernetes-validations"
_MOST_KEPT: Final = 8


class RuleCompiler:
    """Keeps what it compiled last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, CompiledRules] = OrderedDict()

    def errors(
        self, schema: Mapping[str, Any], path: Path, *, any_cost: bool = False, broken: Iterable[str] = ()
    ) -> list[FieldError]:
        """What is wrong with the rules of a structural schema. `any_cost` forgives what a rule costs, and `broken` are
        fields that are wrong already: what stands at or above them is not looked at."""
        if not has_rules(schema):
            return []
        compiled = _compiled(schema, path=path, any_cost=any_cost, broken=broken)
        self._keep(schema, compiled)
        return compiled.errors

    def rules(self, schema: Mapping[str, Any]) -> CompiledRules | None:
        """None if a schema has no rules."""
        if not has_rules(schema):
            return None
        kept = self._kept.pop(_digest(schema), None)
        if kept is not None:
            return kept
        return _compiled(schema, any_cost=True)

    def _keep(self, schema: Mapping[str, Any], compiled: CompiledRules) -> None:
        self._kept[_digest(schema)] = compiled
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)


def _compiled(
    schema: Mapping[str, Any], *, path: Path | None = None, any_cost: bool = False, broken: Iterable[str] = ()
) -> CompiledRules:
    from localplane.apimachinery.cel.rules.rules import (
        compile_rules,  # the largest import of all, and many have no rules
    )

    return compile_rules(node_of_openapi(schema), path=path, any_cost=any_cost, broken=broken)


def warm_up() -> None:
    """Load the engine, so that the first definition with a rule need not wait for it."""
    import_module("localplane.apimachinery.cel.rules.rules")


def has_rules(schema: Mapping[str, Any]) -> bool:
    return any(_KEYWORD in each for each in walk(schema))


def _digest(schema: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(orjson.dumps(schema, option=orjson.OPT_SORT_KEYS)).digest()
