"""What of a job may change.

A suspended job without running pods may be made ready for another place: its scheduling directives and the resources of
its containers are free until it goes on. Kubernetes: pkg/apis/batch/validation, ValidateJobUpdate;
pkg/registry/batch/job/strategy.go, validationOptionsForJob.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.semantics import equal
from localplane.catalog.internal_form import internal_form
from localplane.catalog.pod_controllers import SAME_SELECTOR, SPEC, shown_template
from localplane.catalog.strategy import ROOT
from localplane.catalog.validation.metadata import IMMUTABLE
from localplane.catalog.validation.rules import Changes, Immutable

from .job_policies import shown_failure_policy, shown_success_policy
from .job_status import is_true

_FIXED = Changes(
    Immutable("completionMode"),
    Immutable("podFailurePolicy", shown=shown_failure_policy),
    Immutable("backoffLimitPerIndex", "managedBy"),
    Immutable("successPolicy", shown=shown_success_policy),
)
_COMPLETIONS = Immutable("completions")
_FREE_SPEC = ("nodeSelector", "tolerations", "schedulingGates")


def change_errors(obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    spec, before = obj["spec"], old["spec"]
    yield from _completions_errors(spec, before)
    yield from SAME_SELECTOR(obj, old, ROOT)
    yield from _template_errors(spec, old)
    yield from _FIXED(spec, before, SPEC)


def _completions_errors(spec: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    """The number of an indexed job's pods may change, together with how many run at once."""
    if spec.get("completionMode") != "Indexed":
        yield from _COMPLETIONS(spec, before, SPEC)
        return
    completions = spec.get("completions")
    if completions in (None, before.get("completions")) or completions == spec.get("parallelism"):
        return
    yield invalid(SPEC / "completions", completions, "can only be modified in tandem with spec.parallelism")


def _template_errors(spec: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    before = old["spec"]
    template, was = spec.get("template") or {}, before.get("template") or {}
    if not _may_be_prepared(old):
        if not equal(template, was):
            yield invalid(SPEC / "template", shown_template(template), IMMUTABLE)
        return
    pod, was_pod = template.get("spec") or {}, was.get("spec") or {}
    if not equal(pod, _with_free_fields(was_pod, pod)):
        yield invalid(SPEC / "template" / "spec", internal_form(pod, "core.PodSpec"), IMMUTABLE)


def _may_be_prepared(job: JSONObject) -> bool:
    status = job.get("status") or {}
    stopped = not status.get("startTime") or is_true(status, "Suspended")
    return bool(job["spec"].get("suspend")) and stopped and not status.get("active")


def _with_free_fields(old: JSONObject, new: JSONObject) -> JSONObject:
    """The old pod spec with all of the new one in it that may change."""
    merged = {name: value for name, value in old.items() if name not in _FREE_SPEC}
    merged |= {name: new[name] for name in _FREE_SPEC if name in new}
    affinity = {name: value for name, value in (old.get("affinity") or {}).items() if name != "nodeAffinity"}
    if "nodeAffinity" in (new.get("affinity") or {}):
        affinity["nodeAffinity"] = new["affinity"]["nodeAffinity"]
    merged.pop("affinity", None)
    if affinity or "affinity" in new:
        merged["affinity"] = affinity
    for kind in ("containers", "initContainers"):
        if kind in merged:
            merged[kind] = _with_resources(merged[kind] or [], new.get(kind) or [])
    return merged


def _with_resources(old: list[JSONObject], new: list[JSONObject]) -> list[JSONObject]:
    if len(old) != len(new):
        return old
    merged = []
    for before, after in zip(old, new, strict=True):
        container = dict(before)
        if before.get("name") == after.get("name"):
            container.pop("resources", None)
            container |= {"resources": after["resources"]} if "resources" in after else {}
        merged.append(container)
    return merged
