"""All that the deployment controller writes and says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, ResourceClient, SharedInformer, object_key
from localplane.controllers.events import EventRecorder
from localplane.controllers.unseen_writes import UnseenWrites

from .limits import replicas
from .revisions import annotations_of, size_annotations, with_annotations
from .rollout import Rollout
from .status import as_on_the_wire

DEPLOYMENTS: Final = GroupVersionResource("apps", "v1", "deployments")
REPLICA_SETS: Final = GroupVersionResource("apps", "v1", "replicasets")


class Control:
    """Every method raises what the server refuses with. `written` gets to know of every write, so that nobody works
    with what is older."""

    def __init__(
        self,
        client: Client,
        events: EventRecorder,
        *,
        deployments: SharedInformer,
        replica_sets: SharedInformer,
        written: UnseenWrites,
    ) -> None:
        self.client = client
        self.events = events
        self._deployments = deployments
        self._replica_sets = replica_sets
        self._written = written

    async def write_status(self, rollout: Rollout, status: Mapping[str, Any]) -> bool:
        """Whether there was anything new to write."""
        deployment = rollout.deployment
        if as_on_the_wire(deployment.get("status") or {}) == status:
            return False
        await self.force_status(rollout, deployment | {"status": dict(status)})
        return True

    async def force_status(self, rollout: Rollout, deployment: JSONObject) -> None:
        """The deployment's annotations as well, which the server takes together with its status."""
        answer = await self._of(DEPLOYMENTS, deployment).update(deployment, subresource="status")
        self._written.wrote(object_key(answer), self._deployments, answer)
        rollout.deployment = answer

    async def write_spec(self, rollout: Rollout, deployment: JSONObject) -> None:
        answer = await self._of(DEPLOYMENTS, deployment).update(deployment)
        self._written.wrote(object_key(answer), self._deployments, answer)
        rollout.deployment = answer

    async def create_replica_set(self, rollout: Rollout, replica_set: JSONObject) -> None:
        """It is the new one then."""
        answer = await self._of(REPLICA_SETS, rollout.deployment).create(replica_set)
        self._wrote(rollout, answer)
        rollout.new = answer

    async def write_replica_set(self, rollout: Rollout, replica_set: JSONObject) -> None:
        answer = await self._of(REPLICA_SETS, rollout.deployment).update(replica_set)
        self._wrote(rollout, answer)
        rollout.replace(answer)

    async def existing_replica_set(self, rollout: Rollout, name: str) -> JSONObject:
        """From the server."""
        return await self._of(REPLICA_SETS, rollout.deployment).get(name)

    async def delete_replica_set(self, rollout: Rollout, replica_set: JSONObject) -> None:
        metadata = replica_set["metadata"]
        try:
            await self._of(REPLICA_SETS, rollout.deployment).delete(metadata["name"])
        except NotFound:
            return

    async def scale(self, rollout: Rollout, replica_set: JSONObject, size: int) -> bool:
        """Whether it had another size."""
        return replicas(replica_set) != size and await self.scale_and_note(rollout, replica_set, size)

    async def scale_and_note(self, rollout: Rollout, replica_set: JSONObject, size: int) -> bool:
        """The same, but what it notes of the deployment's size is written even if its own stays."""
        before, annotations = replicas(replica_set), annotations_of(replica_set)
        notes = annotations | size_annotations(rollout.deployment)
        if before == size and notes == annotations:
            return False
        spec = replica_set["spec"] | {"replicas": size}
        await self.write_replica_set(rollout, with_annotations(replica_set, notes) | {"spec": spec})
        if before != size:
            self.tell_scaling(rollout, replica_set["metadata"]["name"], before, size)
        return before != size

    def tell_scaling(self, rollout: Rollout, name: str, before: int, after: int) -> None:
        direction = "up" if before < after else "down"
        message = f"Scaled {direction} replica set {name} from {before} to {after}"
        self.events.normal(rollout.deployment, "ScalingReplicaSet", message)

    def _of(self, resource: GroupVersionResource, deployment: JSONObject) -> ResourceClient:
        return self.client.resource(resource, deployment["metadata"]["namespace"])

    def _wrote(self, rollout: Rollout, replica_set: JSONObject) -> None:
        self._written.wrote(object_key(rollout.deployment), self._replica_sets, replica_set)
