"""What the status of a job may be, and how it may change.

Anybody may run jobs in the place of the built-in controller, so a status is held against what clients rely on: a
finished job stays finished. Most rules look only at what the write changes, so that an old fault does not stand in the
way of another matter. Kubernetes: pkg/apis/batch/validation, ValidateJobStatusUpdate;
pkg/registry/batch/job/strategy.go, getStatusValidationOptions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from localplane.apimachinery.fieldpath import OMIT_VALUE, FieldError, duplicate, invalid, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import parse_time
from localplane.catalog.strategy import STATUS
from localplane.catalog.validation.metadata import IMMUTABLE
from localplane.catalog.validation.rules import Counts

from .indexes import InvalidIndexes, count_indexes, overlap


def has(status: JSONObject, kind: str, value: str) -> bool:
    return any(each.get("type") == kind and each.get("status") == value for each in status.get("conditions") or ())


def is_true(status: JSONObject, kind: str) -> bool:
    return has(status, kind, "True")


def is_finished(status: JSONObject) -> bool:
    return is_true(status, "Complete") or is_true(status, "Failed")


_CONDITIONS = STATUS / "conditions"
_COUNTS = Counts("active", "succeeded", "failed", "ready", "terminating")


@dataclass(frozen=True, slots=True)
class _Change:
    """One write of a status: what the job is, what its status was, and what it is to be."""

    spec: JSONObject
    old: JSONObject
    new: JSONObject

    def of(self, *names: str) -> bool:
        """Whether any of these fields differs."""
        return any(self.old.get(name) != self.new.get(name) for name in names)

    def of_condition(self, *kinds: str) -> bool:
        return any(is_true(self.old, kind) != is_true(self.new, kind) for kind in kinds)

    @property
    def of_finish(self) -> bool:
        return is_finished(self.old) != is_finished(self.new)


def status_errors(spec: JSONObject, old: JSONObject, new: JSONObject) -> Iterator[FieldError]:
    change = _Change(spec, old, new)
    yield from _COUNTS(new, STATUS)
    yield from _uncounted_errors(new)
    yield from _completion_errors(change)
    yield from _finished_errors(change)
    yield from _index_errors(change)
    if change.of("ready", "active") and (new.get("ready") or 0) > (new.get("active") or 0):
        yield invalid(STATUS / "ready", new["ready"], "cannot set more ready pods than active")
    yield from _success_errors(change)
    yield from _transition_errors(change)


def _uncounted_errors(status: JSONObject) -> Iterator[FieldError]:
    seen: set[str] = set()
    uncounted = status.get("uncountedTerminatedPods") or {}
    for kind in ("succeeded", "failed"):
        for index, uid in enumerate(uncounted.get(kind) or ()):
            place = (STATUS / "uncountedTerminatedPods" / kind)[index]
            if not uid:
                yield invalid(place, uid, "must not be empty")
            elif uid in seen:
                yield duplicate(place, uid)
            seen.add(uid)


def _completion_errors(change: _Change) -> Iterator[FieldError]:
    status = change.new
    complete, failed = is_true(status, "Complete"), is_true(status, "Failed")
    start, end = status.get("startTime"), status.get("completionTime")
    if complete and failed and change.of_condition("Complete", "Failed"):
        yield _condition_error("cannot set Complete=True and Failed=true conditions")
    if complete and is_true(status, "FailureTarget") and change.of_condition("Complete", "FailureTarget"):
        yield _condition_error("cannot set Complete=True and FailureTarget=true conditions")
    if change.of_condition("Complete") or change.of("completionTime"):
        if end and not complete:
            told = "cannot set completionTime when there is no Complete=True condition"
            yield invalid(STATUS / "completionTime", end, told)
        if complete and not end:
            yield required(STATUS / "completionTime", "completionTime is required for Complete jobs")
    if start and end and change.of("startTime", "completionTime") and parse_time(end) < parse_time(start):
        yield invalid(STATUS / "completionTime", end, "must be equal to or after `startTime`")
    without = "condition without the {}=true condition"
    fails = change.of_condition("Failed") or change.of("failedIndexes")
    if failed and fails and not is_true(status, "FailureTarget"):
        yield _condition_error(f"cannot set Failed=True {without.format('FailureTarget')}")
    completes = change.of_condition("Complete", "SuccessCriteriaMet")
    if complete and completes and not is_true(status, "SuccessCriteriaMet"):
        yield _condition_error(f"cannot set Complete=True {without.format('SuccessCriteriaMet')}")


def _finished_errors(change: _Change) -> Iterator[FieldError]:
    status, spec = change.new, change.spec
    if not is_finished(status):
        return
    if (status.get("active") or 0) > 0 and (change.of_finish or change.of("active")):
        yield invalid(STATUS / "active", status["active"], "active>0 is invalid for finished job")
    never_ran = spec.get("suspend") is True and spec.get("completions") == 0
    if not status.get("startTime") and not never_ran and (change.of_finish or change.of("startTime")):
        yield required(STATUS / "startTime", "startTime is required for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    if (uncounted.get("succeeded") or uncounted.get("failed")) and (
        change.of_finish or change.of("uncountedTerminatedPods")
    ):
        shown = {"Succeeded": uncounted.get("succeeded"), "Failed": uncounted.get("failed")}
        yield invalid(STATUS / "uncountedTerminatedPods", shown, "must be empty for finished job")
    if (status.get("terminating") or 0) > 0 and (change.of_finish or change.of("terminating")):
        yield invalid(STATUS / "terminating", status["terminating"], "terminating>0 is invalid for finished job")


def _index_errors(change: _Change) -> Iterator[FieldError]:
    spec, completions = change.spec, change.spec.get("completions")
    done, failed = change.new.get("completedIndexes") or "", change.new.get("failedIndexes")
    per_index = spec.get("backoffLimitPerIndex") is not None
    if change.of("completedIndexes") and completions is not None:
        yield from _format_errors("completedIndexes", done, completions)
    if change.of("failedIndexes") and completions is not None and per_index and failed is not None:
        yield from _format_errors("failedIndexes", failed, completions)
    if change.of("completedIndexes") and done and spec.get("completionMode") != "Indexed":
        told = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield invalid(STATUS / "completedIndexes", done, told)
    if failed is None:
        return
    if change.of("failedIndexes") and not per_index:
        told = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield invalid(STATUS / "failedIndexes", failed, told)
    if change.of("failedIndexes", "completedIndexes") and completions is not None:
        both = overlap(done, failed, completions)
        if both is not None:
            told = f"failedIndexes and completedIndexes overlap at index: {both}"
            yield invalid(STATUS / "failedIndexes", failed, told)


def _format_errors(name: str, text: str, completions: int) -> Iterator[FieldError]:
    try:
        count_indexes(text, completions)
    except InvalidIndexes as error:
        yield invalid(STATUS / name, text, f"error parsing {name}: {error}")


def _success_errors(change: _Change) -> Iterator[FieldError]:
    status, met = change.new, is_true(change.new, "SuccessCriteriaMet")
    if met and is_true(status, "Failed"):
        yield _condition_error("cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if met and is_true(status, "FailureTarget"):
        yield _condition_error("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if not met and "successPolicy" in change.spec and is_true(status, "Complete"):
        yield _condition_error("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")


def _transition_errors(change: _Change) -> Iterator[FieldError]:
    spec, old, new = change.spec, change.old, change.new
    for kind in ("Failed", "Complete", "FailureTarget"):
        if is_true(old, kind) and not is_true(new, kind):
            yield _condition_error(f"cannot disable the terminal {kind}=True condition")
    elastic = spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism")
    for name, may_shrink in (("failed", False), ("succeeded", elastic)):
        if (new.get(name) or 0) < (old.get(name) or 0) and not may_shrink:
            yield invalid(STATUS / name, new.get(name) or 0, f"cannot decrease the {name} counter")
    if new.get("completionTime") and old.get("completionTime") and change.of("completionTime"):
        yield invalid(STATUS / "completionTime", new["completionTime"], IMMUTABLE)
    resuming = is_true(old, "Suspended") and has(new, "Suspended", "False")
    if old.get("startTime") and change.of("startTime") and not resuming and not spec.get("suspend"):
        told = "field is immutable for unsuspended job once set"
        yield invalid(STATUS / "startTime", new.get("startTime"), told)
    met, was_met = is_true(new, "SuccessCriteriaMet"), is_true(old, "SuccessCriteriaMet")
    if was_met and not met:
        yield _condition_error("cannot disable the SuccessCriteriaMet=True condition")
    if is_true(old, "Complete") and met and not was_met:
        yield _condition_error("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")


def _condition_error(detail: str) -> FieldError:
    return invalid(_CONDITIONS, OMIT_VALUE, detail)
