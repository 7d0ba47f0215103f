"""Jobs. Kubernetes: pkg/apis/batch, pkg/registry/batch/job.

Whoever deletes a job and does not say what becomes of its pods is told what does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.clock import present
from localplane.apimachinery.fieldpath import FieldError, Path, collected
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_text
from localplane.apimachinery.times import age, human_duration, parse_time
from localplane.apiserver.registry.rest import Deleted, DeleteOptions, ListOptions, ValidateCreate
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request
from localplane.apiserver.storage.interface import ObjectList
from localplane.catalog.core.pods.warnings import pod_template_warnings
from localplane.catalog.declarations import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    PodControllerStrategy,
    container_cells,
    name_warnings,
)
from localplane.catalog.strategy import BuiltinStatusStrategy
from localplane.catalog.validation.metadata import metadata_update_errors

from .job_changes import change_errors
from .job_defaults import default_job, generate_selector, label_like_template
from .job_status import is_true, status_errors
from .job_validation import generated_selector_errors, host_name_errors, job_spec_errors

_TOO_MANY_INDEXES = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes "
    "might not be able to track completedIndexes when a big number of indexes fail"
)
_PODS_STAY = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)


class JobStrategy(PodControllerStrategy):
    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        super().prepare_for_create(request, obj)
        if not obj["spec"].get("manualSelector"):
            generate_selector(obj)
        # Kubernetes fills in defaults whenever it reads an object, and so the labels that were made show here too.
        label_like_template(obj)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        if old is None:
            yield from generated_selector_errors(obj)
        yield from job_spec_errors(obj["spec"], SPEC, None if old is None else old["spec"])
        if old is not None:
            yield from change_errors(obj, old)
        yield from host_name_errors(obj)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return [*name_warnings(obj), *job_warnings(obj["spec"], SPEC, None)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        if obj["metadata"].get("generation") == old["metadata"].get("generation"):
            return ()
        return list(job_warnings(obj["spec"], SPEC, old["spec"]))

    def default_garbage_collection_policy(self, request: Request) -> str:
        """Pods outlived their jobs when batch/v1 was new, and still do when nobody says otherwise."""
        return "Orphan"


class JobStatusStrategy(BuiltinStatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        before, status = old.get("status") or {}, obj.get("status") or {}
        return collected(metadata_update_errors(obj, old), status_errors(obj["spec"], before, status))


def job_warnings(spec: JSONObject, path: Path, before: JSONObject | None) -> Iterator[str]:
    """Kubernetes: pkg/api/job, WarningsForJobSpec."""
    completions, parallelism = spec.get("completions") or 0, spec.get("parallelism") or 0
    if spec.get("completionMode") == "Indexed" and completions > 100_000 and parallelism > 10_000:
        yield f"{path}: {_TOO_MANY_INDEXES}"
    was = (before.get("template") or {}) if before is not None else None
    yield from pod_template_warnings(spec.get("template") or {}, path / "template", was)


def job_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    return [
        metadata.get("name", ""),
        _state(status, metadata),
        _completions(spec, status),
        _duration(status),
        age(metadata.get("creationTimestamp")),
        *container_cells(spec.get("template") or {}),
        selector_text(spec.get("selector")),
    ]


def _state(status: JSONObject, metadata: JSONObject) -> str:
    for kind in ("Complete", "Failed"):
        if is_true(status, kind):
            return kind
    if metadata.get("deletionTimestamp"):
        return "Terminating"
    kinds = ("Suspended", "FailureTarget", "SuccessCriteriaMet")
    return next((kind for kind in kinds if is_true(status, kind)), "Running")


def _completions(spec: JSONObject, status: JSONObject) -> str:
    succeeded, parallelism = status.get("succeeded") or 0, spec.get("parallelism") or 0
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(status: JSONObject) -> str:
    start, end = status.get("startTime"), status.get("completionTime")
    if not start:
        return ""
    return human_duration((parse_time(end) if end else present()) - parse_time(start))


def _succeeded(obj: JSONObject) -> str:
    return str((obj.get("status") or {}).get("succeeded") or 0)


class JobStore(Store):
    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        _warn(request, options)
        return await super().delete(request, name, validate=validate, options=options)

    async def delete_collection(
        self, request: Request, *, validate: ValidateCreate | None, options: DeleteOptions, selection: ListOptions
    ) -> ObjectList:
        _warn(request, options)
        return await super().delete_collection(request, validate=validate, options=options, selection=selection)


def _warn(request: Request, options: DeleteOptions) -> None:
    if options.propagation_policy is None and options.orphan_dependents is None:
        request.warnings.append(_PODS_STAY)


JOBS = builtin(
    "batch/jobs",
    strategy=JobStrategy(),
    status_strategy=JobStatusStrategy,
    default=default_job,
    cells=job_cells,
    selectable={"status.successful": _succeeded},
    storage=JobStore,
)
