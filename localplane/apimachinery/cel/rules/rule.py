"""One rule of x-kubernetes-validations, compiled. Upstream: apiextensions-apiserver, compilation.go, compileRule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.cel.costs.estimates import estimated
from localplane.apimachinery.cel.declarations import Environment
from localplane.apimachinery.cel.environment import Expression, base_environment, checked
from localplane.apimachinery.cel.interpreter.program import InstantiationFailed, Program
from localplane.apimachinery.cel.library.strings import trimmed
from localplane.apimachinery.cel.parser.source import CompilationFailed
from localplane.apimachinery.cel.schema.declared_types import DeclaredType
from localplane.apimachinery.cel.types import Kind, optional_of
from localplane.apimachinery.schema import Node

from .field_paths import InvalidFieldPath, resolved_field_path

SELF: Final = "self"
OLD_SELF: Final = "oldSelf"


@dataclass(frozen=True, slots=True)
class Rule:
    """`wrong` and `message_wrong` say why the rule, or its messageExpression, can't be used. Costs are the most that
    one evaluation may cost."""

    declaration: Mapping[str, Any]
    program: Program | None = None
    message_program: Program | None = None
    uses_old_self: bool = False
    cost: int = 0
    message_cost: int = 0
    field_path: str = ""
    wrong: str = ""
    message_wrong: str = ""

    @property
    def old_self_is_optional(self) -> bool:
        return self.declaration.get("optionalOldSelf") is True

    @property
    def name(self) -> str:
        """How an error names it: its message, else its expression."""
        return trimmed(self.declaration.get("message") or self.declaration["rule"])

    @property
    def default_message(self) -> str:
        message = self.declaration.get("message")
        return trimmed(message) if message else f"failed rule: {trimmed(self.declaration['rule'])}"


class Scope:
    """The place that rules stand at: what `self` is to them."""

    def __init__(self, node: Node, declared: DeclaredType) -> None:
        self.node = node
        self.declared = declared
        base = base_environment()
        of = declared.type
        self._plain = base.with_variables({SELF: of, OLD_SELF: of})
        self._optional = base.with_variables({SELF: of, OLD_SELF: optional_of(of)})

    def compiled(self, declaration: Mapping[str, Any]) -> Rule:
        text = declaration.get("rule") or ""
        if not trimmed(text):
            return Rule(declaration)
        environment = self._optional if declaration.get("optionalOldSelf") is True else self._plain
        try:
            expression, program = _compiled(text, environment, Kind.BOOL, "cel expression must evaluate to a bool")
        except _Refused as refused:
            return Rule(declaration, wrong=f"{refused.prefix}{refused}")
        message, message_program, message_wrong = self._message(declaration, environment)
        return Rule(
            declaration,
            program,
            message_program,
            OLD_SELF in expression.names,
            estimated(expression.tree, self.declared),
            estimated(message.tree, self.declared) if message is not None else 0,
            self._field_path(declaration.get("fieldPath") or ""),
            message_wrong=message_wrong,
        )

    def _message(
        self, declaration: Mapping[str, Any], environment: Environment
    ) -> tuple[Expression | None, Program | None, str]:
        text = declaration.get("messageExpression") or ""
        if not text:
            return None, None, ""
        try:
            expression, program = _compiled(
                text, environment, Kind.STRING, "messageExpression must evaluate to a string"
            )
        except _Refused as refused:
            prefix = refused.prefix.replace("program ", "")
            return None, None, f"messageExpression {prefix}{refused}" if prefix else str(refused)
        return expression, program, ""

    def _field_path(self, text: str) -> str:
        try:
            return resolved_field_path(text, self.node)
        except InvalidFieldPath:
            return ""


class _Refused(ValueError):
    def __init__(self, prefix: str, message: str) -> None:
        super().__init__(message)
        self.prefix = prefix


def _compiled(text: str, environment: Environment, kind: Kind, wrong: str) -> tuple[Expression, Program]:
    try:
        expression = checked(text, environment)
    except CompilationFailed as error:
        raise _Refused("compilation failed: ", str(error)) from None
    if expression.type.kind is not kind:
        raise _Refused("", wrong)
    try:
        return expression, expression.program(environment)
    except InstantiationFailed as error:
        raise _Refused("program instantiation failed: ", str(error)) from None
