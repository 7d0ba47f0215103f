"""ValidatingAdmissionPolicies: rules in CEL that say whether a write is admitted.

Kubernetes: pkg/registry/admissionregistration/validatingadmissionpolicy and pkg/apis/admissionregistration/validation,
validateValidatingAdmissionPolicySpec.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, duplicate, invalid, not_supported, required
from localplane.apimachinery.names import qualified_name, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.conditions import CONDITIONS

from .configuration import ConfigurationStrategy
from .expressions import cel_compile_errors, expression_errors, match_condition_errors, variable_errors
from .match_resources import (
    default_match_resources,
    failure_policy_errors,
    match_constraints_errors,
    param_kind_cell,
    param_kind_errors,
)

if TYPE_CHECKING:
    from .compiling import Compiler


_SPEC, _STATUS = Path("spec"), Path("status")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ANNOTATIONS_MAX, _ANNOTATION_EXPRESSION_MAX = 20, 5 * 1024
_NO_EXPRESSION = "expression is not specified"
_has_newline = re.compile(r"[\n\r]").search


class ValidatingAdmissionPolicyStrategy(ConfigurationStrategy):
    def errors(self, obj: JSONObject, old: JSONObject | None) -> Sequence[FieldError]:
        spec, before = obj.get("spec") or {}, None if old is None else old.get("spec") or {}
        name = obj["metadata"].get("name", "")
        compiler = policy_compiler(spec, has_variables=bool(spec.get("variables")))
        return collected(policy_errors(spec, before, compiler), _validations_errors(spec, name, compiler))


class ValidatingAdmissionPolicyStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        status = obj.get("status") or {}
        checking = status.get("typeChecking") or {}
        warnings = _warning_errors(checking.get("expressionWarnings") or (), _STATUS / "typeChecking")
        return collected(warnings, CONDITIONS(status.get("conditions") or (), _STATUS / "conditions"))


def policy_compiler(spec: Mapping[str, Any], *, has_variables: bool) -> Compiler:
    """For everything in a policy but its match conditions, which see no variables."""
    from .compiling import Compiler  # large, and few servers have policies

    return Compiler(has_params=spec.get("paramKind") is not None, has_variables=has_variables)


def policy_errors(
    spec: Mapping[str, Any], before: Mapping[str, Any] | None, compiler: Compiler
) -> Iterator[FieldError]:
    """What both kinds of policies ask. Match conditions that nothing could have made wrong are not looked at again."""
    yield from failure_policy_errors(spec.get("failurePolicy"), _SPEC / "failurePolicy")
    yield from param_kind_errors(spec.get("paramKind"), _SPEC / "paramKind")
    yield from match_constraints_errors(spec.get("matchConstraints"), _SPEC / "matchConstraints")
    asked = ("paramKind", "matchConditions")
    if before is None or not all(same(spec.get(name), before.get(name)) for name in asked):
        yield from match_condition_errors(
            spec.get("matchConditions") or (),
            _SPEC / "matchConditions",
            has_params=spec.get("paramKind") is not None,
        )
    yield from variable_errors(spec.get("variables") or (), _SPEC / "variables", compiler)


def _validations_errors(spec: Mapping[str, Any], name: str, compiler: Compiler) -> Iterator[FieldError]:
    validations, annotations = spec.get("validations") or [], spec.get("auditAnnotations") or []
    if not validations and not annotations:
        for field in ("validations", "auditAnnotations"):
            yield required(_SPEC / field, "validations or auditAnnotations must contain at least one item")
        return
    for index, validation in enumerate(validations):
        yield from _validation_errors(validation, (_SPEC / "validations")[index], compiler)
    path = _SPEC / "auditAnnotations"
    if len(annotations) > _ANNOTATIONS_MAX:
        shown = [
            {"Key": each.get("key", ""), "ValueExpression": each.get("valueExpression", "")} for each in annotations
        ]
        yield invalid(path, shown, f"must not have more than {_ANNOTATIONS_MAX} auditAnnotations")
    seen: set[str] = set()
    for index, annotation in enumerate(annotations):
        yield from _annotation_errors(annotation, name, path[index], compiler)
        key = annotation.get("key", "")
        if key in seen:
            yield duplicate(path[index] / "key", key)
        seen.add(key)


def _validation_errors(validation: Mapping[str, Any], path: Path, compiler: Compiler) -> Iterator[FieldError]:
    from .compiling import CONDITION, MESSAGE

    yield from expression_errors(
        validation.get("expression") or "",
        path / "expression",
        lambda text: compiler.compile(text, CONDITION),
        missing=_NO_EXPRESSION,
    )
    expression, message = validation.get("messageExpression") or "", validation.get("message") or ""
    if expression.strip():
        compiled = compiler.compile(expression, MESSAGE, has_authorizer=False)
        yield from cel_compile_errors(compiled, path / "messageExpression")
    elif expression:
        yield invalid(path / "messageExpression", expression, "must be non-empty if specified")
    if message and not message.strip():
        yield invalid(path / "message", message, "must be non-empty if specified")
    elif _has_newline(message.strip()):
        yield invalid(path / "message", message, "must not contain line breaks")
    reason = validation.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(path / "reason", reason, _REASONS)


def _annotation_errors(
    annotation: Mapping[str, Any], name: str, path: Path, compiler: Compiler
) -> Iterator[FieldError]:
    from .compiling import ANNOTATION

    key, expression = annotation.get("key", ""), annotation.get("valueExpression") or ""
    if name:
        full = f"{name}/{key}"
        yield from (invalid(path / "key", full, problem) for problem in qualified_name(full))
    else:
        yield invalid(path / "key", key, "requires metadata.name be non-empty")
    if size(expression.strip()) > _ANNOTATION_EXPRESSION_MAX:
        yield required(path / "valueExpression", f"must not exceed {_ANNOTATION_EXPRESSION_MAX} bytes in length")
    else:
        yield from expression_errors(
            expression,
            path / "valueExpression",
            lambda text: replace(compiler.compile(text.strip(), ANNOTATION), text=text),
            missing="valueExpression is not specified",
        )


def _shown(annotation: Mapping[str, Any]) -> JSONObject:
    """As Go prints the internal type."""
    return {"Key": annotation.get("key", ""), "ValueExpression": annotation.get("valueExpression", "")}


def _warning_errors(warnings: Sequence[Mapping[str, Any]], path: Path) -> Iterator[FieldError]:
    for index, warning in enumerate(warnings):
        place = (path / "expressionWarnings")[index]
        if not warning.get("warning"):
            yield required(place / "warning")
        if not (warning.get("fieldRef") or "").strip():
            yield required(place / "fieldRef")


def default_policy(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if spec.get("failurePolicy") is None:
        spec["failurePolicy"] = "Fail"
    default_match_resources(spec.get("matchConstraints"))


def validating_admission_policy_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    return [
        metadata.get("name", ""),
        len(spec.get("validations") or ()),
        param_kind_cell(spec),
        age(metadata.get("creationTimestamp")),
    ]


VALIDATING_ADMISSION_POLICIES = builtin(
    "admissionregistration.k8s.io/validatingadmissionpolicies",
    strategy=ValidatingAdmissionPolicyStrategy(),
    status_strategy=ValidatingAdmissionPolicyStatusStrategy,
    default=default_policy,
    cells=validating_admission_policy_cells,
)
