"""ValidatingAdmissionPolicyBindings and MutatingAdmissionPolicyBindings: where a policy holds, with which parameters.

Kubernetes: pkg/registry/admissionregistration/{validating,mutating}admissionpolicybinding and
pkg/apis/admissionregistration/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import (
    ErrorType,
    FieldError,
    Path,
    collected,
    declared,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from localplane.apimachinery.labels import label_selector_text
from localplane.apimachinery.names import dns1123_subdomain, path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.selectors import selector_errors

from .configuration import ConfigurationStrategy
from .match_resources import default_match_resources, match_resources_errors
from .rules import mutating_operation_errors

_SPEC = Path("spec")
_ACTIONS = ("Audit", "Deny", "Warn")
_NOT_FOUND_ACTIONS = ("Deny", "Allow")
_ONE = "name and selector are mutually exclusive"


class ValidatingAdmissionPolicyBindingStrategy(ConfigurationStrategy):
    def errors(self, obj: JSONObject, old: JSONObject | None) -> Sequence[FieldError]:
        spec = obj.get("spec") or {}
        actions = _action_errors(spec.get("validationActions") or [], _SPEC / "validationActions")
        return collected(map(_as_declared, _binding_errors(spec)), actions)


class MutatingAdmissionPolicyBindingStrategy(ConfigurationStrategy):
    def errors(self, obj: JSONObject, old: JSONObject | None) -> Sequence[FieldError]:
        spec = obj.get("spec") or {}
        rules = (spec.get("matchResources") or {}).get("resourceRules") or ()
        operations = mutating_operation_errors(rules, _SPEC / "matchResources" / "resourceRules")
        return collected(_binding_errors(spec), operations)


def _as_declared(error: FieldError) -> FieldError:
    """That there is a policy is declared for validating bindings only."""
    is_missing_policy = error.field == "spec.policyName" and error.type is ErrorType.REQUIRED
    return declared(error) if is_missing_policy else error


def _binding_errors(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    name = spec.get("policyName") or ""
    if not name:
        yield required(_SPEC / "policyName")
    else:
        yield from (invalid(_SPEC / "policyName", name, problem) for problem in dns1123_subdomain(name))
    yield from _param_ref_errors(spec.get("paramRef"), _SPEC / "paramRef")
    yield from match_resources_errors(spec.get("matchResources"), _SPEC / "matchResources")


def _param_ref_errors(reference: Mapping[str, Any] | None, path: Path) -> Iterator[FieldError]:
    if reference is None:
        return
    name, selector = reference.get("name") or "", reference.get("selector")
    yield from (invalid(path / "name", name, problem) for problem in path_segment_name(name))
    yield from selector_errors(selector, path / "selector")
    if name and selector is not None:
        yield forbidden(path / "name", _ONE)
        yield forbidden(path / "selector", _ONE)
    if not name and selector is None:
        yield required(path, "one of name or selector must be specified")
    action = reference.get("parameterNotFoundAction") or ""
    if not action:
        yield required(path / "parameterNotFoundAction")
    elif action not in _NOT_FOUND_ACTIONS:
        yield not_supported(path / "parameterNotFoundAction", action, _NOT_FOUND_ACTIONS)


def _action_errors(actions: Sequence[str], path: Path) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            yield not_supported(path[index], action, _ACTIONS)
        if action in seen:
            yield duplicate(path[index], action)
        seen.add(action)
    if {"Deny", "Warn"} <= seen:
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the API "
            "response and headers serves no purpose)"
        )
        yield invalid(path, actions, detail)
    if not actions:
        yield declared(required(path))


def default_binding(obj: JSONObject) -> None:
    default_match_resources((obj.get("spec") or {}).get("matchResources"))


def binding_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    return [
        metadata.get("name", ""),
        spec.get("policyName") or "",
        _param_ref_cell(spec.get("paramRef") or {}),
        age(metadata.get("creationTimestamp")),
    ]


def _param_ref_cell(reference: Mapping[str, Any]) -> str:
    if name := reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{name}"
    selector = reference.get("selector")
    return "<unset>" if selector is None else label_selector_text(selector)


VALIDATING_ADMISSION_POLICY_BINDINGS = builtin(
    "admissionregistration.k8s.io/validatingadmissionpolicybindings",
    strategy=ValidatingAdmissionPolicyBindingStrategy(),
    default=default_binding,
    cells=binding_cells,
)

MUTATING_ADMISSION_POLICY_BINDINGS = builtin(
    "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
    strategy=MutatingAdmissionPolicyBindingStrategy(),
    default=default_binding,
    cells=binding_cells,
)
