"""Objects that are always there, and whose specs nobody may change.

Kubernetes: apiserver/pkg/apis/flowcontrol/bootstrap.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject


def _schema(level: str, precedence: int, *groups: str, **more: Any) -> JSONObject:
    """Everything that members of these groups ask for."""
    rule = {
        "subjects": [{"kind": "Group", "group": {"name": group}} for group in groups],
        "resourceRules": [
            {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
        ],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }
    return {
        "priorityLevelConfiguration": {"name": level},
        "matchingPrecedence": precedence,
        "rules": [rule],
        **more,
    }


MANDATORY_FLOW_SCHEMAS = {
    "exempt": _schema("exempt", 1, "system:masters"),
    "catch-all": _schema(
        "catch-all",
        10000,
        "system:unauthenticated",
        "system:authenticated",
        distinguisherMethod={"type": "ByUser"},
    ),
}

MANDATORY_PRIORITY_LEVELS: dict[str, JSONObject] = {
    "exempt": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0, "lendablePercent": 0}},
    "catch-all": {
        "type": "Limited",
        "limited": {"nominalConcurrencyShares": 5, "lendablePercent": 0, "limitResponse": {"type": "Reject"}},
    },
}
