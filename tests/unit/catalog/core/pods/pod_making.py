"""Pods to break: a good one, with parts of its spec or of its container replaced."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.defaults import default_pod
from localplane.catalog.core.pods.validation.pods import pod_create_errors, pod_errors


def faults(spec: JSONObject | None = None, container: JSONObject | None = None, **metadata: Any) -> list[str]:
    """What a server would say of a new pod, as `field: message`."""
    made = deepcopy(
        {
            "metadata": {"name": "p", "namespace": "n"} | metadata,
            "spec": {"containers": [{"name": "c", "image": "i", "resources": {}} | (container or {})]} | (spec or {}),
        }
    )
    default_pod(made)
    return [str(error) for error in (*pod_errors(made), *pod_create_errors(made))]
