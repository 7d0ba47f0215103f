"""What happens when a container ends, or is resized: its own policy beside the pod's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, not_supported, required, too_many
from localplane.catalog.validation.values import one_of

JSONObject = Mapping[str, Any]

_POLICIES = ("Always", "Never", "OnFailure")
_ACTIONS = ("Restart", "RestartAllContainers")
_RULES_MAX, _CODES_MAX = 20, 255


def container_restart_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is not None:
        yield from one_of(policy, _POLICIES, path / "restartPolicy")
    elif rules:
        yield required(path / "restartPolicy", "must specify restartPolicy when restart rules are used")
    if len(rules) > _RULES_MAX:
        yield too_many(path / "restartPolicyRules", len(rules), _RULES_MAX)
    for index, rule in enumerate(rules):
        yield from _rule_errors(rule, (path / "restartPolicyRules")[index])


def init_restart_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    """An init container without a policy is told only that its rules need one."""
    if container.get("restartPolicy") is not None:
        yield from container_restart_errors(container, path)
    elif container.get("restartPolicyRules"):
        yield required(path / "restartPolicy", "must specify restartPolicy when restart rules are used")


def _rule_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from one_of(rule.get("action", ""), _ACTIONS, path / "action")
    codes = rule.get("exitCodes")
    if codes is None:
        yield required(path / "exitCodes", "must be specified")
        return
    yield from one_of(codes.get("operator", ""), ("In", "NotIn"), path / "exitCodes" / "operator")
    if len(values := codes.get("values") or ()) > _CODES_MAX:
        yield too_many(path / "exitCodes" / "values", len(values), _CODES_MAX)


def resize_policy_errors(container: JSONObject, pod_policy: str, path: Path) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        resource, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if resource in seen:
            yield duplicate(path[index], resource)
        seen.add(resource)
        yield from one_of(resource, ("cpu", "memory"), path, missing="")
        yield from one_of(restart, ("NotRequired", "RestartContainer"), path, missing="")
        if pod_policy == "Never" and restart != "NotRequired":
            yield invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


def init_resize_errors(container: JSONObject, path: Path) -> Iterator[FieldError]:
    """An init container that has ended can't be started again for a resize."""
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield invalid(path[index] / "restartPolicy", "RestartContainer", detail)


def restart_policy_errors(policy: str, path: Path) -> list[FieldError]:
    """The pod's own."""
    if not policy:
        return [required(path)]
    supported = ("Always", "OnFailure", "Never")
    return [] if policy in supported else [not_supported(path, policy, supported)]
