"""Whether a job has come to its end, and why: what was announced before counts first, then failures, then successes.

Kubernetes: pkg/controller/job/job_controller.go, syncJob from exceedsBackoffLimit on.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.pods import condition, phase

from .conditions import FAILED, FAILURE_TARGET, SUCCESS_CRITERIA_MET, new_condition, of_kind
from .policies import success_message
from .survey import Survey
from .terms import is_indexed, is_suspended, moment_of

_LONGEST: Final = 2**31  # more seconds than anybody waits; many more are no time that a calendar knows


def verdict(survey: Survey, moment: datetime) -> JSONObject | None:
    """The condition that the job is to get: an announcement, or Failed if failure was announced before."""
    return _announced(survey.job, moment) or _failure(survey, moment) or _success_by_policy(survey, moment)


def _announced(job: JSONObject, moment: datetime) -> JSONObject | None:
    success = condition(job, SUCCESS_CRITERIA_MET)
    if success is not None and success.get("status") == "True":
        return success
    failure = condition(job, FAILURE_TARGET)
    if failure is not None and failure.get("status") == "True":
        return of_kind(failure, FAILED, moment)
    return None


def _failure(survey: Survey, moment: datetime) -> JSONObject | None:
    spec = survey.job["spec"]
    reason, message = "", ""
    if survey.failure_message:
        reason, message = "PodFailurePolicy", survey.failure_message
    elif survey.failed > spec["backoffLimit"] or _restarts_are_too_many(survey.job, survey.pods):
        reason, message = "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    elif (left := deadline_in(survey.job, moment)) is not None and left <= timedelta(0):
        reason, message = "DeadlineExceeded", "Job was active longer than specified deadline"
    elif survey.failed_indexes is not None:
        reason, message = _failed_indexes(survey)
    return new_condition(FAILURE_TARGET, "True", reason, message, moment) if reason else None


def _failed_indexes(survey: Survey) -> tuple[str, str]:
    spec, failed = survey.job["spec"], len(survey.failed_indexes or ())
    most = spec.get("maxFailedIndexes")
    if most is not None and failed > most:
        return "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"
    if failed and failed + len(survey.succeeded_indexes) >= spec["completions"]:
        return "FailedIndexes", "Job has failed indexes"
    return "", ""


def _restarts_are_too_many(job: JSONObject, pods: Iterable[JSONObject]) -> bool:
    """Where containers start again in the same pod, each restart counts as a failure."""
    if job["spec"]["template"]["spec"].get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(
        container.get("restartCount", 0)
        for pod in pods
        if phase(pod) in ("Running", "Pending")
        for kind in ("initContainerStatuses", "containerStatuses")
        for container in pod["status"].get(kind) or ()
    )
    return bool(restarts >= max(1, job["spec"]["backoffLimit"]))


def deadline_in(job: JSONObject, moment: datetime) -> timedelta | None:
    """How long the job may still be active, if there is a limit and it is."""
    seconds, since = job["spec"].get("activeDeadlineSeconds"), moment_of(job["status"].get("startTime"))
    if seconds is None or since is None or is_suspended(job):
        return None
    return since + timedelta(seconds=min(seconds, _LONGEST)) - moment


def _success_by_policy(survey: Survey, moment: datetime) -> JSONObject | None:
    if not is_indexed(survey.job):
        return None
    message = success_message(survey.job, survey.succeeded_indexes)
    return new_condition(SUCCESS_CRITERIA_MET, "True", "SuccessPolicy", message, moment) if message else None


def completion(survey: Survey, active: int, moment: datetime) -> JSONObject | None:
    """The announcement that enough pods succeeded, if they did. Without a number of completions one success is enough,
    and the others are waited for."""
    wanted = survey.job["spec"].get("completions")
    enough = survey.succeeded > 0 if wanted is None else survey.succeeded >= wanted
    if not enough or active:
        return None
    message = "Reached expected number of succeeded pods"
    return new_condition(SUCCESS_CRITERIA_MET, "True", "CompletionsReached", message, moment)
