"""Pods behind scheduling gates, which may still become choosier about their node.

Kubernetes: pkg/apis/core/validation, the part of ValidatePodUpdate for gated pods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.catalog.internal_form import internal_form

from .semantics import equal

JSONObject = Mapping[str, Any]

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
