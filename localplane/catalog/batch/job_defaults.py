"""What a job is filled up with, and the labels by which it finds its pods.

Kubernetes: pkg/apis/batch/v1/defaults.go; pkg/registry/batch/job/strategy.go, generateSelector.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.defaults import default_pod_template

JOB_NAME: Final = "batch.kubernetes.io/job-name"
CONTROLLER_UID: Final = "batch.kubernetes.io/controller-uid"
OLD_JOB_NAME: Final = "job-name"
OLD_CONTROLLER_UID: Final = "controller-uid"

_NEVER_GIVES_UP = 2**31 - 1


def default_job(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", _NEVER_GIVES_UP if "backoffLimitPerIndex" in spec else 6)
    label_like_template(obj)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")
    spec.setdefault("manualSelector", False)
    default_job_spec(spec)


def default_job_spec(spec: JSONObject) -> None:
    """What a job and the job in a cron job's template have in common."""
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"
    default_pod_template(spec.setdefault("template", {}))


def label_like_template(obj: JSONObject) -> None:
    """A job without labels has those of its template: the very same, so that it gets those that are generated too."""
    labels = (obj["spec"].get("template") or {}).get("metadata", {}).get("labels")
    metadata = obj.setdefault("metadata", {})
    if labels and not metadata.get("labels"):
        metadata["labels"] = labels


def generate_selector(obj: JSONObject) -> None:
    """Labels in the template that no other job has, and a selector of them. What a client wrote there stays, and is
    refused later if it does not fit."""
    metadata, spec = obj["metadata"], obj["spec"]
    name, uid = metadata.get("name", ""), metadata.get("uid", "")
    labels = spec["template"].setdefault("metadata", {}).setdefault("labels", {})
    for key, value in ((OLD_JOB_NAME, name), (JOB_NAME, name), (OLD_CONTROLLER_UID, uid), (CONTROLLER_UID, uid)):
        labels.setdefault(key, value)
    spec.setdefault("selector", {}).setdefault("matchLabels", {}).setdefault(CONTROLLER_UID, uid)
