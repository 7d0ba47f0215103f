"""The rules that a job may have for pods that fail, and for being content before all indexes are done.

Kubernetes: pkg/controller/job/pod_failure_policy.go and success_policy.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject

from .indexes import Indexes
from .terms import has_failed, index_failures


@dataclass(frozen=True, slots=True)
class FailureMatch:
    """What the failure policy does about a pod. `action` is empty if no rule is about it; `message` says why the whole
    job fails, if it does."""

    action: str = ""
    message: str = ""

    @property
    def is_counted(self) -> bool:
        return self.action != "Ignore"


_NO_MATCH: Final = FailureMatch()


def failure_match(job: Mapping[str, Any], pod: Mapping[str, Any]) -> FailureMatch:
    """The first rule that fits a pod that failed."""
    for number, rule in enumerate((job["spec"].get("podFailurePolicy") or {}).get("rules") or ()):
        reason = _rule_reason(rule, pod)
        if reason:
            action = rule["action"]
            message = f"{reason} matching {action} rule at index {number}" if action == "FailJob" else ""
            return FailureMatch(action, message)
    return _NO_MATCH


def _rule_reason(rule: Mapping[str, Any], pod: Mapping[str, Any]) -> str:
    """Why the rule fits, or nothing."""
    metadata, status = pod["metadata"], pod.get("status") or {}
    name = f"{metadata.get('namespace', '')}/{metadata['name']}"
    if (codes := rule.get("onExitCodes")) is not None:
        container = _container_with_code(status, codes)
        if container is not None:
            code = container["state"]["terminated"].get("exitCode", 0)
            return f"Container {container.get('name', '')} for pod {name} failed with exit code {code}"
        return ""
    patterns = {(pattern.get("type"), pattern.get("status")) for pattern in rule.get("onPodConditions") or ()}
    for condition in status.get("conditions") or ():
        if (condition.get("type"), condition.get("status")) in patterns:
            return f"Pod {name} has condition {condition['type']}"
    return ""


def _container_with_code(status: Mapping[str, Any], codes: Mapping[str, Any]) -> JSONObject | None:
    values, is_in = codes.get("values") or (), codes.get("operator") == "In"
    for kind in ("containerStatuses", "initContainerStatuses"):
        for container in status.get(kind) or ():
            terminated = (container.get("state") or {}).get("terminated")
            if terminated is None or codes.get("containerName") not in (None, container.get("name")):
                continue
            code = terminated.get("exitCode", 0)
            if code != 0 and (code in values) == is_in:
                found: JSONObject = container
                return found
    return None


def fails_index(job: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """Whether the pod's end is the end of its index."""
    if not has_failed(pod, job):
        return False
    match = failure_match(job, pod)
    if match.action == "FailIndex":
        return True
    return match.is_counted and index_failures(pod) >= job["spec"]["backoffLimitPerIndex"]


def success_message(job: Mapping[str, Any], succeeded: Indexes) -> str:
    """Which rule of the success policy is met, or nothing."""
    if not succeeded:
        return ""
    completions = job["spec"]["completions"]
    for number, rule in enumerate((job["spec"].get("successPolicy") or {}).get("rules") or ()):
        if _is_met(rule, succeeded, completions):
            return f"Matched rules at index {number}"
    return ""


def _is_met(rule: Mapping[str, Any], succeeded: Indexes, completions: int) -> bool:
    count, text = rule.get("succeededCount"), rule.get("succeededIndexes")
    if text is None:
        return count is not None and len(succeeded) >= count
    wanted = Indexes.parse(text, completions)
    if not wanted:
        return False
    common = wanted.common(succeeded)
    return common == len(wanted) or (count is not None and common >= count)
