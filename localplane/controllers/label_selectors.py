"""Label selectors as Kubernetes' messages show them. Kubernetes: meta/v1, LabelSelector.String."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def selector_text(selector: Mapping[str, Any] | None) -> str:
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{each.get('key', '')},Operator:{each.get('operator', '')},"
        f"Values:[{' '.join(each.get('values') or ())}],}},"
        for each in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
