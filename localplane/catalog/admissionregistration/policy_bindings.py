"""ValidatingAdmissionPolicyBindings and MutatingAdmissionPolicyBindings: where a policy holds, with which parameters.

Kubernetes: pkg/registry/admissionregistration/{validating,mutating}admissionpolicybinding and
pkg/apis/admissionregistration/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import label_selector_text
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.validation.rules import (
    DNS_SUBDOMAIN,
    All,
    Always,
    Each,
    Fields,
    Named,
    OneOf,
    Required,
    Struct,
    Unique,
)
from localplane.catalog.validation.selectors import selector_errors

from .configuration import ConfigurationStrategy
from .match_resources import MATCH_RESOURCES, default_match_resources
from .rules import MUTATING_OPERATIONS

_ONE = "name and selector are mutually exclusive"


def default_binding(obj: JSONObject) -> None:
    default_match_resources((obj.get("spec") or {}).get("matchResources"))


def _reference_errors(reference: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    name, selector = reference.get("name") or "", reference.get("selector")
    if name and selector is not None:
        yield forbidden(path / "name", _ONE)
        yield forbidden(path / "selector", _ONE)
    if not name and selector is None:
        yield required(path, "one of name or selector must be specified")


def _repetition_errors(actions: Sequence[str], path: Path) -> Iterator[FieldError]:
    if {"Deny", "Warn"} <= set(actions):
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the API "
            "response and headers serves no purpose)"
        )
        yield invalid(path, actions, detail)


_PARAM_REF = All(
    Fields(name=Always(Named(path_segment_name)), selector=selector_errors),
    _reference_errors,
    Fields(parameterNotFoundAction=Required(OneOf("Deny", "Allow"))),
)


class ValidatingAdmissionPolicyBindingStrategy(ConfigurationStrategy):
    rules = Fields(
        spec=Struct(
            Fields(
                policyName=Required(DNS_SUBDOMAIN, declared=True),
                paramRef=_PARAM_REF,
                matchResources=MATCH_RESOURCES,
                validationActions=Required(
                    Each(OneOf("Audit", "Deny", "Warn"), Unique()), _repetition_errors, declared=True
                ),
            )
        )
    )


class MutatingAdmissionPolicyBindingStrategy(ConfigurationStrategy):
    rules = Fields(
        spec=Struct(
            Fields(
                policyName=Required(DNS_SUBDOMAIN),
                paramRef=_PARAM_REF,
                matchResources=All(MATCH_RESOURCES, MUTATING_OPERATIONS),
            )
        )
    )


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
