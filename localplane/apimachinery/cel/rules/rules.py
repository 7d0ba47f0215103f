"""The rules of a custom resource's schema: compiled once, asked about every object.

    compile_rules(schema, path=...)      what is wrong with the rules, and the rules as far as they can be used
    CompiledRules.validate(obj, old)     what the rules have against an object

Upstream: apiextensions-apiserver pkg/apis/apiextensions/validation (costs, oldSelf) and pkg/apiserver/schema/cel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import orjson

from localplane.apimachinery.cel.schema.declared_types import declared
from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, internal, invalid
from localplane.apimachinery.schema import Node
from localplane.apimachinery.schema.declarations.structural import node_of_openapi

from .budgets import EXPRESSION_LIMIT, Total, cost_message, most_places, places_by_size
from .evaluation import Review, RuleNode, review
from .rule import Rule, Scope

__all__ = ["CompiledRules", "Review", "compile_rules"]

KEYWORD: Final = "x-kubernetes-validations"
_UNCONVERTIBLE: Final = (
    "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert"
    " structural schema to CEL declarations"
)


@dataclass(frozen=True, slots=True)
class CompiledRules:
    """The rules of a schema, by the places that have some. `errors` are those of the definition."""

    place: RuleNode | None
    errors: list[FieldError] = field(default_factory=list)

    def validate(
        self, obj: Any, old: Any = None, path: Path | None = None, *, patience: int | None = None
    ) -> list[FieldError]:
        """What the rules have against an object that its schema has nothing against. Raises Unfinished where they would
        cost more than the patience; without one they go on to Kubernetes' limits."""
        return self.review(obj, old, path, patience=patience).errors

    def review(self, obj: Any, old: Any = None, path: Path | None = None, *, patience: int | None = None) -> Review:
        """The same, with the warnings about what is wrong but was so before."""
        return review(self.place, obj, old, path or Path(), patience=patience) if self.place is not None else Review()


def compile_rules(
    schema: Node | Mapping[str, Any],
    *,
    path: Path | None = None,
    is_root: bool = True,
    any_cost: bool = False,
    broken: Iterable[str] = (),
) -> CompiledRules:
    """All rules in a schema. `path` is that of the schema in its definition, and `broken` are fields of it that are
    wrong already: rules at and above them are not looked at. `any_cost` forgives what a single rule costs.

    A schema given as a mapping is remembered: the same one in another version, or asked for again, costs nothing.
    """
    path = path or Path("openAPIV3Schema")
    wrong = tuple(broken)
    if isinstance(schema, Node) or wrong:
        node = schema if isinstance(schema, Node) else node_of_openapi(schema)
        return _compiled(node, path, is_root=is_root, any_cost=any_cost, broken=wrong)
    text = orjson.dumps(schema)
    known = _remembered(text, is_root, any_cost)
    return CompiledRules(known.place, [_moved(error, str(path)) for error in known.errors])


_ANYWHERE: Final = "\0"
"""As the path of a schema: to be replaced by the real one."""


@lru_cache(maxsize=256)
def _remembered(text: bytes, is_root: bool, any_cost: bool) -> CompiledRules:  # noqa: FBT001 - keys of the cache
    return _compiled(node_of_openapi(orjson.loads(text)), Path(_ANYWHERE), is_root=is_root, any_cost=any_cost)


def _moved(error: FieldError, path: str) -> FieldError:
    return replace(error, field=error.field.replace(_ANYWHERE, path), detail=error.detail.replace(_ANYWHERE, path))


def _compiled(node: Node, path: Path, *, is_root: bool, any_cost: bool, broken: tuple[str, ...] = ()) -> CompiledRules:
    compiler = _TreeCompiler(any_cost=any_cost, broken=broken)
    place = compiler.compile(node, path, _Context(is_root=is_root))
    return CompiledRules(place, [*compiler.errors, *compiler.total.errors(path)])


