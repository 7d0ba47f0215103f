"""Label selectors, from what was typed to what objects hold. Kubernetes: metav1.ParseToLabelSelector."""

from __future__ import annotations

from typing import Any

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote

_SETS = {"in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}
_ORDERED = ("gt", "lt")
_INVALID = "is not a valid label selector operator"


def label_selector(text: str) -> dict[str, Any]:
    from localplane.apimachinery.labels import InvalidSelector, parse

    try:
        requirements = parse(text).requirements
    except InvalidSelector as error:
        raise KctlError(f"couldn't parse the selector string {go_quote(text)}: {error}") from error
    labels: dict[str, str] = {}
    expressions: list[dict[str, Any]] = []
    for one in requirements:
        if one.operator in ("=", "=="):
            labels[one.key] = next(iter(one.values))
        elif one.operator not in _SETS:
            wrong = "isn't supported in label selectors" if one.operator in _ORDERED else _INVALID
            raise KctlError(f"{go_quote(one.operator)} {wrong}")
        else:
            expression: dict[str, Any] = {"key": one.key, "operator": _SETS[one.operator]}
            if values := sorted(one.values):
                expression["values"] = values
            expressions.append(expression)
    selector: dict[str, Any] = {}
    if labels:
        selector["matchLabels"] = dict(sorted(labels.items()))
    if expressions:
        selector["matchExpressions"] = expressions
    return selector
