"""Eviction: a deletion that asks the budget for disruptions first.

Kubernetes: pkg/registry/core/pod/storage/eviction.go.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from localplane.apimachinery.errors import APIError, BadRequest, Conflict, Timeout
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry import delete, reads, update
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.errors import after_a_write
from localplane.apiserver.registry.rest import DeleteOptions, NamedCreater, Result, Update, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request
from localplane.apiserver.storage.objects import StoredObject
from localplane.catalog.core.pods.conditions import is_true, set_condition
from localplane.catalog.core.pods.status import PodStatusStrategy

from .binding import SUCCESS
from .budgets import Budgets, being_processed

T = TypeVar("T")

_ENDED = ("Succeeded", "Failed")
_ATTEMPTS = 20
_PAUSE_SECONDS = 0.5
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_BOTH_DRY_RUNS = "Non-matching dry-run options in request and content: {} and {}"


class EvictionStore(NamedCreater):
    """`pods/x/eviction`."""

    def __init__(self, pods: Definition, budgets: Budgets) -> None:
        self._pods = pods
        self._statuses = pods.with_strategy(PodStatusStrategy(pods.strategy))
        self._budgets = budgets

    async def create_named(
        self, request: Request, name: str, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        if name != (obj.get("metadata") or {}).get("name", ""):
            raise BadRequest("name in URL does not match name in Eviction object")
        asked = _delete_options(obj.get("deleteOptions") or {}, dry_run=options.dry_run)
        if validate is not None:
            await validate(obj)

        async def evict_unguarded() -> JSONObject | None:
            """The pod, if its budget has to be asked; None when it is on its way out."""
            pod = await self._get(request, name)
            if not _is_unguarded(pod):
                return pod
            await self._delete(request, name, _seen(asked, pod) if not _has_ended(pod) else asked)
            return None

        # Who names a version has seen the pod, and is told when it changes.
        attempts = 1 if asked.precondition_resource_version is not None else _ATTEMPTS
        pod = await _retried(evict_unguarded, attempts=attempts)
        return dict(SUCCESS) if pod is None else await self._evict_guarded(request, pod, asked)

    async def _evict_guarded(self, request: Request, pod: JSONObject, asked: DeleteOptions) -> JSONObject:
        name, options = pod["metadata"]["name"], asked
        budgets = await self._budgets.of_pod(request, pod)
        if len(budgets) > 1:
            return SUCCESS | {"status": "Failure", "message": _SEVERAL, "code": 500}
        budget = budgets[0] if budgets else None
        counts_as_down = budget is not None and not is_true(pod, "Ready") and _may_go_unready(budget)
        if counts_as_down:
            options = replace(asked, precondition_resource_version=pod["metadata"]["resourceVersion"])
        elif budget is not None:
            await self._take(request, budget["metadata"]["name"], name, dry_run=asked.dry_run)
        try:
            await self._delete(request, name, options)
        except Conflict:
            if counts_as_down and budget is not None and asked.precondition_resource_version is None:
                raise being_processed(budget["metadata"]["name"]) from None
            raise
        except APIError as error:
            if budget is not None and not counts_as_down:
                after_a_write(error)  # a second attempt would take from the budget once more
            raise
        return dict(SUCCESS)

    async def _take(self, request: Request, budget: str, pod: str, *, dry_run: bool) -> None:
        try:
            await _retried(lambda: self._budgets.take(request, budget, pod, dry_run=dry_run), attempts=_ATTEMPTS)
        except Conflict as error:
            why = f"couldn't update PodDisruptionBudget {go_quote(budget)} due to conflicts"
            raise Timeout.of(why, retry_after_seconds=10) from error

    async def _get(self, request: Request, name: str) -> JSONObject:
        stored = await reads.get(self._pods, request, name, resource_version="")
        return self._pods.converter.hub_of(stored)

    async def _delete(self, request: Request, name: str, options: DeleteOptions) -> None:
        """Tell why in the pod's status, and delete it."""
        if not options.dry_run:
            marked = await self._mark(request, name, options)
            if options.precondition_resource_version is not None:
                options = replace(options, precondition_resource_version=marked)
        try:
            await delete.delete(self._pods, request, name, validate=None, options=options.copy())
        except APIError as error:
            if not options.dry_run:
                after_a_write(error)
            raise

    async def _mark(self, request: Request, name: str, options: DeleteOptions) -> str:
        """The version of the pod with its condition."""

        async def marked(old: JSONObject) -> JSONObject:
            _check_preconditions(old["metadata"], options)
            pod: JSONObject = copied(old)
            evicting = "Eviction API: evicting"
            set_condition(pod, "DisruptionTarget", "True", reason="EvictionByEvictionAPI", message=evicting)
            return pod

        done = await update.update(self._statuses, request, Update(name, marked))
        stored = done.result
        return str(stored.revision if isinstance(stored, StoredObject) else stored["metadata"]["resourceVersion"])


def _delete_options(told: JSONObject, *, dry_run: bool) -> DeleteOptions:
    """A dry run may be asked for in the query, in the eviction, or in both."""
    inside = told.get("dryRun") or []
    if dry_run and inside and inside != ["All"]:
        raise APIError(_BOTH_DRY_RUNS.format("[All]", f"[{' '.join(inside)}]"))
    preconditions = told.get("preconditions") or {}
    return DeleteOptions(
        dry_run=dry_run or bool(inside),
        grace_period_seconds=told.get("gracePeriodSeconds"),
        propagation_policy=told.get("propagationPolicy"),
        orphan_dependents=told.get("orphanDependents"),
        precondition_uid=preconditions.get("uid"),
        precondition_resource_version=preconditions.get("resourceVersion"),
    )


def _seen(options: DeleteOptions, pod: JSONObject) -> DeleteOptions:
    """The options for the pod as it was read: it might become healthy meanwhile."""
    if options.precondition_resource_version is not None:
        return options
    return replace(options, precondition_resource_version=pod["metadata"]["resourceVersion"])


def _has_ended(pod: JSONObject) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return phase in _ENDED or bool(pod["metadata"].get("deletionTimestamp"))


def _is_unguarded(pod: JSONObject) -> bool:
    """Nothing is disrupted where nothing runs."""
    return _has_ended(pod) or (pod.get("status") or {}).get("phase") == "Pending"


def _may_go_unready(budget: JSONObject) -> bool:
    """Whether a pod that is not ready may go without being counted: it never was among the healthy ones."""
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status") or {}
    desired = status.get("desiredHealthy") or 0
    return desired > 0 and (status.get("currentHealthy") or 0) >= desired


def _check_preconditions(metadata: JSONObject, options: DeleteOptions) -> None:
    for what, wanted, found, why in (
        ("UID", options.precondition_uid, metadata.get("uid", ""), "deleted and then recreated"),
        ("ResourceVersion", options.precondition_resource_version, metadata.get("resourceVersion", ""), "modified"),
    ):
        if wanted and wanted != found:
            told = f"the {what} in the precondition ({wanted}) does not match the {what} in record ({found})"
            raise Conflict.of(
                GroupResource("", "Pod"), metadata.get("name", ""), f"{told}. The object might have been {why}"
            )


async def _retried(attempt: Callable[[], Awaitable[T]], *, attempts: int) -> T:
    """The last conflict is the caller's."""
    for _ in range(attempts - 1):
        try:
            return await attempt()
        except Conflict:
            await asyncio.sleep(_PAUSE_SECONDS * (1 + random.random() / 10))  # noqa: S311 - spreads load
    return await attempt()
