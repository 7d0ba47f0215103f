"""Policies and bindings as they are stored, compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.admissionregistration.compiler import (
    ANNOTATION,
    CONDITION,
    MESSAGE,
    Compiled,
    ExpressionCompiler,
)
from localplane.servers.kube.admission.matching.conditions import compiled_conditions
from localplane.servers.kube.admission.matching.criteria import Criteria


@dataclass(frozen=True, slots=True)
class Validation:
    """`message` is what is said where `message_expression` says nothing."""

    condition: Compiled
    message: str
    message_expression: Compiled | None
    reason: str


@dataclass(frozen=True, slots=True)
class Mutation:
    """An expression that makes a list of JSONPatch, or else an apply configuration."""

    is_json_patch: bool
    expression: Compiled


@dataclass(frozen=True, slots=True)
class CompiledPolicy:
    """Of either kind: one that validates has no mutations, one that mutates has nothing else."""

    name: str
    criteria: Criteria
    param_kind: GroupVersionKind | None
    variables: Mapping[str, Compiled]
    conditions: tuple[Compiled, ...]
    validations: tuple[Validation, ...]
    annotations: tuple[Compiled, ...]
    mutations: tuple[Mutation, ...]
    ignores_failure: bool
    is_reinvoked: bool

    @classmethod
    def of(cls, obj: JSONObject) -> CompiledPolicy:
        spec: JSONObject = obj.get("spec") or {}
        param_kind = spec.get("paramKind")
        compiler = ExpressionCompiler(has_params=param_kind is not None, has_variables=True)
        for variable in spec.get("variables") or ():
            compiler.add_variable(variable.get("name", ""), variable.get("expression") or "")
        annotations = (each.get("valueExpression") or "" for each in spec.get("auditAnnotations") or ())
        return cls(
            name=obj["metadata"].get("name", ""),
            criteria=Criteria.of_policy(spec.get("matchConstraints") or {}),
            param_kind=None if param_kind is None else _kind(param_kind),
            variables=compiler.variables,
            conditions=compiled_conditions(spec.get("matchConditions") or (), compiler),
            validations=tuple(_validation(each, compiler) for each in spec.get("validations") or ()),
            annotations=tuple(compiler.compile(each, ANNOTATION) for each in annotations),
            mutations=tuple(_mutation(each, compiler) for each in spec.get("mutations") or ()),
            ignores_failure=spec.get("failurePolicy") == "Ignore",
            is_reinvoked=spec.get("reinvocationPolicy") == "IfNeeded",
        )


@dataclass(frozen=True, slots=True)
class CompiledBinding:
    """`criteria` narrow what the policy is about; None leaves it as it is."""

    name: str
    policy: str
    criteria: Criteria | None
    param_ref: Mapping[str, Any] | None
    actions: Sequence[str]

    @classmethod
    def of(cls, obj: JSONObject) -> CompiledBinding:
        spec: JSONObject = obj.get("spec") or {}
        match = spec.get("matchResources")
        return cls(
            name=obj["metadata"].get("name", ""),
            policy=spec.get("policyName", ""),
            criteria=None if match is None else Criteria.of_policy(match),
            param_ref=spec.get("paramRef"),
            actions=spec.get("validationActions") or (),
        )


def _kind(param_kind: Mapping[str, Any]) -> GroupVersionKind:
    return GroupVersion.parse(param_kind.get("apiVersion", "")).kind(param_kind.get("kind", ""))


def _validation(declared: Mapping[str, Any], compiler: ExpressionCompiler) -> Validation:
    expression = declared.get("messageExpression") or ""
    return Validation(
        condition=compiler.compile(declared.get("expression") or "", CONDITION),
        message=declared.get("message") or "",
        message_expression=compiler.compile(expression, MESSAGE, has_authorizer=False) if expression else None,
        reason=declared.get("reason") or "Invalid",
    )


def _mutation(declared: Mapping[str, Any], compiler: ExpressionCompiler) -> Mutation:
    is_json_patch = declared.get("patchType") == "JSONPatch"
    expression = (declared.get("jsonPatch" if is_json_patch else "applyConfiguration") or {}).get("expression") or ""
    return Mutation(is_json_patch, compiler.compile_patch(expression, is_json_patch=is_json_patch))
