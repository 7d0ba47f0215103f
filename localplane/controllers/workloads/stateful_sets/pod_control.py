"""Making, mending and deleting the pods of a stateful set and their claims, and telling people about it.

Kubernetes: pkg/controller/statefulset/stateful_pod_control.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, SharedInformer, object_key
from localplane.controllers.events import EventRecorder
from localplane.controllers.pods import PODS
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import NotYet

from .identity import (
    claim_name,
    claim_templates,
    claims_of,
    give_identity,
    give_storage,
    has_identity,
    has_storage,
    ordinal_of,
)
from .retention import (
    are_kept_when_scaled,
    has_other_controller,
    is_of_earlier,
    is_owned_as_it_should_be,
    owner_references,
)

CLAIMS: Final = GroupVersionResource("", "v1", "persistentvolumeclaims")
_ATTEMPTS: Final = 4


class StatefulPodControl:
    """Claims are read from an informer. What fails is told as an event of the set and raised: APIError or NotYet."""

    def __init__(
        self, client: Client, pods: SharedInformer, claims: SharedInformer, events: EventRecorder, written: UnseenWrites
    ) -> None:
        self._client = client
        self._pods = pods
        self._claims = claims
        self._events = events
        self._written = written

    async def create(self, stateful_set: JSONObject, pod: JSONObject) -> None:
        """The claims first; whoever owns them is settled after the pod is there."""
        try:
            await self._create_claims(stateful_set, pod)
        except (APIError, NotYet) as error:
            self._tell("Create", stateful_set, pod, error)
            raise
        refusal: APIError | None = None
        try:
            created = await self._client.resource(PODS, pod["metadata"]["namespace"]).create(pod)
        except AlreadyExists:
            raise
        except APIError as error:
            refusal = error
        else:
            self._written.wrote(object_key(stateful_set), self._pods, created)
        await self._settle_owners_or_tell(stateful_set, pod)
        self._tell("Create", stateful_set, pod, refusal)
        if refusal is not None:
            raise refusal

    async def create_missing_claims(self, stateful_set: JSONObject, pod: JSONObject) -> None:
        await self._create_claims(stateful_set, pod)
        await self._settle_owners_or_tell(stateful_set, pod)

    async def mend(self, stateful_set: JSONObject, pod: JSONObject) -> None:
        """Give a pod the identity, the volumes and the claims that it should have. `pod` is not changed."""
        refusal: APIError | NotYet | None = None
        for _ in range(_ATTEMPTS):
            try:
                if not await self._mended(stateful_set, pod):
                    return
                refusal = None
                break
            except Conflict as error:
                refusal = error
                pod = await self._client.resource(PODS, pod["metadata"]["namespace"]).get(pod["metadata"]["name"])
            except (APIError, NotYet) as error:
                refusal = error
                break
        self._tell("Update", stateful_set, pod, refusal)
        if refusal is not None:
            raise refusal

    async def delete(self, stateful_set: JSONObject, pod: JSONObject) -> None:
        """One that is gone already counts as deleted."""
        try:
            await self._client.resource(PODS, pod["metadata"]["namespace"]).delete(pod["metadata"]["name"])
        except NotFound:
            pass
        except APIError as error:
            self._tell("Delete", stateful_set, pod, error)
            raise
        self._tell("Delete", stateful_set, pod)

    def has_claims_of_earlier_pod(self, stateful_set: JSONObject, pod: JSONObject) -> bool:
        """Claims that are about to go with a pod of the same name, which must not be used again."""
        if are_kept_when_scaled(stateful_set):
            return False
        return any(is_of_earlier(claim, pod) for claim in self._claims_that_are_there(stateful_set, pod))

    def are_owners_settled(self, stateful_set: JSONObject, pod: JSONObject) -> bool:
        claims = self._claims_that_are_there(stateful_set, pod)
        return all(is_owned_as_it_should_be(claim, stateful_set, pod) for claim in claims)

    async def settle_owners(self, stateful_set: JSONObject, pod: JSONObject) -> None:
        """Make the pod's claims go with whom the set's policy says."""
        for claim in self._claims_that_are_there(stateful_set, pod):
            name = claim["metadata"]["name"]
            if has_other_controller(claim, stateful_set, pod):
                message = (
                    f"PersistentVolumeClaim {name} has a conflicting OwnerReference that acts as a manging controller, "
                    "the retention policy is ignored for this claim"
                )
                self._events.warn(stateful_set, "ConflictingController", message)
            if is_owned_as_it_should_be(claim, stateful_set, pod):
                continue
            changed = deepcopy(claim)
            changed["metadata"]["ownerReferences"] = owner_references(claim, stateful_set, pod)
            try:
                written = await self._client.resource(CLAIMS, claim["metadata"]["namespace"]).update(changed)
            except APIError as error:
                raise NotYet(f"could not update claim {name} for delete policy ownerRefs: {error}") from error
            self._written.wrote(object_key(stateful_set), self._claims, written)

    async def _mended(self, stateful_set: JSONObject, pod: JSONObject) -> bool:
        """Whether there was anything to mend."""
        mended = deepcopy(pod)
        if not has_identity(stateful_set, mended):
            give_identity(stateful_set, mended)
        if not has_storage(stateful_set, mended):
            give_storage(stateful_set, mended)
            await self._create_claims(stateful_set, mended)
        is_settled = self.are_owners_settled(stateful_set, mended)
        if not is_settled:
            await self.settle_owners(stateful_set, mended)
        if mended == pod:
            return not is_settled
        written = await self._client.resource(PODS, pod["metadata"]["namespace"]).update(mended)
        self._written.wrote(object_key(stateful_set), self._pods, written)
        return True

    async def _settle_owners_or_tell(self, stateful_set: JSONObject, pod: JSONObject) -> None:
        try:
            await self.settle_owners(stateful_set, pod)
        except NotYet as error:
            self._tell("Update", stateful_set, pod, error)
            raise

    async def _create_claims(self, stateful_set: JSONObject, pod: JSONObject) -> None:
        """All that are missing; then raises NotYet with what could not be."""
        problems = []
        for claim in claims_of(stateful_set, pod):
            name, there = claim["metadata"]["name"], self._claims.indexer.get(object_key(claim))
            if there is not None:
                if "deletionTimestamp" in there["metadata"]:
                    problems.append(f"pvc {name} is being deleted")
                continue
            try:
                created = await self._client.resource(CLAIMS, claim["metadata"]["namespace"]).create(claim)
            except APIError as error:
                problems.append(f"failed to create PVC {name}: {error}")
                if not isinstance(error, AlreadyExists):
                    self._tell_of_claim(stateful_set, pod, name, error)
            else:
                self._written.wrote(object_key(stateful_set), self._claims, created)
                self._tell_of_claim(stateful_set, pod, name)
        if problems:
            raise NotYet(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")

    def _claims_that_are_there(self, stateful_set: JSONObject, pod: JSONObject) -> list[JSONObject]:
        namespace, ordinal = stateful_set["metadata"]["namespace"], ordinal_of(pod)
        names = [claim_name(stateful_set, template, ordinal) for template in claim_templates(stateful_set)]
        claims = (self._claims.indexer.get(f"{namespace}/{name}") for name in names)
        return [claim for claim in claims if claim is not None]

    def _tell(
        self, verb: str, stateful_set: Mapping[str, Any], pod: Mapping[str, Any], error: Exception | None = None
    ) -> None:
        what = f"{verb} Pod {pod['metadata']['name']} in StatefulSet {stateful_set['metadata']['name']}"
        if error is None:
            self._events.normal(stateful_set, f"Successful{verb}", f"{what} successful")
        else:
            self._events.warn(stateful_set, f"Failed{verb}", f"{what} failed error: {error}")

    def _tell_of_claim(
        self, stateful_set: Mapping[str, Any], pod: Mapping[str, Any], claim: str, error: Exception | None = None
    ) -> None:
        name, owner = pod["metadata"]["name"], stateful_set["metadata"]["name"]
        if error is None:
            message = f"Create Claim {claim} Pod {name} in StatefulSet {owner} success"
            self._events.normal(stateful_set, "SuccessfulCreate", message)
        else:
            message = f"Create Claim {claim} for Pod {name} in StatefulSet {owner} failed error: {error}"
            self._events.warn(stateful_set, "FailedCreate", message)
