"""Looks at every autoscaler once in a while, and scales its target.

Kubernetes: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError, Conflict
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, parse
from localplane.apimachinery.times import format_time
from localplane.client import (
    Client,
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    Lister,
    SharedInformer,
    WorkQueue,
    deleted_object,
    object_key,
    split_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.pods import PODS
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import TryAfter, work
from localplane.controllers.workloads.scales import Scales

from .behavior import Bounds, Pacing
from .measurements import Measurements
from .proposals import NoProposal, Proposals, ScaleTarget, first_failure
from .replicas import Patience

_log = logging.getLogger(__name__)

_AUTOSCALERS: Final = GroupVersionResource("autoscaling", "v2", "horizontalpodautoscalers")
_ACCOUNT: Final = "horizontal-pod-autoscaler"
_WORKERS: Final = 5
_ATTEMPTS: Final = 5
_NO_METRIC: Final = {"type": ""}
"""Stands in currentMetrics for a metric that could not be had."""

_UNABLE: Final = "the HPA controller was unable to get the target's current scale"


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoscalerOptions:
    """The flags --horizontal-pod-autoscaler-... of kube-controller-manager."""

    sync_period: timedelta = timedelta(seconds=15)
    downscale_stabilization: timedelta = timedelta(minutes=5)
    tolerance: float = 0.1
    patience: Patience = field(default_factory=Patience)
    clock: Callable[[], datetime] = present


_DEFAULTS: Final = AutoscalerOptions()


async def start(context: ControllerContext, options: AutoscalerOptions = _DEFAULTS) -> None:
    autoscalers, pods = context.informers.informer(_AUTOSCALERS), context.informers.informer(PODS)
    for informer in (autoscalers, pods):
        await informer.wait_for_sync()
    queue = WorkQueue[str]()
    client = context.client_of(_ACCOUNT)
    controller = _Controller(client, context.recorder(_ACCOUNT), autoscalers, pods.lister, options)

    def changed(old: JSONObject, new: JSONObject) -> None:
        """What only says something else of its state, as we do, is looked at in its time."""
        if old["metadata"].get("generation") != new["metadata"].get("generation"):
            queue.add(object_key(new))
        else:
            queue.add_after(object_key(new), options.sync_period)

    handler = HandlerFunctions(
        add=lambda autoscaler: queue.add(object_key(autoscaler)),
        update=changed,
        delete=lambda autoscaler: controller.forget(object_key(deleted_object(autoscaler))),
    )
    with ExitStack() as listening:
        listening.callback(autoscalers.add_handler(handler).remove)
        await work(queue, controller.sync, workers=_WORKERS)


class _Failed(Exception):
    """This look at an autoscaler came to nothing; why is in its conditions."""


@dataclass(frozen=True, slots=True)
class _Decision:
    """`rescales` is whether the target is to be told."""

    replicas: int
    reason: str = ""
    rescales: bool = True


@dataclass(frozen=True, slots=True)
class _Scaled:
    """The target's scale, as it was read, and where it is written."""

    resource: GroupVersionResource
    scale: JSONObject

    @property
    def replicas(self) -> int:
        return int((self.scale.get("spec") or {}).get("replicas") or 0)