@dataclass(frozen=True, slots=True)
class _Context:
    """How often a place can occur (None: nobody knows), and above which no old value can be told."""

    is_root: bool = False
    places: int | None = 1
    uncorrelatable: Path | None = None

    def below(self, node: Node, path: Path, child: Node, *, is_item: bool = False) -> _Context:
        uncorrelatable = self.uncorrelatable
        if uncorrelatable is None and is_item and node.list_type != "map":
            uncorrelatable = path
        return _Context(child.embedded_resource, most_places(node, self.places), uncorrelatable)


class _TreeCompiler:
    def __init__(self, *, any_cost: bool, broken: tuple[str, ...]) -> None:
        self.errors: list[FieldError] = []
        self.total = Total()
        self._any_cost = any_cost
        self._broken = broken

    def compile(self, node: Node, path: Path, context: _Context) -> RuleNode | None:
        """The place, if there are rules at it or below it."""
        node.load()
        values = items = None
        properties: dict[str, RuleNode] = {}
        if node.values is not None:
            child = node.values.load()
            values = self.compile(child, path / "additionalProperties", context.below(node, path, child))
        for name, each in node.properties.items():
            child = each.node.load()
            place = self.compile(child, (path / "properties")[name], context.below(node, path, child))
            if place is not None:
                properties[name] = place
        if node.items is not None:
            child = node.items.load()
            items = self.compile(child, path / "items", context.below(node, path, child, is_item=True))
        rules = self._rules(node, path, context)
        if not (rules or properties or values is not None or items is not None):
            return None
        return RuleNode(node, rules, properties, values, items, is_root=context.is_root)

    def _rules(self, node: Node, path: Path, context: _Context) -> tuple[Rule, ...]:
        declarations = node.notes.get(KEYWORD)
        if not declarations or self._is_broken(str(path)):
            return ()
        of = declared(node, is_root=context.is_root)
        if of is None:
            self.errors.append(internal(path / KEYWORD, _UNCONVERTIBLE))
            return ()
        scope = Scope(node, of)
        rules = tuple(scope.compiled(declaration) for declaration in declarations)
        places = context.places if context.places is not None else places_by_size(of.smallest)
        for number, rule in enumerate(rules):
            self._examine(rule, (path / KEYWORD)[number], context, places)
        return rules

    def _is_broken(self, path: str) -> bool:
        return any(each.startswith(path) for each in self._broken)

    def _examine(self, rule: Rule, path: Path, context: _Context, places: int) -> None:
        self._charge(path / "rule", "estimated rule cost", rule.cost * places)
        if rule.wrong:
            self.errors.append(invalid(path / "rule", _shown(rule.declaration), rule.wrong))
        if rule.message_wrong:
            self.errors.append(invalid(path / "messageExpression", _shown(rule.declaration), rule.message_wrong))
        elif rule.message_program is not None:
            self._charge(path / "messageExpression", "estimated messageExpression cost", rule.message_cost)
        if rule.uses_old_self:
            if context.uncorrelatable is not None:
                words = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
                detail = f"{words} {context.uncorrelatable}"
                self.errors.append(invalid(path / "rule", rule.declaration["rule"], detail))
        elif rule.declaration.get("optionalOldSelf") is not None:
            value = rule.declaration["optionalOldSelf"]
            self.errors.append(
                invalid(path / "optionalOldSelf", value, "may not be set if oldSelf is not used in rule")
            )

    def _charge(self, path: Path, name: str, cost: int) -> None:
        if cost > EXPRESSION_LIMIT and not self._any_cost:
            self.errors.append(forbidden(path, cost_message(name, cost, EXPRESSION_LIMIT)))
        self.total.observe(path, cost)


def _shown(declaration: Mapping[str, Any]) -> dict[str, Any]:
    """As Go prints the struct that has no JSON names."""
    return {
        "Rule": declaration.get("rule") or "",
        "Message": declaration.get("message") or "",
        "MessageExpression": declaration.get("messageExpression") or "",
        "Reason": declaration.get("reason"),
        "FieldPath": declaration.get("fieldPath") or "",
        "OptionalOldSelf": declaration.get("optionalOldSelf"),
    }
