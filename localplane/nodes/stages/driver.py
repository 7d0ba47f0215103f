"""Choosing the next stage of an object, and doing what it says when it is due.

Kubernetes SIGs: kwok, pkg/utils/lifecycle (Lifecycle.Match, doStageSteps).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from localplane.apimachinery.errors import APIError, Conflict, Invalid, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, PatchType
from localplane.controllers.events import EventRecorder

from .stage import Patch, Stage, StageStep, choose
from .stage_watch import Stages
from .templates import Neighbourhood, RenderingFailed, rendered

_RESOURCES: Final = {"Pod": "pods", "Node": "nodes"}
_PATCH_TYPES: Final = {
    "": PatchType.STRATEGIC,
    "strategic": PatchType.STRATEGIC,
    "merge": PatchType.MERGE,
    "json": PatchType.JSON,
}
_SAME_AGAIN: Final = 1.0
"""Seconds before a stage that selects what it has made itself is done again."""


@dataclass(slots=True)
class _Plan:
    stage: str
    due: float
    done: bool = False


@dataclass(frozen=True, slots=True)
class Drive:
    """`is_driven` is that a stage selects the object; `due` when there is something to do for it."""

    is_driven: bool
    due: float | None = None
    written: JSONObject | None = None


class Driver:
    """`neighbourhood` is what templates may ask about the cluster, for an object on this node."""

    def __init__(
        self, client: Client, stages: Stages, neighbourhood: Callable[[Mapping[str, Any]], Neighbourhood], seed: int
    ) -> None:
        self._client = client
        self._stages = stages
        self._neighbourhood = neighbourhood
        self._dice = Random(seed)  # noqa: S311 - the same seed makes the same choices
        self._plans: dict[str, _Plan] = {}

    def forget(self, uid: str) -> None:
        self._plans.pop(uid, None)

    async def drive(self, kind: str, obj: JSONObject, events: EventRecorder, now: float) -> Drive:
        """What is due is done. Raises APIError; what the server refuses for good is told in an event instead."""
        matching = [stage for stage in self._stages.of(kind) if stage.matches(obj)]
        uid = obj["metadata"]["uid"]
        if not matching:
            self._plans.pop(uid, None)
            return Drive(is_driven=False)
        plan = self._plan(uid, matching, obj, now)
        if now < plan.due:
            return Drive(is_driven=True, due=plan.due)
        stage = next(stage for stage in matching if stage.name == plan.stage)
        plan.done, plan.due = True, now + _SAME_AGAIN
        written = await self._do_all(kind, stage, obj, events)
        return Drive(is_driven=True, due=plan.due if written is not None else None, written=written)

    def _plan(self, uid: str, matching: list[Stage], obj: JSONObject, now: float) -> _Plan:
        """The stage that was chosen, as long as it selects the object; when it was done, the next is chosen."""
        plan = self._plans.get(uid)
        names = {stage.name for stage in matching}
        if plan is not None and plan.stage in names and not (plan.done and now >= plan.due):
            return plan
        stage = choose(matching, obj, self._dice)
        begin = plan.due if plan is not None and plan.done and plan.stage == stage.name else now
        self._plans[uid] = _Plan(stage.name, begin + stage.delay(obj, self._dice, now))
        return self._plans[uid]

    async def _do_all(self, kind: str, stage: Stage, obj: JSONObject, events: EventRecorder) -> JSONObject | None:
        """The object as it is afterwards, or None if it is gone or nothing could be done."""
        current: JSONObject = obj
        try:
            for step in stage.steps:
                if step.event is not None:
                    said = step.event
                    events.record(
                        current, said.get("type") or "Normal", said.get("reason", ""), said.get("message", "")
                    )
                changed = await self._do(kind, step, current)
                if changed is None:
                    return None
                current = changed
        except NotFound:
            return None
        except (RenderingFailed, Invalid) as error:
            events.warn(obj, "InvalidSimulation", f"stage {stage.name}: {error}")
            return None
        except APIError as error:
            if isinstance(error, Conflict) or error.code >= 500:
                raise
            events.warn(obj, "InvalidSimulation", f"stage {stage.name}: {error}")
            return None
        return current

    async def _do(self, kind: str, step: StageStep, obj: JSONObject) -> JSONObject | None:
        metadata = obj["metadata"]
        resource = GroupVersionResource("", "v1", _RESOURCES[kind])
        objects = self._client.resource(resource, metadata.get("namespace", ""))
        if step.finalizers is not None:
            wanted = _finalizers(metadata.get("finalizers") or [], step.finalizers)
            if wanted != (metadata.get("finalizers") or []):
                version = {"resourceVersion": metadata["resourceVersion"], "finalizers": wanted or None}
                obj = await objects.patch(metadata["name"], {"metadata": version}, PatchType.MERGE)
        if step.deletes:
            await objects.delete(metadata["name"], grace_period_seconds=0, uid=metadata["uid"])
            return None
        if step.patch is not None:
            document = _document(step.patch, rendered(step.patch.template, obj, self._neighbourhood(obj)))
            obj = await objects.patch(
                metadata["name"], document, _PATCH_TYPES[step.patch.type], subresource=step.patch.subresource
            )
        return obj


def _document(patch: Patch, made: Any) -> Any:
    if not patch.root:
        return made
    if patch.type == "json":
        return [{**each, "path": f"/{patch.root}{each.get('path', '')}"} for each in made or ()]
    return {patch.root: made}


def _finalizers(given: list[str], said: Mapping[str, Any]) -> list[str]:
    kept = [] if said.get("empty") else list(given)
    removed = {each.get("value") for each in said.get("remove") or ()}
    kept = [each for each in kept if each not in removed]
    added = [each["value"] for each in said.get("add") or () if each.get("value")]
    return kept + [each for each in added if each not in kept]
