"""What may change in a pod once it is there. Kubernetes: pkg/apis/core/validation, ValidatePodUpdate.

A pod is an order to a node, so most of its spec is as it was on the first day. What may change is laid back to what it
was, and then the two specs must be the same. Pods behind scheduling gates may still become choosier about their node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema.values import identity
from localplane.catalog.internal_form import diff, internal_form
from localplane.catalog.validation.values import in_range

from .semantics import equal
from .validation.scheduling import toleration_errors

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_SPEC = Path("spec")


def gated_errors(restored: dict[str, Any], old: JSONObject) -> list[FieldError]:
    """What is wrong with a change of node selector and node affinity, which are laid back in `restored`."""
    errors = _node_selector_errors(restored.get("nodeSelector") or {}, old.get("nodeSelector") or {})
    restored.pop("nodeSelector", None)
    if "nodeSelector" in old:
        restored["nodeSelector"] = old["nodeSelector"]
    new_affinity, old_affinity = _node_affinity(restored), _node_affinity(old)
    if not equal(new_affinity, old_affinity):
        errors += _node_affinity_errors(new_affinity, old_affinity)
        _restore_node_affinity(restored, old, old_affinity)
    return errors


def _node_selector_errors(new: JSONObject, old: JSONObject) -> list[FieldError]:
    if all(name in new and new[name] == value for name, value in old.items()):
        return []
    only = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
    return [invalid(_SPEC / "nodeSelector", dict(sorted(new.items())) or None, only)]


def _node_affinity(spec: JSONObject) -> JSONObject | None:
    return (spec.get("affinity") or {}).get("nodeAffinity")


def _node_affinity_errors(new: JSONObject | None, old: JSONObject | None) -> list[FieldError]:
    """Where nodes were required, requirements may be added to each of the terms."""
    path = _SPEC / "affinity" / "nodeAffinity" / _REQUIRED / "nodeSelectorTerms"
    old_terms = ((old or {}).get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    new_terms = ((new or {}).get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    if not old_terms:
        return []
    if len(old_terms) != len(new_terms):
        shown = internal_form(new_terms or None, "[]core.NodeSelectorTerm")
        return [invalid(path, shown, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")]
    return [
        invalid(
            path[index],
            internal_form(after, "core.NodeSelectorTerm"),
            "only additions are allowed (no mutations or deletions)",
        )
        for index, (after, before) in enumerate(zip(new_terms, old_terms, strict=True))
        if not _only_adds(after, before)
    ]


def _only_adds(new: JSONObject, old: JSONObject) -> bool:
    """An empty term selects nothing, and must go on doing so."""
    kinds = ("matchExpressions", "matchFields")
    if not any(old.get(kind) for kind in kinds):
        return not any(new.get(kind) for kind in kinds)
    return all((new.get(kind) or [])[: len(old.get(kind) or [])] == (old.get(kind) or []) for kind in kinds)


def _restore_node_affinity(restored: dict[str, Any], old: JSONObject, node_affinity: JSONObject | None) -> None:
    others = {name: value for name, value in (restored.get("affinity") or {}).items() if name != "nodeAffinity"}
    if node_affinity is not None:
        restored["affinity"] = others | {"nodeAffinity": node_affinity}
    elif others or "affinity" in old:
        restored["affinity"] = others
    else:
        restored.pop("affinity", None)


SPEC = Path("spec")

_INT32_MAX = 2**31 - 1
_UPDATABLE = (
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)


def spec_update_errors(new: JSONObject, old: JSONObject) -> list[FieldError]:
    """What is wrong with the way from one spec to the other; each of them was checked by itself."""
    errors: list[FieldError] = []
    for kind in ("containers", "initContainers"):
        before, after = old.get(kind) or (), new.get(kind) or ()
        if len(before) != len(after):
            return [*errors, forbidden(SPEC / kind, "pod updates may not add or remove containers")]
        errors += _image_errors(after, SPEC / kind)
    deadline = _deadline_errors(new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds"))
    errors += deadline
    if deadline and new.get("activeDeadlineSeconds") is not None:
        return errors
    errors += _tolerations_errors(new.get("tolerations") or [], old.get("tolerations") or [])
    errors += _gates_errors(new.get("schedulingGates") or [], old.get("schedulingGates") or [])
    if equal(new, old):
        return errors
    restored = _restored(new, old)
    if old.get("schedulingGates"):
        errors += gated_errors(restored, old)
    if not equal(restored, old):
        allowed = ",".join(_UPDATABLE)
        why = f"pod updates may not change fields other than {allowed}\n{diff(old, restored, 'core.PodSpec')}"
        errors.append(forbidden(SPEC, why))
    return errors


def _image_errors(containers: Sequence[JSONObject], path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, container in enumerate(containers):
        image = container.get("image") or ""
        if not image:
            errors.append(required(path[index] / "image"))
        if image != image.strip():
            padded = "must not have leading or trailing whitespace"
            errors.append(invalid(path[index] / "image", image, padded))
    return errors


def _deadline_errors(new: int | None, old: int | None) -> list[FieldError]:
    """A deadline may be set, and come nearer."""
    path = SPEC / "activeDeadlineSeconds"
    if new is None:
        lost = "must not update from a positive integer to nil value"
        return [] if old is None else [invalid(path, None, lost)]
    if errors := in_range(new, 0, _INT32_MAX, path):
        return errors
    if old is not None and old < new:
        return [invalid(path, new, "must be less than or equal to previous value")]
    return []


def _tolerations_errors(new: Sequence[JSONObject], old: Sequence[JSONObject]) -> list[FieldError]:
    path = SPEC / "tolerations"
    kept = {identity(_but_for_time(each)) for each in new}
    if any(identity(_but_for_time(each)) not in kept for each in old):
        return [forbidden(path, "existing toleration can not be modified except its tolerationSeconds")]
    return list(toleration_errors(new, path))


def _but_for_time(toleration: JSONObject) -> JSONObject:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds"}


def _gates_errors(new: Sequence[JSONObject], old: Sequence[JSONObject]) -> list[FieldError]:
    known = {gate.get("name", "") for gate in old}
    added = {gate.get("name", ""): index for index, gate in enumerate(new) if gate.get("name", "") not in known}
    return [
        forbidden(
            (SPEC / "schedulingGates")[index] / "name",
            f"only deletion is allowed, but found new scheduling gate '{name}'",
        )
        for name, index in added.items()
    ]


def _restored(new: JSONObject, old: JSONObject) -> dict[str, Any]:
    """The new spec with everything that may change as it was."""
    restored = dict(new)
    for kind in ("containers", "initContainers"):
        if kind in new:
            restored[kind] = [
                _with(container, "image", before)
                for container, before in zip(new[kind] or (), old.get(kind) or (), strict=True)
            ]
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        restored = _with(restored, name, old)
    grace = "terminationGracePeriodSeconds"
    if (old.get(grace) or 0) < 0 and new.get(grace) == 1:
        restored[grace] = old[grace]
    return restored


def _with(obj: JSONObject, name: str, source: JSONObject) -> dict[str, Any]:
    """A copy with one field as another object has it."""
    changed = {key: value for key, value in obj.items() if key != name}
    return changed | {name: source[name]} if name in source else changed
