"""What wakes the deployment controller, and which way a sync takes.

Kubernetes: pkg/controller/deployment/deployment_controller.go.
"""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, selector_of
from localplane.client import HandlerFunctions, WorkQueue, deleted_object, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.ownership import (
    Claims,
    controlled,
    controlled_or_orphaned,
    controller_of,
    index_by_controller,
    owner_of,
)
from localplane.controllers.pods import PODS, is_terminating, namespace_is_going
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import NotYet, work

from .conditions import (
    PAUSED,
    PROGRESSING,
    RESUMED,
    TIMED_OUT,
    condition_in,
    conditions_of,
    has_deadline,
    new_condition,
    with_condition,
)
from .control import DEPLOYMENTS, REPLICA_SETS, Control
from .limits import replicas
from .replica_sets import clean_up, make_new, revise
from .revisions import rollback_of
from .rollback import roll_back
from .rollout import Rollout
from .scale import is_scaled, scale
from .status import calculated_status, is_complete, next_check, rollout_status
from .strategies import empty_old, old_pods_run, roll

_ACCOUNT: Final = "deployment-controller"
_KIND: Final = "Deployment"
_WORKERS: Final = 5


async def start(context: ControllerContext) -> None:
    informers = [context.informers.informer(resource) for resource in (DEPLOYMENTS, REPLICA_SETS, PODS)]
    controller = _Controller(context)
    listeners = [
        informer.add_handler(handler) for informer, handler in zip(informers, controller.handlers, strict=True)
    ]
    try:
        for informer in informers:
            await informer.wait_for_sync()
        await work(controller.queue, controller.sync, workers=_WORKERS)
    finally:
        for listener in listeners:
            listener.remove()


