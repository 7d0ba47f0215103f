"""How much time a pod gets to end. Kubernetes: pkg/registry/core/pod, CheckGracefulDelete."""

from __future__ import annotations

from typing import Any

_ENDED = ("Failed", "Succeeded")


def grace_period(pod: dict[str, Any], asked: int | None) -> int:
    """In seconds. Where nothing runs, nothing is waited for, whatever a client asks for."""
    spec = pod.get("spec") or {}
    if not spec.get("nodeName") or (pod.get("status") or {}).get("phase") in _ENDED:
        return 0
    period: int = asked if asked is not None else spec.get("terminationGracePeriodSeconds") or 0
    return period if period >= 0 else 1
