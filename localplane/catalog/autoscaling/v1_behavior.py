"""The behaviour of an autoscaler as v1 keeps it: the internal Go type as JSON, with its Go names.

Go reads names in any case, and so do we. Kubernetes: pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

from localplane.apimachinery.gotext import go_json
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import parse_json

_RULES = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
_POLICY = ("type", "value", "periodSeconds")
_ZERO_POLICY: JSONObject = {"type": "", "value": 0, "periodSeconds": 0}


def behavior_text(behavior: JSONObject) -> str:
    return go_json({_go_name(name): _shown_rules(behavior.get(name)) for name in ("scaleUp", "scaleDown")})


def _shown_rules(rules: JSONObject | None) -> JSONObject | None:
    if rules is None:
        return None
    shown = {_go_name(name): rules.get(name) for name in _RULES}
    if rules.get("policies") is not None:
        shown["Policies"] = [
            {_go_name(name): policy.get(name, _ZERO_POLICY[name]) for name in _POLICY} for policy in rules["policies"]
        ]
    return shown


def _go_name(name: str) -> str:
    return name[0].upper() + name[1:]


def behavior_from_text(text: str | None) -> JSONObject | None:
    """None if there is none, or none that can be read."""
    if text is None:
        return None
    try:
        found = parse_json(text.encode()).value
    except SerializationError:
        return None
    if not isinstance(found, dict):
        return None
    behavior = _known(found, ("scaleUp", "scaleDown"))
    rules = {name: _known(value, _RULES) for name, value in behavior.items() if isinstance(value, dict)}
    for each in rules.values():
        if isinstance(each.get("policies"), list):
            each["policies"] = [
                _ZERO_POLICY | _known(policy, _POLICY) for policy in each["policies"] if isinstance(policy, dict)
            ]
    return rules or None


def _known(value: JSONObject, names: tuple[str, ...]) -> JSONObject:
    """The fields of these names, however they are written, that hold something."""
    by_lower = {name.lower(): name for name in names}
    found = ((by_lower.get(str(key).lower()), each) for key, each in value.items())
    return {name: each for name, each in found if name is not None and each is not None}