class _Controller:
    def __init__(self, context: ControllerContext) -> None:
        deployments, sets, pods = (context.informers.informer(each) for each in (DEPLOYMENTS, REPLICA_SETS, PODS))
        self._deployments = deployments.lister
        self._sets = sets.lister
        self._sets_by_owner = index_by_controller(sets)
        self._pods_by_owner = index_by_controller(pods)
        self._written = UnseenWrites()
        self._client = context.client_of(_ACCOUNT)
        self._control = Control(
            self._client,
            context.recorder(_ACCOUNT),
            deployments=deployments,
            replica_sets=sets,
            written=self._written,
        )
        self.queue = WorkQueue[str]()
        self.handlers = (
            HandlerFunctions(add=self._changed, update=lambda _, new: self._changed(new), delete=self._gone),
            HandlerFunctions(add=self._set_added, update=self._set_updated, delete=self._set_gone),
            HandlerFunctions(delete=self._pod_gone),
        )

    # What is heard.

    def _changed(self, deployment: JSONObject) -> None:
        self.queue.add(object_key(deployment))

    def _gone(self, obj: Any) -> None:
        self._changed(deleted_object(obj))

    def _set_added(self, replica_set: JSONObject) -> None:
        if is_terminating(replica_set):
            self._set_gone(replica_set)
        elif controller_of(replica_set) is None:
            self._offer(replica_set)
        else:
            self._wake_owner(replica_set)

    def _set_updated(self, old: JSONObject, new: JSONObject) -> None:
        if old["metadata"].get("resourceVersion") == new["metadata"].get("resourceVersion"):
            return
        before, after = controller_of(old), controller_of(new)
        if before is not None and before != after:
            self._wake_owner(old)
        if after is not None:
            self._wake_owner(new)
        elif before is not None or old["metadata"].get("labels") != new["metadata"].get("labels"):
            self._offer(new)

    def _set_gone(self, obj: Any) -> None:
        self._wake_owner(deleted_object(obj))

    def _pod_gone(self, obj: Any) -> None:
        """Who recreates waits for the last pod."""
        pod = deleted_object(obj)
        replica_set = owner_of(pod, self._sets, kind="ReplicaSet")
        deployment = None if replica_set is None else owner_of(replica_set, self._deployments, kind=_KIND)
        if deployment is not None and _recreates(deployment):
            self._changed(deployment)

    def _wake_owner(self, replica_set: JSONObject) -> None:
        if (deployment := owner_of(replica_set, self._deployments, kind=_KIND)) is not None:
            self._changed(deployment)

    def _offer(self, orphan: JSONObject) -> None:
        """Whoever selects the replica set may want to adopt it."""
        labels = orphan["metadata"].get("labels")
        if not labels:
            return
        for deployment in self._deployments.namespaced(orphan["metadata"]["namespace"]).list():
            selector = _selector(deployment)
            if selector is not None and not selector.is_everything and selector.matches(labels):
                self._changed(deployment)

    # What is done.

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        deployment = self._deployments.namespaced(namespace).get(name)
        if deployment is None:
            self._written.forget(key)
            return
        self._written.check_seen(key)
        try:
            await self._sync(deployment)
        except APIError as error:
            if not namespace_is_going(error):  # nothing can be made there any more
                raise

    async def _sync(self, deployment: JSONObject) -> None:
        if deployment["spec"].get("selector") == {}:
            await self._refuse(deployment)
            return
        rollout = Rollout.of(deployment, await self._claimed(deployment))
        if is_terminating(deployment):
            await revise(self._control, rollout)
            await self._control.write_status(rollout, calculated_status(rollout))
            return
        await self._note_pause(rollout)
        await revise(self._control, rollout)
        is_paused = bool(deployment["spec"].get("paused"))
        if not is_paused and rollback_of(deployment) is not None:
            await make_new(self._control, rollout)
            await roll_back(self._control, rollout)
        elif is_paused or is_scaled(rollout):
            await self._scale(rollout)
        elif _recreates(deployment):
            await self._recreate(rollout)
        else:
            await self._roll(rollout)

    async def _refuse(self, deployment: JSONObject) -> None:
        message = "This deployment is selecting all pods. A non-empty selector is required."
        self._control.events.warn(deployment, "SelectingAll", message)
        status, generation = deployment.get("status") or {}, deployment["metadata"].get("generation", 0)
        if status.get("observedGeneration", 0) < generation:
            await self._control.write_status(Rollout(deployment), status | {"observedGeneration": generation})

    async def _claimed(self, deployment: JSONObject) -> list[JSONObject]:
        selector = _selector(deployment)
        if selector is None:
            raise NotYet(f"deployment {object_key(deployment)} has invalid label selector")
        metadata = deployment["metadata"]
        deployments = self._client.resource(DEPLOYMENTS, metadata["namespace"])
        claims = Claims(
            self._client,
            REPLICA_SETS,
            deployment,
            matches=lambda replica_set: selector.matches(replica_set["metadata"].get("labels") or {}),
            fresh=lambda: deployments.get(metadata["name"]),
        )
        return await claims.claim(controlled_or_orphaned(self._sets_by_owner, deployment))

    async def _note_pause(self, rollout: Rollout) -> None:
        """So that the time of a pause does not count as time without progress."""
        deployment = rollout.deployment
        current = condition_in(conditions_of(deployment), PROGRESSING)
        reason = "" if current is None else current.get("reason")
        if not has_deadline(deployment) or reason == TIMED_OUT:
            return
        is_paused = bool(deployment["spec"].get("paused"))
        if is_paused == (reason == PAUSED):
            return
        news = (PAUSED, "Deployment is paused") if is_paused else (RESUMED, "Deployment is resumed")
        conditions = with_condition(conditions_of(deployment), new_condition(PROGRESSING, "Unknown", *news))
        await self._control.write_status(rollout, (deployment.get("status") or {}) | {"conditions": conditions})

    async def _scale(self, rollout: Rollout) -> None:
        await scale(self._control, rollout)
        if rollout.deployment["spec"].get("paused") and rollback_of(rollout.deployment) is None:
            await clean_up(self._control, rollout)
        await self._control.write_status(rollout, calculated_status(rollout))

    async def _roll(self, rollout: Rollout) -> None:
        await make_new(self._control, rollout)
        if not await roll(self._control, rollout):
            await self._clean_up_if_complete(rollout)
        await self._write_progress(rollout)

    async def _recreate(self, rollout: Rollout) -> None:
        pods = (pod for replica_set in rollout.old for pod in controlled(self._pods_by_owner, replica_set))
        if not await empty_old(self._control, rollout) and not old_pods_run(rollout, pods):
            await make_new(self._control, rollout)
            assert rollout.new is not None, "just made"
            await self._control.scale(rollout, rollout.new, replicas(rollout.deployment))
            await self._clean_up_if_complete(rollout)
        await self._write_progress(rollout)

    async def _clean_up_if_complete(self, rollout: Rollout) -> None:
        if is_complete(rollout.deployment, rollout.deployment.get("status") or {}):
            await clean_up(self._control, rollout)

    async def _write_progress(self, rollout: Rollout) -> None:
        status = rollout_status(rollout)
        if await self._control.write_status(rollout, status):
            return  # the news of it calls again
        if (wait := next_check(rollout.deployment, status)) is not None:
            self.queue.add_after(object_key(rollout.deployment), wait)


def _recreates(deployment: JSONObject) -> bool:
    return bool((deployment["spec"].get("strategy") or {}).get("type") == "Recreate")


def _selector(deployment: JSONObject) -> Selector | None:
    try:
        return selector_of(deployment["spec"].get("selector"))
    except InvalidSelector:
        return None
