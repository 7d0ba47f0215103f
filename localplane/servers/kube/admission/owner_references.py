"""OwnerReferencesPermissionEnforcement: who gives an object another owner must be allowed to delete it, and who keeps
the owner from being deleted must be allowed to set its finalizers. Off unless asked for.

Kubernetes: plugin/pkg/admission/gc.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.groups import GroupKind, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Attributes as Question
from localplane.apiserver.authorization import Authorizer, Decision
from localplane.client import Discovery, DiscoveryMapper
from localplane.client.errors import NoMatch

from .plugin import PODS, WRITES, metadata, refused, written

Reference = dict[str, Any]


class OwnerReferencesPermissionEnforcement:
    name = "OwnerReferencesPermissionEnforcement"
    operations = WRITES
    authorizer: Authorizer
    mapper: DiscoveryMapper

    def initialize(self, provided: Any) -> None:
        self.authorizer = provided.authorizer
        self.mapper = DiscoveryMapper(Discovery(provided.client))

    async def validate(self, attributes: Attributes) -> None:
        if attributes.resource == PODS and attributes.subresource == "status":
            return  # its strategy lets nobody change owners
        owners, before = _owners(written(attributes)), _owners(attributes.old_object or {})
        if owners == before:
            return
        if attributes.operation is not Operation.CREATE:
            decision = await self.authorizer.authorize(_deletion(attributes))
            if not decision.allowed:
                raise refused(attributes, f"cannot set an ownerRef on a resource you can't delete: {_told(decision)}")
        blocking = _newly_blocking(owners, before)
        if blocking and not (await self.authorizer.authorize(_any_finalizer(attributes))).allowed:
            for owner in blocking:
                await self._check_owner(attributes, owner)

    async def _check_owner(self, attributes: Attributes, owner: Reference) -> None:
        api_version, kind = owner.get("apiVersion", ""), owner.get("kind", "")
        try:
            version = GroupVersion.parse(api_version)
            mapping = await self.mapper.mapping(GroupKind(version.group, kind), version.version)
        except (ValueError, NoMatch) as error:
            why = (
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion "
                f"{api_version} Kind {kind}: {error}"
            )
            raise refused(attributes, why) from error
        question = Question(
            attributes.user,
            "update",
            group=mapping.resource.group,
            version=mapping.resource.version,
            resource=mapping.resource.resource,
            subresource="finalizers",
            name=owner.get("name", ""),
            namespace=attributes.namespace if mapping.namespaced else "",
        )
        decision = await self.authorizer.authorize(question)
        if not decision.allowed:
            why = (
                "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: "
                f"{_told(decision)}"
            )
            raise refused(attributes, why)


def _owners(obj: JSONObject) -> list[Reference]:
    return metadata(obj).get("ownerReferences") or []


def _newly_blocking(owners: list[Reference], before: list[Reference]) -> list[Reference]:
    blocked = {owner.get("uid") for owner in before if owner.get("blockOwnerDeletion")}
    return [owner for owner in owners if owner.get("blockOwnerDeletion") and owner.get("uid") not in blocked]


def _told(decision: Decision) -> str:
    return f"{decision.reason}, {decision.error or '<nil>'}"


def _deletion(attributes: Attributes) -> Question:
    return Question(
        attributes.user,
        "delete",
        group=attributes.resource.group,
        version=attributes.version,
        resource=attributes.resource.resource,
        subresource=attributes.subresource,
        name=attributes.name,
        namespace=attributes.namespace,
    )


def _any_finalizer(attributes: Attributes) -> Question:
    return Question(attributes.user, "update", group="*", version="*", resource="*", subresource="finalizers", name="*")
