"""What an autoscaler may be. Kubernetes: pkg/apis/autoscaling/validation."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.validation.values import NOT_NEGATIVE

from .metrics import metrics_errors
from .references import reference_errors, version_problem

_SPEC = Path("spec")
_LONGEST_WINDOW = 3600
_LONGEST_PERIOD = 1800


def spec_errors(spec: JSONObject, before: JSONObject | None) -> Iterator[FieldError]:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and most < least:
        yield invalid(_SPEC / "maxReplicas", most, "must be greater than or equal to `minReplicas`")
    yield from _target_errors(spec.get("scaleTargetRef") or {}, before, _SPEC / "scaleTargetRef")
    metrics = spec.get("metrics") or []
    yield from metrics_errors(metrics, _SPEC / "metrics", forgive_versions=_had_bad_versions(before))
    if least == 0 and not any(each.get("type") in ("Object", "External") for each in metrics):
        told = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield forbidden(_SPEC / "metrics", told)
    behavior = spec.get("behavior") or {}
    for direction in ("scaleUp", "scaleDown"):
        if direction in behavior:
            yield from _rules_errors(behavior[direction], _SPEC / "behavior" / direction)
    yield from _count_errors(least, most, before)


def _count_errors(least: int | None, most: int, before: JSONObject | None) -> Iterator[FieldError]:
    """Said last and shortly, by rules that come with the type and look only at what changes."""
    if least is not None and least < 0 and (before is None or before.get("minReplicas") != least):
        yield invalid(_SPEC / "minReplicas", least, "must be greater than or equal to 0")
    if before is not None and (before.get("maxReplicas") or 0) == most:
        return
    if most == 0:
        yield required(_SPEC / "maxReplicas")
    elif most < 0:
        yield invalid(_SPEC / "maxReplicas", most, "must be greater than or equal to 1")


def _target_errors(target: JSONObject, before: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """What was said of the target's kind before may be said again. Replication controllers are the only ones to scale
    in the group without a name."""
    was = (before.get("scaleTargetRef") or {}) if before is not None else {}
    same_kind = all(was.get(name, "") == target.get(name, "") for name in ("apiVersion", "kind"))
    yield from reference_errors(
        target,
        path,
        skip_version=before is not None and same_kind,
        allow_core=target.get("kind") == "ReplicationController",
    )


def _had_bad_versions(before: JSONObject | None) -> bool:
    described = (
        (each.get("object") or {}).get("describedObject") or {}
        for each in (before or {}).get("metrics") or ()
        if each.get("type") == "Object" and "object" in each
    )
    return any(version_problem(each, allow_core=True) for each in described)


def _rules_errors(rules: JSONObject, path: Path) -> Iterator[FieldError]:
    window = rules.get("stabilizationWindowSeconds")
    if window is not None and window < 0:
        yield invalid(path / "stabilizationWindowSeconds", window, "must be greater than or equal to zero")
    if window is not None and window > _LONGEST_WINDOW:
        told = f"must be less than or equal to {_LONGEST_WINDOW}"
        yield invalid(path / "stabilizationWindowSeconds", window, told)
    select = rules.get("selectPolicy")
    if select not in (None, "Disabled", "Max", "Min"):
        yield not_supported(path / "selectPolicy", select, ("Disabled", "Max", "Min"))
    policies = rules.get("policies") or []
    if not policies:
        yield required(path / "policies", "must specify at least one Policy")
    for index, policy in enumerate(policies):
        yield from _policy_errors(policy, (path / "policies")[index])
    tolerance = rules.get("tolerance")
    if tolerance is not None and parse(tolerance).sign < 0:
        yield invalid(path / "tolerance", tolerance, NOT_NEGATIVE)


def _policy_errors(policy: JSONObject, path: Path) -> Iterator[FieldError]:
    kind, value, period = policy.get("type", ""), policy.get("value") or 0, policy.get("periodSeconds") or 0
    if kind not in ("Percent", "Pods"):
        yield not_supported(path / "type", kind, ("Percent", "Pods"))
    if value <= 0:
        yield invalid(path / "value", value, "must be greater than zero")
    if period <= 0:
        yield invalid(path / "periodSeconds", period, "must be greater than zero")
    if period > _LONGEST_PERIOD:
        yield invalid(path / "periodSeconds", period, f"must be less than or equal to {_LONGEST_PERIOD}")
