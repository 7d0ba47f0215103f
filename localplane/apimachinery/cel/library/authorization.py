"""Questions to the authorizer. Upstream: pkg/cel/library/authz.go.

The functions are declared in every environment; values that they work on exist where the variable `authorizer` is given
(in admission policies). Whoever gives it subclasses `AuthorizerValue`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from localplane.apimachinery.cel.declarations import Function, member
from localplane.apimachinery.cel.errors import no_such_overload
from localplane.apimachinery.cel.types import BOOL, STRING, Kind, Type
from localplane.apimachinery.cel.values import Extension

AUTHORIZER: Final = Type(Kind.STRUCT, "kubernetes.authorization.Authorizer")
PATH_CHECK: Final = Type(Kind.STRUCT, "kubernetes.authorization.PathCheck")
GROUP_CHECK: Final = Type(Kind.STRUCT, "kubernetes.authorization.GroupCheck")
RESOURCE_CHECK: Final = Type(Kind.STRUCT, "kubernetes.authorization.ResourceCheck")
DECISION: Final = Type(Kind.STRUCT, "kubernetes.authorization.Decision")


@dataclass(frozen=True, slots=True)
class DecisionValue(Extension):
    allowed: bool
    reason: str = ""
    error: str = ""
    cel_type: ClassVar[Type] = DECISION


class AuthorizerValue(Extension):
    """Who may do what. `decide` answers a check."""

    cel_type: ClassVar[Type] = AUTHORIZER

    def decide(self, check: ResourceCheck | PathCheck, verb: str) -> DecisionValue:
        raise NotImplementedError

    def as_service_account(self, namespace: str, name: str) -> AuthorizerValue:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class PathCheck(Extension):
    authorizer: AuthorizerValue
    path: str
    cel_type: ClassVar[Type] = PATH_CHECK


@dataclass(frozen=True, slots=True)
class GroupCheck(Extension):
    authorizer: AuthorizerValue
    group: str
    cel_type: ClassVar[Type] = GROUP_CHECK


@dataclass(frozen=True, slots=True)
class ResourceCheck(Extension):
    authorizer: AuthorizerValue
    group: str
    resource: str
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str | None = None
    label_selector: str | None = None
    cel_type: ClassVar[Type] = RESOURCE_CHECK


def _check(check: Any, verb: str) -> DecisionValue:
    if not isinstance(check, (PathCheck, ResourceCheck)):
        raise no_such_overload()
    return check.authorizer.decide(check, verb)


def _narrowed(function: str, overload: str, field: str) -> Function:
    compute = member(
        overload, (RESOURCE_CHECK, STRING), RESOURCE_CHECK, lambda check, text: replace(check, **{field: text})
    )
    return Function(function, (compute,))


AUTHORIZATION: tuple[Function, ...] = (
    Function("path", (member("authorizer_path", (AUTHORIZER, STRING), PATH_CHECK, PathCheck),)),
    Function("group", (member("authorizer_group", (AUTHORIZER, STRING), GROUP_CHECK, GroupCheck),)),
    Function(
        "serviceAccount",
        (
            member(
                "authorizer_serviceaccount",
                (AUTHORIZER, STRING, STRING),
                AUTHORIZER,
                lambda authorizer, namespace, name: authorizer.as_service_account(namespace, name),
            ),
        ),
    ),
    Function(
        "resource",
        (
            member(
                "groupcheck_resource",
                (GROUP_CHECK, STRING),
                RESOURCE_CHECK,
                lambda check, resource: ResourceCheck(check.authorizer, check.group, resource),
            ),
        ),
    ),
    _narrowed("subresource", "resourcecheck_subresource", "subresource"),
    _narrowed("namespace", "resourcecheck_namespace", "namespace"),
    _narrowed("name", "resourcecheck_name", "name"),
    _narrowed("fieldSelector", "authorizer_fieldselector", "field_selector"),
    _narrowed("labelSelector", "authorizer_labelselector", "label_selector"),
    Function(
        "check",
        (
            member("pathcheck_check", (PATH_CHECK, STRING), DECISION, _check),
            member("resourcecheck_check", (RESOURCE_CHECK, STRING), DECISION, _check),
        ),
    ),
    Function("errored", (member("decision_errored", (DECISION,), BOOL, lambda decision: bool(decision.error)),)),
    Function("error", (member("decision_error", (DECISION,), STRING, lambda decision: decision.error),)),
    Function("allowed", (member("decision_allowed", (DECISION,), BOOL, lambda decision: decision.allowed),)),
    Function("reason", (member("decision_reason", (DECISION,), STRING, lambda decision: decision.reason),)),
)
