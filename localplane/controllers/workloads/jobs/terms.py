"""What a job asks for, and what it knows its pods by.

Kubernetes: api/batch/v1/types.go, and the small questions of pkg/controller/job/job_controller.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.client import GroupVersionResource
from localplane.controllers.pods import has_condition, is_terminal, is_terminating, phase

JOBS: Final = GroupVersionResource("batch", "v1", "jobs")
CONTROLLER_NAME: Final = "kubernetes.io/job-controller"
TRACKING: Final = "batch.kubernetes.io/job-tracking"
COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
INDEX_FAILURES: Final = "batch.kubernetes.io/job-index-failure-count"
INDEX_IGNORED_FAILURES: Final = "batch.kubernetes.io/job-index-ignored-failure-count"

_LARGEST: Final = 2**31 - 1
_is_number = re.compile(r"[+-]?[0-9]{1,18}").fullmatch


def is_finished(job: Mapping[str, Any]) -> bool:
    return has_condition(job, "Complete") or has_condition(job, "Failed")


def is_foreign(job: Mapping[str, Any]) -> bool:
    """Somebody else runs it."""
    return job["spec"].get("managedBy") not in (None, CONTROLLER_NAME)


def is_suspended(job: Mapping[str, Any]) -> bool:
    return job["spec"].get("suspend") is True


def is_indexed(job: Mapping[str, Any]) -> bool:
    return bool(job["spec"].get("completionMode") == "Indexed")


def limits_each_index(job: Mapping[str, Any]) -> bool:
    return job["spec"].get("backoffLimitPerIndex") is not None


def replaces_only_failed(job: Mapping[str, Any]) -> bool:
    """A pod that is on its way out is not replaced before it is over."""
    return bool(job["spec"].get("podReplacementPolicy") == "Failed")


def is_tracked(pod: Mapping[str, Any]) -> bool:
    """It is not counted yet."""
    return TRACKING in (pod["metadata"].get("finalizers") or ())


def has_succeeded(pod: Mapping[str, Any]) -> bool:
    return phase(pod) == "Succeeded"


def has_failed(pod: Mapping[str, Any], job: Mapping[str, Any]) -> bool:
    """One that is deleted counts as failed, since nobody may be left to say so; unless the job wants to wait."""
    if phase(pod) == "Failed":
        return True
    return not replaces_only_failed(job) and is_terminating(pod) and not has_succeeded(pod)


def is_ending(pod: Mapping[str, Any]) -> bool:
    """Deleted, and still running."""
    return is_terminating(pod) and not is_terminal(pod)


def completion_index(pod: Mapping[str, Any]) -> int | None:
    """Which of the job's indexes it works on, if that is told and can be read."""
    text = (pod["metadata"].get("annotations") or {}).get(COMPLETION_INDEX)
    index = int(text) if text is not None and _is_number(text) else -1
    return index if index >= 0 else None


def valid_index(pod: Mapping[str, Any], job: Mapping[str, Any]) -> int | None:
    """The same, if the job has such an index (still)."""
    index = completion_index(pod)
    return index if index is not None and index < job["spec"]["completions"] else None


def index_failures(pod: Mapping[str, Any]) -> int:
    """How many pods failed at the index before this one."""
    return _count(pod, INDEX_FAILURES)


def index_ignored_failures(pod: Mapping[str, Any]) -> int:
    """Those that the failure policy did not count."""
    return _count(pod, INDEX_IGNORED_FAILURES)


def all_index_failures(pod: Mapping[str, Any]) -> int:
    return index_failures(pod) + index_ignored_failures(pod)


def _count(pod: Mapping[str, Any], annotation: str) -> int:
    text = (pod["metadata"].get("annotations") or {}).get(annotation, "0")
    number = int(text) if _is_number(text) else 0
    return number if 0 <= number <= _LARGEST else 0


def moment_of(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except InvalidTime:
        return None
