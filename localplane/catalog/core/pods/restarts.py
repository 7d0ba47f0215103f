"""Whether a container that has ended may run again. Kubernetes: pkg/api/v1/pod, ContainerShouldRestart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JSONObject = Mapping[str, Any]

_ALL = "RestartAllContainers"
_RESTARTING = ("Restart", _ALL)


def all_could_restart(spec: JSONObject) -> bool:
    """Whether the end of one container may restart all others, whatever their own policy."""
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return any(rule.get("action") == _ALL for each in containers for rule in each.get("restartPolicyRules") or ())


def should_restart(container: JSONObject, spec: JSONObject, exit_code: int) -> bool:
    """A rule for the exit code comes first, then the container's policy, then the pod's."""
    policy = container.get("restartPolicy")
    if policy is not None and (_matching_rule(container, exit_code) or {}).get("action") in _RESTARTING:
        return True
    if policy not in ("Always", "OnFailure", "Never"):
        policy = spec.get("restartPolicy")
    return policy != "Never" and (policy != "OnFailure" or exit_code != 0)


def _matching_rule(container: JSONObject, exit_code: int) -> JSONObject | None:
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes")
        if codes is None:
            continue
        is_listed = exit_code in (codes.get("values") or ())
        if (codes.get("operator"), is_listed) in (("In", True), ("NotIn", False)):
            return dict(rule)
    return None