class _Autoscaler:
    """One autoscaler while it is looked at: a copy whose status is written at the end."""

    def __init__(self, shared: JSONObject, clock: Callable[[], datetime]) -> None:
        self.object = deepcopy(shared)
        self.before = shared.get("status") or {}
        self.status: JSONObject = self.object.setdefault("status", {})
        self.spec: JSONObject = self.object["spec"]
        self.key = object_key(shared)
        self.namespace: str = shared["metadata"]["namespace"]
        self._clock = clock

    @property
    def minimum(self) -> int:
        least = self.spec.get("minReplicas")
        return 1 if least is None else int(least)

    @property
    def maximum(self) -> int:
        return int(self.spec["maxReplicas"])

    @property
    def metrics(self) -> list[JSONObject]:
        return list(self.spec.get("metrics") or ())

    @property
    def scales_from_outside(self) -> bool:
        """Whether there is a metric that can be measured without pods."""
        return any(metric.get("type") in ("Object", "External") for metric in self.metrics)

    @property
    def is_scaled_to_zero(self) -> bool:
        conditions = self.status.get("conditions") or ()
        return any(each["type"] == "ScaledToZero" and each["status"] == "True" for each in conditions)

    def tell(self, kind: str, status: str, reason: str, message: str) -> None:
        """Sets a condition."""
        conditions = self.status.setdefault("conditions", [])
        found = next((each for each in conditions if each.get("type") == kind), None)
        if found is None:
            found = {"type": kind, "status": "", "lastTransitionTime": None}
            conditions.append(found)
        if found.get("status") != status:
            found["lastTransitionTime"] = format_time(self._clock())
        found |= {"status": status, "reason": reason, "message": message}

    def count(self, current: int, desired: int, metrics: list[JSONObject] | None, *, is_rescaled: bool = False) -> None:
        status: JSONObject = {
            "observedGeneration": self.object["metadata"].get("generation", 0),
            "currentReplicas": current,
            "desiredReplicas": desired,
            "currentMetrics": metrics,
            "conditions": self.status.get("conditions") or [],
        }
        if is_rescaled:
            status["lastScaleTime"] = format_time(self._clock())
        elif self.status.get("lastScaleTime"):
            status["lastScaleTime"] = self.status["lastScaleTime"]
        self.status = self.object["status"] = status


