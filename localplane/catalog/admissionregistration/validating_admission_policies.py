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
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import STATUS
from localplane.catalog.validation.conditions import CONDITIONS
from localplane.catalog.validation.rules import Always, Each, Fields, Present, Required

from .configuration import ConfigurationStrategy
from .expressions import cel_compile_errors, expression_errors, match_condition_errors, variable_errors
from .match_resources import FAILURE_POLICY, MATCH_CONSTRAINTS, PARAM_KIND, default_match_resources, param_kind_cell

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


_SPEC = Path("spec")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ANNOTATIONS_MAX, _ANNOTATION_EXPRESSION_MAX = 20, 5 * 1024
_NO_EXPRESSION = "expression is not specified"
_has_newline = re.compile(r"[\n\r]").search
_POLICY = Fields(
    failurePolicy=Present(FAILURE_POLICY),
    paramKind=PARAM_KIND,
    matchConstraints=Present(MATCH_CONSTRAINTS),
)


def default_policy(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if spec.get("failurePolicy") is None:
        spec["failurePolicy"] = "Fail"
    default_match_resources(spec.get("matchConstraints"))


def policy_compiler(spec: Mapping[str, Any], *, has_variables: bool) -> ExpressionCompiler:
    """For everything in a policy but its match conditions, which see no variables."""
    from .compiler import ExpressionCompiler  # large, and few servers have policies

    return ExpressionCompiler(has_params=spec.get("paramKind") is not None, has_variables=has_variables)


def policy_errors(
    spec: Mapping[str, Any], before: Mapping[str, Any] | None, compiler: ExpressionCompiler
) -> Iterator[FieldError]:
    """What both kinds of policies ask. Match conditions that nothing could have made wrong are not looked at again."""
    yield from _POLICY(spec, _SPEC)
    asked = ("paramKind", "matchConditions")
    if before is None or not all(same(spec.get(name), before.get(name)) for name in asked):
        yield from match_condition_errors(
            spec.get("matchConditions") or (),
            _SPEC / "matchConditions",
            has_params=spec.get("paramKind") is not None,
        )
    yield from variable_errors(spec.get("variables") or (), _SPEC / "variables", compiler)


def _validations_errors(spec: Mapping[str, Any], name: str, compiler: ExpressionCompiler) -> Iterator[FieldError]:
    validations, annotations = spec.get("validations") or [], spec.get("auditAnnotations") or []
    if not validations and not annotations:
        for field in ("validations", "auditAnnotations"):
            yield required(_SPEC / field, "validations or auditAnnotations must contain at least one item")
        return
    for index, validation in enumerate(validations):
        yield from _validation_errors(validation, (_SPEC / "validations")[index], compiler)
    path = _SPEC / "auditAnnotations"
    if len(annotations) > _ANNOTATIONS_MAX:
        shown = [_shown(annotation) for annotation in annotations]
        yield invalid(path, shown, f"must not have more than {_ANNOTATIONS_MAX} auditAnnotations")
    seen: set[str] = set()
    for index, annotation in enumerate(annotations):
        yield from _annotation_errors(annotation, name, path[index], compiler)
        key = annotation.get("key", "")
        if key in seen:
            yield duplicate(path[index] / "key", key)
        seen.add(key)


def _validation_errors(validation: Mapping[str, Any], path: Path, compiler: ExpressionCompiler) -> Iterator[FieldError]:
    from .compiler import CONDITION, MESSAGE

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
    annotation: Mapping[str, Any], name: str, path: Path, compiler: ExpressionCompiler
) -> Iterator[FieldError]:
    from .compiler import ANNOTATION

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


class ValidatingAdmissionPolicyStrategy(ConfigurationStrategy):
    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        spec, before = obj.get("spec") or {}, None if old is None else old.get("spec") or {}
        name = obj["metadata"].get("name", "")
        compiler = policy_compiler(spec, has_variables=bool(spec.get("variables")))
        yield from policy_errors(spec, before, compiler)
        yield from _validations_errors(spec, name, compiler)


def _reference_errors(reference: str, path: Path) -> Iterator[FieldError]:
    if not reference.strip():
        yield required(path)


_WARNING = Fields(warning=Required(), fieldRef=Always(_reference_errors))
_STATUS_RULES = Fields(typeChecking=Fields(expressionWarnings=Each(_WARNING)), conditions=CONDITIONS)


class ValidatingAdmissionPolicyStatusStrategy(StatusStrategy):
    """Metadata stays, and is not asked again."""

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(_STATUS_RULES(obj.get("status") or {}, STATUS))


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
