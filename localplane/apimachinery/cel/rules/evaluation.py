"""Rules against objects: only the places that have some are visited.

Upstream: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go, Validator.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError
from localplane.apimachinery.cel.interpreter.program import Program
from localplane.apimachinery.cel.library.strings import trimmed
from localplane.apimachinery.cel.schema.objects import Reader, reader
from localplane.apimachinery.cel.values import NONE, Optional
from localplane.apimachinery.fieldpath import OMIT_VALUE, FieldError, Path, duplicate, forbidden, invalid, required
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.schema import Node

from .budgets import PER_CALL, PER_OBJECT
from .correlation import Correlated, old_items
from .rule import OLD_SELF, SELF, Rule

_LONGEST_MESSAGE: Final = 5 * 1024
_NO_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"


@dataclass(frozen=True, slots=True)
class RuleNode:
    """A schema with rules at it, or below it."""

    node: Node
    rules: tuple[Rule, ...]
    properties: Mapping[str, RuleNode]
    values: RuleNode | None
    items: RuleNode | None
    is_root: bool = False

    @property
    def read(self) -> Reader:
        return reader(self.node, is_root=self.is_root)


@dataclass(slots=True)
class Review:
    """What rules found: errors, and warnings about what was wrong before and did not change."""

    errors: list[FieldError] = field(default_factory=list)
    warnings: list[FieldError] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ratchet:
    """What decides whether an error only warns: the value here if it has an old one, else the nearest one above."""

    current: Correlated | None = None
    above: Correlated | None = None

    def key(self, name: str) -> _Ratchet:
        if self.current is None:
            return self
        if self.above is None and name in ("apiVersion", "kind"):
            return _NEVER
        return _Ratchet(self.current.key(name), self.current)

    def index(self, number: int) -> _Ratchet:
        return self if self.current is None else _Ratchet(self.current.index(number), self.current)

    def is_unchanged(self) -> bool:
        decides = self.current if self.current is not None else self.above
        return decides is not None and decides.is_unchanged()


_NEVER: Final = _Ratchet()


class _Exhausted(Exception):
    """No rule may be run any more."""


class Unfinished(Exception):
    """The rules cost more than somebody has patience for. Nothing is known of the object yet."""


def review(
    place: RuleNode, obj: Any, old: Any, path: Path, *, budget: int = PER_OBJECT, patience: int | None = None
) -> Review:
    """Raises Unfinished where more than the patience would be spent."""
    evaluation = _Evaluation(budget, patience)
    ratchet = _Ratchet(Correlated(obj, old, place.node)) if old is not None else _NEVER
    with suppress(_Exhausted):
        evaluation.visit(place, path, obj, old, ratchet)
    return evaluation.found


class _Evaluation:
    def __init__(self, budget: int, patience: int | None) -> None:
        self.found = Review()
        self.budget = budget
        self._patience = patience

    def _evaluated(self, program: Program, variables: Mapping[str, Any]) -> tuple[Any, int]:
        """The value and what it cost. Raises CostExceeded."""
        if self._patience is None or self._patience >= PER_CALL:
            return program.evaluate(variables, limit=PER_CALL)
        try:
            value, cost = program.evaluate(variables, limit=self._patience)
        except CostExceeded:
            raise Unfinished from None
        self._patience -= cost
        return value, cost

    def visit(self, place: RuleNode, path: Path, obj: Any, old: Any, ratchet: _Ratchet) -> None:
        if obj is None:
            return
        if place.rules:
            self._ask(place, path, obj, old, ratchet)
        if isinstance(obj, list) and place.items is not None:
            find = old_items(place.node, old)
            for number, each in enumerate(obj):
                self.visit(place.items, path[number], each, find(each), ratchet.index(number))
        elif isinstance(obj, dict):
            before = old if isinstance(old, dict) else {}
            if place.values is not None:
                for name, each in obj.items():
                    self.visit(place.values, path[name], each, before.get(name), ratchet.key(name))
            for name, below in place.properties.items():
                if name in obj:
                    self.visit(below, path / name, obj[name], before.get(name), ratchet.key(name))

    def _ask(self, place: RuleNode, path: Path, obj: Any, old: Any, ratchet: _Ratchet) -> None:
        if self.budget <= 0:
            self._give_up(invalid(path, place.node.type, _NO_BUDGET))
        variables: dict[str, Any] | None = None
        for rule in place.rules:
            if rule.wrong:
                self.found.errors.append(invalid(path, place.node.type, f"rule compile error: {rule.wrong}"))
                continue
            if rule.program is None or (rule.uses_old_self and old is None and not rule.old_self_is_optional):
                continue
            if variables is None:
                variables = {SELF: _read(place, obj)}
            if isinstance(variables[SELF], EvaluationError):
                self.found.errors.append(invalid(path, place.node.type, _explained(str(variables[SELF]), rule)))
                continue
            given = variables
            if rule.uses_old_self:
                value = _read(place, old) if old is not None else None
                if rule.old_self_is_optional:
                    value = Optional(value) if old is not None else NONE
                given = {SELF: variables[SELF], OLD_SELF: value}
            if not self._holds(rule, place, path, given):
                self._fail(rule, place, path, obj, given, ratchet)

    def _give_up(self, error: FieldError) -> None:
        self.found.errors.append(error)
        raise _Exhausted

    def _holds(self, rule: Rule, place: RuleNode, path: Path, variables: Mapping[str, Any]) -> bool:
        """True also for a rule that could not be evaluated, whose error is told."""
        assert rule.program is not None
        kind = place.node.type
        try:
            value, cost = self._evaluated(rule.program, variables)
        except CostExceeded as error:
            words = f"'{error}': no further validation rules will be run due to call cost exceeds limit for rule:"
            self._give_up(invalid(path, kind, f"{words} {rule.name}"))
        if cost > self.budget:
            self._give_up(invalid(path, kind, _NO_BUDGET))
        self.budget -= cost
        if isinstance(value, EvaluationError):
            self.found.errors.append(invalid(path, kind, _explained(str(value), rule)))
            return True
        return value is True

    def _fail(  # noqa: PLR0917 - one rule at one place about one object
        self, rule: Rule, place: RuleNode, path: Path, obj: Any, variables: Mapping[str, Any], ratchet: _Ratchet
    ) -> None:
        if rule.field_path:
            path = path / rule.field_path
        warns = not rule.uses_old_self and ratchet.is_unchanged()
        kept = self.found.warnings if warns else self.found.errors
        detail = self._message(rule, place, path, variables, kept)
        value = OMIT_VALUE if place.node.type in ("object", "array") else obj
        kept.append(_error(rule.declaration.get("reason"), path, value, detail))

    def _message(
        self, rule: Rule, place: RuleNode, path: Path, variables: Mapping[str, Any], kept: list[FieldError]
    ) -> str:
        """What the messageExpression says, if it says something that can be shown."""
        if rule.message_program is None:
            return rule.default_message
        try:
            value, cost = self._evaluated(rule.message_program, variables)
        except CostExceeded:
            words = "no further validation rules will be run due to call cost exceeds limit for messageExpression:"
            quoted = _quoted(rule.declaration["messageExpression"])
            kept.append(invalid(path, place.node.type, f"{words} {quoted}"))
            raise _Exhausted from None
        if cost > self.budget:
            words = "messageExpression evaluation failed due to running out of cost budget,"
            kept.append(invalid(path, place.node.type, f"{words} no further validation rules will be run"))
            raise _Exhausted
        self.budget -= cost
        text = trimmed(value) if isinstance(value, str) else ""
        if not text or "\n" in text or len(text.encode("utf-8", "surrogatepass")) > _LONGEST_MESSAGE:
            return rule.default_message
        return text


def _read(place: RuleNode, raw: Any) -> Any:
    try:
        return place.read(raw)
    except EvaluationError as error:
        return error


def _quoted(text: str) -> str:
    return go_quote(text)


def _explained(error: str, rule: Rule) -> str:
    if error.startswith("no such overload"):
        words = "call arguments did not match a supported operator, function or macro signature for rule:"
        return f"'{error}': {words} {rule.name}"
    return f"{error} evaluating rule: {rule.name}"


def _error(reason: Any, path: Path, value: Any, detail: str) -> FieldError:
    match reason:
        case "FieldValueForbidden":
            return forbidden(path, detail)
        case "FieldValueRequired":
            return required(path, detail)
        case "FieldValueDuplicate":
            return duplicate(path, value)
    return invalid(path, value, detail)
