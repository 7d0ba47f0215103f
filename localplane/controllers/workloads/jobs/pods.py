"""The pods of a job: its template, the finalizer that keeps them until they are counted, and their index.

Kubernetes: pkg/controller/job/indexed_job_utils.go, from addCompletionIndexEnvVariables on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.ownership import controller_reference
from localplane.controllers.pods import pod_from_template

from .policies import failure_match
from .terms import (
    COMPLETION_INDEX,
    INDEX_FAILURES,
    INDEX_IGNORED_FAILURES,
    TRACKING,
    index_failures,
    index_ignored_failures,
    is_indexed,
    limits_each_index,
)

_ENVIRONMENT: Final = "JOB_COMPLETION_INDEX"
_LONGEST_PREFIX: Final = 63 - 5  # what the server adds has five letters


def new_pod(job: JSONObject, index: int | None, replaced: Mapping[str, Any] | None = None) -> JSONObject:
    """`index` is told by jobs that have indexes; `replaced` is the pod that failed there before, if the job counts
    failures by index."""
    pod = pod_from_template(job["spec"]["template"], job, controller_reference(job))
    metadata = pod["metadata"]
    finalizers = metadata.setdefault("finalizers", [])
    if TRACKING not in finalizers:
        finalizers.append(TRACKING)
    if is_indexed(job):
        for kind in ("initContainers", "containers"):
            for container in pod["spec"].get(kind) or ():
                _tell_index(container)
    if index is not None:
        metadata["generateName"] = _prefix(job["metadata"]["name"], index)
        metadata.setdefault("labels", {})[COMPLETION_INDEX] = str(index)
        annotations = metadata.setdefault("annotations", {})
        annotations[COMPLETION_INDEX] = str(index)
        pod["spec"]["hostname"] = f"{job['metadata']['name']}-{index}"
        if limits_each_index(job):
            annotations.update(_failure_counts(job, replaced))
    return pod


def _tell_index(container: JSONObject) -> None:
    environment = container.setdefault("env", [])
    if all(variable.get("name") != _ENVIRONMENT for variable in environment):
        source = {"fieldRef": {"fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}
        environment.append({"name": _ENVIRONMENT, "valueFrom": source})


def _prefix(name: str, index: int) -> str:
    suffix = f"-{index}-"
    return f"{name[: _LONGEST_PREFIX - len(suffix)]}{suffix}"


def _failure_counts(job: JSONObject, replaced: Mapping[str, Any] | None) -> dict[str, str]:
    if replaced is None:
        return {INDEX_FAILURES: "0"}
    failures, ignored = index_failures(replaced), index_ignored_failures(replaced)
    if failure_match(job, replaced).is_counted:
        failures += 1
    else:
        ignored += 1
    counts = {INDEX_FAILURES: str(failures)}
    if ignored:
        counts[INDEX_IGNORED_FAILURES] = str(ignored)
    return counts