class _Controller:
    def __init__(
        self,
        client: Client,
        events: EventRecorder,
        autoscalers: SharedInformer,
        pods: Lister,
        options: AutoscalerOptions,
    ) -> None:
        self._client = client
        self._events = events
        self._autoscalers = autoscalers
        self._pods = pods
        self._options = options
        self._scales = Scales(client)
        self._pacing = Pacing(options.downscale_stabilization, options.clock)
        self._proposals = Proposals(
            Measurements(client), pods, tolerance=options.tolerance, patience=options.patience, clock=options.clock
        )
        self._written = UnseenWrites()
        self._selectors: dict[str, dict[str, Selector]] = {}

    def forget(self, key: str) -> None:
        namespace, name = split_key(key)
        self._selectors.get(namespace, {}).pop(name, None)
        self._pacing.forget(key)
        self._written.forget(key)

    async def sync(self, key: str) -> None:
        """Raises TryAfter: an autoscaler is looked at again and again, whatever came of it."""
        namespace, name = split_key(key)
        self._written.check_seen(key)
        shared = self._autoscalers.lister.namespaced(namespace).get(name)
        if shared is None:
            self.forget(key)
            return
        autoscaler = _Autoscaler(shared, self._options.clock)
        try:
            await self._reconcile(autoscaler)
        except (_Failed, APIError, ClientError) as error:
            _log.info("the autoscaler %s did not scale: %s", key, error)
        if self._autoscalers.lister.namespaced(namespace).get(name) is None:
            self.forget(key)  # once more: it went while we looked at it
            return
        raise TryAfter(self._options.sync_period)

    async def _reconcile(self, autoscaler: _Autoscaler) -> None:
        scaled = await self._scale(autoscaler)
        autoscaler.tell(
            "AbleToScale",
            "True",
            "SucceededGetScale",
            "the HPA controller was able to get the target's current scale",
        )
        current = scaled.replicas
        self._pacing.begin(autoscaler.key, current)
        metrics: list[JSONObject] = []
        decision = self._fixed(autoscaler, current)
        if decision is None:
            decision = await self._measured(autoscaler, scaled, metrics)
        desired = decision.replicas if decision.rescales else current
        if decision.rescales:
            await self._rescale(autoscaler, scaled, decision, metrics)
        autoscaler.count(current, desired, metrics or None, is_rescaled=decision.rescales)
        await self._update_status(autoscaler)

    async def _scale(self, autoscaler: _Autoscaler) -> _Scaled:
        reference = autoscaler.spec["scaleTargetRef"]
        try:
            group = reference.get("apiVersion", "").rpartition("/")[0]
            resource = await self._scales.resource_of_kind(group, reference["kind"])
            return _Scaled(resource, await self._scales.get(resource, autoscaler.namespace, reference["name"]))
        except (APIError, ClientError) as error:
            self._events.warn(autoscaler.object, "FailedGetScale", str(error))
            autoscaler.tell("AbleToScale", "False", "FailedGetScale", f"{_UNABLE}: {error}")
            await self._update_status(autoscaler)
            raise _Failed(f"failed to query scale subresource: {error}") from error

    def _fixed(self, autoscaler: _Autoscaler, current: int) -> _Decision | None:
        """What is to be done whatever the metrics say; None if they have to be asked."""
        if current == 0:
            was_ours = autoscaler.is_scaled_to_zero
            if was_ours and (autoscaler.minimum != 0 or autoscaler.scales_from_outside):
                return None
            message = "scaling is disabled since the replica count of the target is zero"
            autoscaler.tell("ScalingActive", "False", "ScalingDisabled", message)
            return _Decision(0, rescales=False)
        if current > autoscaler.maximum:
            return _Decision(autoscaler.maximum, "Current number of replicas above Spec.MaxReplicas")
        if current < autoscaler.minimum:
            return _Decision(autoscaler.minimum, "Current number of replicas below Spec.MinReplicas")
        return None

    async def _measured(self, autoscaler: _Autoscaler, scaled: _Scaled, metrics: list[JSONObject]) -> _Decision:
        """What the metrics ask for, within what is allowed. `metrics` gets their statuses."""
        current = scaled.replicas
        try:
            proposed, name = await self._proposed(autoscaler, scaled, metrics)
        except _Failed as error:
            autoscaler.count(current, autoscaler.status.get("desiredReplicas") or 0, metrics or None)
            await self._update_status(autoscaler)
            self._events.warn(autoscaler.object, "FailedComputeMetricsReplicas", str(error))
            raise
        reason = ""
        if proposed > current:
            reason = f"{name} above target"
        elif proposed < current:
            reason = "All metrics below target"
        bounds = Bounds(current, autoscaler.minimum, autoscaler.maximum)
        paced = self._pacing.paced(autoscaler.key, proposed, bounds, autoscaler.spec.get("behavior"))
        autoscaler.tell("AbleToScale", "True", paced.able.reason, paced.able.message)
        is_limited = "True" if paced.is_limited else "False"
        autoscaler.tell("ScalingLimited", is_limited, paced.limited.reason, paced.limited.message)
        desired = paced.replicas
        if current == 0 and autoscaler.is_scaled_to_zero and desired < autoscaler.minimum:
            desired = autoscaler.minimum
            reason = reason or "Current number of replicas below Spec.MinReplicas"
        return _Decision(desired, reason, rescales=desired != current)

    async def _proposed(self, autoscaler: _Autoscaler, scaled: _Scaled, metrics: list[JSONObject]) -> tuple[int, str]:
        """The most that any metric asks for, and which. Raises _Failed if none can be had, or if one is missing and the
        others would take pods away."""
        target = ScaleTarget(
            namespace=autoscaler.namespace,
            wanted=scaled.replicas,
            present=int((scaled.scale.get("status") or {}).get("replicas") or 0),
            selector=self._selector(autoscaler, scaled.scale),
            tolerances=self._proposals.tolerances(autoscaler.spec.get("behavior")),
        )
        replicas, name = 0, ""
        failures: list[NoProposal] = []
        for metric in autoscaler.metrics:
            try:
                proposal = await self._proposals.of_metric(metric, target)
            except NoProposal as error:
                self._events.warn(autoscaler.object, error.reason, error.cause)
                failures.append(error)
                metrics.append(dict(_NO_METRIC))
                continue
            metrics.append(proposal.status)
            if replicas == 0 or proposal.replicas > replicas:
                replicas, name = proposal.replicas, proposal.name
        if failures and (len(failures) == len(autoscaler.metrics) or replicas < target.wanted):
            message = f"the HPA was unable to compute the replica count: {failures[0].cause}"
            autoscaler.tell("ScalingActive", "False", failures[0].reason, message)
            raise _Failed(first_failure(failures, len(autoscaler.metrics)))
        message = f"the HPA was able to successfully calculate a replica count from {name}"
        autoscaler.tell("ScalingActive", "True", "ValidMetricFound", message)
        return replicas, name

    def _selector(self, autoscaler: _Autoscaler, scale: JSONObject) -> Selector:
        """Which pods are the target's. Raises _Failed if that can't be told, or if another autoscaler has some."""
        text = (scale.get("status") or {}).get("selector") or ""
        if not text:
            message = "the HPA target's scale is missing a selector"
            self._refuse_selector(autoscaler, "SelectorRequired", "selector is required", message)
        try:
            selector = parse(text)
        except InvalidSelector as error:
            why = f"couldn't convert selector into a corresponding internal selector object: {error}"
            self._refuse_selector(autoscaler, "InvalidSelector", why, why)
            raise
        name = autoscaler.object["metadata"]["name"]
        known = self._selectors.setdefault(autoscaler.namespace, {})
        known[name] = selector
        labels = [
            pod["metadata"].get("labels") or {} for pod in self._pods.namespaced(autoscaler.namespace).list(selector)
        ]
        others = [other for other, one in known.items() if other != name and any(one.matches(each) for each in labels)]
        if others and labels:
            keys = " ".join(f"{autoscaler.namespace}/{each}" for each in (name, others[0]))
            why = f"pods by selector {text} are controlled by more than one HPA (e.g. [{keys}])"
            self._refuse_selector(autoscaler, "AmbiguousSelector", why, why)
        return selector

    def _refuse_selector(self, autoscaler: _Autoscaler, event: str, why: str, message: str) -> None:
        self._events.warn(autoscaler.object, event, why)
        reason = "AmbiguousSelector" if event == "AmbiguousSelector" else "InvalidSelector"
        autoscaler.tell("ScalingActive", "False", reason, message)
        raise _Failed(why)

    async def _rescale(
        self, autoscaler: _Autoscaler, scaled: _Scaled, decision: _Decision, metrics: list[JSONObject]
    ) -> None:
        current, desired = scaled.replicas, decision.replicas
        try:
            await self._write_scale(autoscaler.namespace, scaled, desired)
        except (APIError, ClientError) as error:
            message = f"New size: {desired}; reason: {decision.reason}; error: {error}"
            self._events.warn(autoscaler.object, "FailedRescale", message)
            why = f"the HPA controller was unable to update the target scale: {error}"
            autoscaler.tell("AbleToScale", "False", "FailedUpdateScale", why)
            autoscaler.count(current, autoscaler.status.get("desiredReplicas") or 0, metrics or None)
            await self._update_status(autoscaler)
            raise _Failed(f"failed to rescale: {error}") from error
        done = f"the HPA controller was able to update the target scale to {desired}"
        autoscaler.tell("AbleToScale", "True", "SucceededRescale", done)
        message = f"New size: {desired}; reason: {decision.reason}"
        self._events.normal(autoscaler.object, "SuccessfulRescale", message)
        self._pacing.scaled(autoscaler.key, current, desired, autoscaler.spec.get("behavior"))
        if current > 0 and desired == 0 and autoscaler.minimum == 0 and autoscaler.scales_from_outside:
            message = "the HPA controller scaled the workload to zero"
            autoscaler.tell("ScaledToZero", "True", "ScaledToZero", message)
        else:
            message = "the HPA controller did not scale the workload to zero"
            autoscaler.tell("ScaledToZero", "False", "NotScaledToZero", message)

    async def _write_scale(self, namespace: str, scaled: _Scaled, replicas: int) -> None:
        scale = scaled.scale
        for attempt in range(1, _ATTEMPTS + 1):
            wanted = {**scale, "spec": {**(scale.get("spec") or {}), "replicas": replicas}}
            try:
                await self._scales.update(scaled.resource, namespace, wanted)
            except Conflict:
                if attempt == _ATTEMPTS:
                    raise
                scale = await self._scales.get(scaled.resource, namespace, scale["metadata"]["name"])
            else:
                return

    async def _update_status(self, autoscaler: _Autoscaler) -> None:
        if _said(autoscaler.before) == _said(autoscaler.status):
            return
        resource = self._client.resource(_AUTOSCALERS, autoscaler.namespace)
        try:
            answer = await resource.update(autoscaler.object, subresource="status")
        except APIError as error:
            self._events.warn(autoscaler.object, "FailedUpdateStatus", str(error))
            name = autoscaler.object["metadata"]["name"]
            raise _Failed(f"failed to update status for {go_quote(name)}: {error}") from error
        self._written.wrote(autoscaler.key, self._autoscalers, answer)


def _said(status: Mapping[str, Any]) -> JSONObject:
    """What a status says, whether it leaves out what is nothing or not."""
    return {name: value for name, value in status.items() if value not in (None, 0, [], {})}
