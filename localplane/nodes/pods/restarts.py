"""Whether a container that has ended starts again, and after how long.

Kubernetes: pkg/api/v1/pod (ContainerShouldRestart) and pkg/kubelet/kuberuntime (doBackOff).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.nodes.options import NodeOptions


def is_to_restart(pod: Mapping[str, Any], container: Mapping[str, Any], exit_code: int) -> bool:
    """The container's own rules and policy come before the pod's."""
    policy = container.get("restartPolicy")
    if policy:
        if _matches_a_rule(container, exit_code):
            return True
        return bool(policy == "Always" or (policy == "OnFailure" and exit_code != 0))
    match pod["spec"].get("restartPolicy", "Always"):
        case "Never":
            return False
        case "OnFailure":
            return exit_code != 0
        case _:
            return True


def _matches_a_rule(container: Mapping[str, Any], exit_code: int) -> bool:
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        listed = exit_code in (codes.get("values") or ())
        if listed == (codes.get("operator") == "In"):
            return True
    return False


def back_off(restarts: int, options: NodeOptions) -> float:
    """Seconds between the end of a run and the next: none after the first, then twice as many each time."""
    if restarts == 0:
        return 0.0
    pace = options.pace
    doubled = pace.back_off.total_seconds() * 2.0 ** min(restarts - 1, 30)
    return min(doubled, pace.longest_back_off.total_seconds()) / options.speed
