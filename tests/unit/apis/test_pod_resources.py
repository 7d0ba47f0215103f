"""What a pod asks for and may use at most, as a quota and `describe` count it."""

from __future__ import annotations

from typing import Any

from localplane.apis import pod_resources


def test_a_pod_needs_what_its_largest_init_container_needs() -> None:
    def container(cpu: str, **more: str) -> dict[str, object]:
        return {"resources": {"requests": {"cpu": cpu}}, **more}

    spec = {"containers": [container("100m"), container("200m")], "initContainers": [container("1"), container("50m")]}
    assert str(pod_resources.requests({"spec": spec})["cpu"]) == "1"
    beside = {**spec, "initContainers": [container("50m", restartPolicy="Always")]}
    assert str(pod_resources.requests({"spec": beside})["cpu"]) == "350m"


def test_what_was_granted_counts_as_well_as_what_is_wanted() -> None:
    """A pod whose container was resized, and has more for now than it asks for."""
    spec = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}}]}
    resources = {"requests": {"cpu": "3"}, "limits": {"cpu": "1"}}
    granted = {"name": "c", "resources": resources, "allocatedResources": {"cpu": "2"}}
    pod: dict[str, Any] = {"spec": spec, "status": {"containerStatuses": [granted]}}
    assert str(pod_resources.requests(pod, from_status=False)["cpu"]) == "1"
    assert str(pod_resources.requests(pod)["cpu"]) == "3"
    assert str(pod_resources.limits(pod)["cpu"]) == "2"
    pod["status"]["conditions"] = [{"type": "PodResizePending", "reason": "Infeasible"}]
    assert str(pod_resources.limits(pod)["cpu"]) == "1"
