"""What the server has to say of a definition: all conditions but those of its deletion, in one step.

Kubernetes has a controller for each (pkg/controller: status, establish, nonstructuralschema, apiapproval), and a
second or two pass between them.
"""

from __future__ import annotations

from localplane.apimachinery.fieldpath import FieldError, Path, aggregate, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied

from .internal import schema_of
from .names import TakenNames, accepted_names, decide, has_its_names, said
from .status import condition, find, is_true, remove_condition, same, set_condition
from .validation.approval import Approval, approval_message, approval_of, is_protected
from .validation.demands import ca_bundle_errors, client_config
from .validation.structural import structural_errors, unsupported


def settled(obj: JSONObject, taken: TakenNames) -> JSONObject | None:
    """The status that a definition should have; None if it has it already. `taken` are the names that are given away
    in its group."""
    new: JSONObject = {"metadata": obj["metadata"], "spec": obj["spec"], "status": copied(obj.get("status") or {})}
    _settle_names(new, taken)
    _settle_established(new)
    _settle_schemas(new)
    _settle_approval(new)
    status: JSONObject = new["status"]
    return None if status == (obj.get("status") or {}) else status


def _settle_names(obj: JSONObject, taken: TakenNames) -> None:
    if has_its_names(obj):
        return
    naming = decide(obj, taken)
    if said(accepted_names(obj)) == said(naming.names) and same(naming.accepted, find(obj, "NamesAccepted")):
        return
    obj["status"]["acceptedNames"] = {"plural": "", "kind": "", **naming.names}
    set_condition(obj, naming.accepted)
    set_condition(obj, naming.established)


def _settle_established(obj: JSONObject) -> None:
    if not is_true(obj, "NamesAccepted") or is_true(obj, "Established"):
        return
    config = client_config(obj["spec"].get("conversion") or {}) or {}
    if ca_bundle_errors(config.get("caBundle") or "", Path()):
        bad = condition("Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid")
        set_condition(obj, bad)
        return
    good = condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")
    set_condition(obj, good)


def _settle_schemas(obj: JSONObject) -> None:
    """Only definitions from before this was asked of them can have a schema that is not structural."""
    if not obj["spec"].get("preserveUnknownFields") and find(obj, "NonStructuralSchema") is None:
        return
    found = _schema_condition(obj["spec"])
    if same(found, find(obj, "NonStructuralSchema")):
        return
    if found is None:
        remove_condition(obj, "NonStructuralSchema")
    else:
        set_condition(obj, found)


def _schema_condition(spec: JSONObject) -> JSONObject | None:
    errors: list[FieldError] = []
    if spec.get("preserveUnknownFields"):
        errors.append(invalid("spec.preserveUnknownFields", spec["preserveUnknownFields"], "must be false"))
    for number, version in enumerate(spec.get("versions") or ()):
        schema = schema_of(version)
        if schema is None:
            continue
        why = unsupported(schema)
        if why:
            message = f"failed to check validation schema for version {version['name']}: {why}"
            return condition("NonStructuralSchema", "Unknown", "StructuralError", message)
        errors += structural_errors(schema, Path("spec.versions")[number] / "schema" / "openAPIV3Schema")
    return condition("NonStructuralSchema", "True", "Violations", aggregate(errors)) if errors else None


def _settle_approval(obj: JSONObject) -> None:
    if not is_protected(obj["spec"].get("group", "")):
        return
    state = approval_of(obj)
    status = "True" if state is Approval.APPROVED else "False"
    found = condition("KubernetesAPIApprovalPolicyConformant", status, state.value, approval_message(obj))
    if not same(found, find(obj, "KubernetesAPIApprovalPolicyConformant")):
        set_condition(obj, found)
