"""MutatingAdmissionPolicies: changes in CEL that are made to what is written.

Kubernetes: pkg/registry/admissionregistration/mutatingadmissionpolicy and pkg/apis/admissionregistration/validation,
validateMutatingAdmissionPolicySpec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.validation.rules import Fields, Required

from .configuration import ConfigurationStrategy
from .expressions import expression_errors
from .match_resources import param_kind_cell
from .rules import MUTATING_OPERATIONS
from .validating_admission_policies import default_policy, policy_compiler, policy_errors
from .webhooks import REINVOCATION_POLICY

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler

_SPEC = Path("spec")
_PATCH_FIELDS = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}


def _mutations_errors(
    mutations: Sequence[Mapping[str, Any]], path: Path, compiler: ExpressionCompiler
) -> Iterator[FieldError]:
    if not mutations:
        yield required(path, "mutations must contain at least one item")
    for index, mutation in enumerate(mutations):
        yield from _mutation_errors(mutation, path[index], compiler)


def _mutation_errors(mutation: Mapping[str, Any], path: Path, compiler: ExpressionCompiler) -> Iterator[FieldError]:
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


_OPERATIONS = Fields(matchConstraints=MUTATING_OPERATIONS)
_REINVOCATION = Fields(reinvocationPolicy=Required(REINVOCATION_POLICY))


class MutatingAdmissionPolicyStrategy(ConfigurationStrategy):
    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        spec, before = obj.get("spec") or {}, None if old is None else old.get("spec") or {}
        compiler = policy_compiler(spec, has_variables=True)
        yield from policy_errors(spec, before, compiler)
        yield from _OPERATIONS(spec, _SPEC)
        yield from _mutations_errors(spec.get("mutations") or (), _SPEC / "mutations", compiler)
        yield from _REINVOCATION(spec, _SPEC)


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
