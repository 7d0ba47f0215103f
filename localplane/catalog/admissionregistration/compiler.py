"""Expressions of webhooks and policies, compiled: which variables there are, and which types an expression may have.

The rules for these kinds compile what they store, and admission compiles what it evaluates, so that both say the same.
Kubernetes: apiserver/pkg/admission/plugin/cel, compile.go and composition.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from localplane.apimachinery.cel import CompilationFailed, InstantiationFailed, Program, base_environment, checked
from localplane.apimachinery.cel.checker.checker import check
from localplane.apimachinery.cel.declarations import Environment, Struct, struct
from localplane.apimachinery.cel.library.authorization import AUTHORIZER, RESOURCE_CHECK
from localplane.apimachinery.cel.parser.parser import parse
from localplane.apimachinery.cel.types import (
    BOOL,
    DYN,
    INT,
    NULL,
    SIMPLE,
    STRING,
    TIMESTAMP,
    Kind,
    Type,
    list_of,
    map_of,
)

from .patch_types import Expression, with_patch_functions, without_messages

CONDITION: Final = (BOOL,)
MESSAGE: Final = (STRING,)
ANNOTATION: Final = (STRING, NULL)
ANYTHING: Final = ()
"""What an expression may evaluate to, by what it is for."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression that can be run, or else `wrong`. `is_internal` is said of what nobody could have written right."""

    text: str
    program: Program | None = None
    type: Type = DYN
    wrong: str = ""
    is_internal: bool = False


class ExpressionCompiler:
    """For the expressions of one webhook or policy: variables are seen by what is compiled after them."""

    def __init__(self, *, has_params: bool = False, has_variables: bool = False) -> None:
        self.variables: dict[str, Compiled] = {}
        self._has_params = has_params
        self._known = Struct("kubernetes.variables", {}) if has_variables else None

    def compile(self, text: str, returns: tuple[Type, ...], *, has_authorizer: bool = True) -> Compiled:
        environment = self._environment(has_authorizer=has_authorizer)
        try:
            expression = checked(text, environment)
        except CompilationFailed as error:
            return Compiled(text, wrong=f"compilation failed: {error}")
        if returns and not any(expression.type.is_exactly(each) for each in returns):
            return Compiled(text, wrong=_wrong_type(returns, expression.type))
        try:
            program = expression.program(environment)
        except InstantiationFailed as error:
            return Compiled(text, wrong=f"program instantiation failed: {error}", is_internal=True)
        return Compiled(text, program, expression.type)

    def compile_patch(self, text: str, *, is_json_patch: bool) -> Compiled:
        """An expression that makes an `Object`, or a list of `JSONPatch`."""
        environment = with_patch_functions(self._environment(has_authorizer=True))
        try:
            tree = without_messages(parse(text))
            expression = Expression(text, tree, check(text, tree, environment))
        except CompilationFailed as error:
            return Compiled(text, wrong=f"compilation failed: {error}")
        wanted = Kind.LIST if is_json_patch else Kind.MAP
        if expression.type.kind is not wanted:
            name = "list(JSONPatch)" if is_json_patch else "Object"
            return Compiled(text, wrong=f"must evaluate to {name} but got {expression.type}")
        try:
            return Compiled(text, expression.program(environment), expression.type)
        except InstantiationFailed as error:
            return Compiled(text, wrong=f"program instantiation failed: {error}", is_internal=True)

    def add_variable(self, name: str, text: str) -> Compiled:
        made = self.compile(text, ANYTHING)
        assert self._known is not None, "only policies have variables"
        self._known.fields[name] = _declarable(made.type)
        self.variables[name] = made
        return made

    def _environment(self, *, has_authorizer: bool) -> Environment:
        more = {"params": DYN} if self._has_params else {}
        if has_authorizer:
            more |= {"authorizer": AUTHORIZER, "authorizer.requestResource": RESOURCE_CHECK}
        if self._known is not None:
            more["variables"] = self._known.type
        return _plain_environment().with_variables(more)


def _wrong_type(returns: tuple[Type, ...], found: Type) -> str:
    if len(returns) == 1:
        return f"must evaluate to {returns[0]} but got {found}"
    return f"must evaluate to one of [{' '.join(map(str, returns))}] but got {found}"


def _declarable(found: Type) -> Type:
    """The type that a variable has to others: what is no plain value, list or map can be anything."""
    if found.kind in SIMPLE or found.kind is Kind.NULL:
        return found
    if found.kind is Kind.LIST:
        return list_of(_declarable(found.parameters[0]))
    if found.kind is Kind.MAP:
        return map_of(_declarable(found.parameters[0]), _declarable(found.parameters[1]))
    return DYN


@lru_cache(maxsize=1)
def _plain_environment() -> Environment:
    """Made when the first expression comes."""
    variables = {"object": DYN, "oldObject": DYN, "namespaceObject": _namespace_type(), "request": _request_type()}
    return base_environment().with_variables(variables)


def _request_type() -> Type:
    kind = struct("kubernetes.GroupVersionKind", group=STRING, version=STRING, kind=STRING)
    resource = struct("kubernetes.GroupVersionResource", group=STRING, version=STRING, resource=STRING)
    texts = list_of(STRING)
    user = struct("kubernetes.UserInfo", username=STRING, uid=STRING, groups=texts, extra=map_of(STRING, texts))
    return struct(
        "kubernetes.AdmissionRequest",
        kind=kind,
        resource=resource,
        subResource=STRING,
        requestKind=kind,
        requestResource=resource,
        requestSubResource=STRING,
        name=STRING,
        namespace=STRING,
        operation=STRING,
        userInfo=user,
        dryRun=BOOL,
        options=DYN,
    )


def _namespace_type() -> Type:
    texts = map_of(STRING, STRING)
    condition = struct(
        "kubernetes.NamespaceCondition",
        status=STRING,
        type=STRING,
        lastTransitionTime=TIMESTAMP,
        message=STRING,
        reason=STRING,
    )
    metadata = struct(
        "kubernetes.NamespaceMetadata",
        name=STRING,
        generateName=STRING,
        namespace=STRING,
        labels=texts,
        annotations=texts,
        UID=STRING,
        creationTimestamp=TIMESTAMP,
        deletionGracePeriodSeconds=INT,
        deletionTimestamp=TIMESTAMP,
        generation=INT,
        resourceVersion=STRING,
        finalizers=list_of(STRING),
    )
    return struct(
        "kubernetes.Namespace",
        metadata=metadata,
        spec=struct("kubernetes.NamespaceSpec", finalizers=list_of(STRING)),
        status=struct("kubernetes.NamespaceStatus", conditions=list_of(condition), phase=STRING),
    )
