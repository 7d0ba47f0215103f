"""MutatingAdmissionPolicies: changes in CEL that are made to what is written.

Kubernetes: pkg/registry/admissionregistration/mutatingadmissionpolicy and pkg/apis/admissionregistration/validation,
validateMutatingAdmissionPolicySpec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declaring import builtin

from .configuration import ConfigurationStrategy
from .expressions import expression_errors
from .match_resources import param_kind_cell
from .rules import mutating_operation_errors
from .validating_admission_policies import default_policy, policy_compiler, policy_errors
from .webhooks import REINVOCATION_POLICIES

if TYPE_CHECKING:
    from .compiling import Compiler


_SPEC = Path("spec")
_PATCH_FIELDS = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}


class MutatingAdmissionPolicyStrategy(ConfigurationStrategy):
    def errors(self, obj: JSONObject, old: JSONObject | None) -> Sequence[FieldError]:
        spec, before = obj.get("spec") or {}, None if old is None else old.get("spec") or {}
        rules = (spec.get("matchConstraints") or {}).get("resourceRules") or ()
        compiler = policy_compiler(spec, has_variables=True)
        return collected(
            policy_errors(spec, before, compiler),
            mutating_operation_errors(rules, _SPEC / "matchConstraints" / "resourceRules"),
            _mutations_errors(spec.get("mutations") or (), _SPEC / "mutations", compiler),
            _reinvocation_errors(spec.get("reinvocationPolicy") or "", _SPEC / "reinvocationPolicy"),
        )


def _mutations_errors(mutations: Sequence[Mapping[str, Any]], path: Path, compiler: Compiler) -> Iterator[FieldError]:
    if not mutations:
        yield required(path, "mutations must contain at least one item")
    for index, mutation in enumerate(mutations):
        yield from _mutation_errors(mutation, path[index], compiler)


def _mutation_errors(mutation: Mapping[str, Any], path: Path, compiler: Compiler) -> Iterator[FieldError]:
    kind = mutation.get("patchType") or ""
    if not kind:
        yield required(path / "patchType")
        return
    if kind not in _PATCH_FIELDS:
        yield not_supported(path / "patchType", kind, _PATCH_FIELDS)
        return
    wanted = _PATCH_FIELDS[kind]
    if mutation.get(wanted) is None:
        yield required(path / wanted, f"must be specified when patchType is {kind}")
    else:
        expression = mutation[wanted].get("expression") or ""
        compiled = partial(compiler.compile_patch, is_json_patch=kind == "JSONPatch")
        yield from expression_errors(expression, path / wanted / "expression", compiled)
    for other in _PATCH_FIELDS.values():
        if other != wanted and mutation.get(other) is not None:
            yield invalid(path / other, f"{{{other}}}", f"must not be specified when patchType is {kind}")


def _reinvocation_errors(policy: str, path: Path) -> Iterator[FieldError]:
    if not policy:
        yield required(path)
    elif policy not in REINVOCATION_POLICIES:
        yield not_supported(path, policy, REINVOCATION_POLICIES)


def mutating_admission_policy_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    return [
        metadata.get("name", ""),
        len(spec.get("mutations") or ()),
        param_kind_cell(spec),
        age(metadata.get("creationTimestamp")),
    ]


MUTATING_ADMISSION_POLICIES = builtin(
    "admissionregistration.k8s.io/mutatingadmissionpolicies",
    strategy=MutatingAdmissionPolicyStrategy(),
    default=default_policy,
    cells=mutating_admission_policy_cells,
)
