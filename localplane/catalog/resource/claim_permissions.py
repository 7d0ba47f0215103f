"""Who may make claims for administration, and who may write which part of a claim's status.

A claim for administration gets devices that others have, so it may only be made where the namespace allows it. The spec
never changes, so only creation is asked. Kubernetes: pkg/registry/resource/utils.go, AuthorizedForAdmin.

The status of a claim is written by parties that may not touch each other's part, so whoever writes it is asked for a
permission for every part that changes.

What was allocated, and for whom, wants `resourceclaims/binding` in the whole cluster. What a driver reports of its
devices wants `resourceclaims/driver` for that driver, with a verb that says whether the reporter is on the node of the
claim. Kubernetes: pkg/registry/resource/utils.go, AuthorizedForBinding and AuthorizedForDeviceStatus
(DRAResourceClaimGranularStatusAuthorization).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apiserver.authentication.service_accounts import split_username
from localplane.apiserver.authorization import Attributes, Authorizer
from localplane.apiserver.authorization import forbidden as refusal
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.registry.rest import Result, Update, Updated, ValidateCreate, WriteOptions
from localplane.apiserver.registry.store import Store, SubresourceStore
from localplane.apiserver.request import Request, User

from .claim_statuses import device_id

_ADMIN_ACCESS: Final = "resource.kubernetes.io/admin-access"
_NO_ADMIN_ACCESS: Final = (
    f"admin access to devices requires the `{_ADMIN_ACCESS}: true` label on the containing namespace"
)
_REQUESTS: Final = Path("spec") / "devices" / "requests"
_NODE_NAME: Final = "authentication.kubernetes.io/node-name"
_ALLOCATION, _DEVICES = Path("status") / "allocation", Path("status") / "devices"


class AdministrationStore(Store):
    """Of claims, and of templates, whose claims are made where they are."""

    def __init__(self, definition: Definition, objects: Lookup) -> None:
        super().__init__(definition)
        self._objects = objects

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        async def permitted(made: JSONObject) -> None:
            await self._check(request, made)
            if validate is not None:
                await validate(made)

        return await super().create(request, obj, validate=permitted, options=options)

    async def _check(self, request: Request, obj: JSONObject) -> None:
        """Raises Invalid."""
        outer: JSONObject = obj.get("spec") or {}
        # A template's is one deeper; the path that is told is that of a claim all the same.
        spec: JSONObject = outer.get("spec") or outer
        for index, device_request in enumerate((spec.get("devices") or {}).get("requests") or ()):
            if (device_request.get("exactly") or {}).get("adminAccess"):
                namespace: JSONObject = await self._objects.get("namespaces", "", request.namespace) or {}
                labels: JSONObject = (namespace.get("metadata") or {}).get("labels") or {}
                if labels.get(_ADMIN_ACCESS) != "true":
                    error = forbidden(_REQUESTS[index] / "adminAccess", _NO_ADMIN_ACCESS)
                    raise self.definition.invalid(obj["metadata"].get("name", ""), [error])
                return


class ClaimStatusStore(SubresourceStore):
    def __init__(self, definition: Definition, authorizer: Authorizer) -> None:
        super().__init__(definition)
        self._authorizer = authorizer

    async def update(self, request: Request, update: Update) -> Updated:
        async def permitted(obj: JSONObject, old: JSONObject) -> None:
            if request.user is not None:
                await self._check(Attributes.of(request.user, request.info), update.name, obj, old)
            if update.validate_update is not None:
                await update.validate_update(obj, old)

        return await super().update(request, replace(update, validate_update=permitted))

    async def _check(self, asked: Attributes, name: str, obj: JSONObject, old: JSONObject) -> None:
        """Raises Invalid, which is what Kubernetes makes of a permission that is missing here."""
        status, before = obj.get("status") or {}, old.get("status") or {}
        errors = [
            *await self._binding_errors(asked, status, before),
            *await self._device_errors(asked, status, before),
        ]
        if errors:
            raise self.definition.invalid(name, errors)

    async def _binding_errors(self, asked: Attributes, status: JSONObject, before: JSONObject) -> list[FieldError]:
        if all(same(status.get(part) or None, before.get(part) or None) for part in ("allocation", "reservedFor")):
            return []
        why = await self._refusal(replace(asked, subresource="binding", namespace="", name=""))
        wanted = f'resource="resourceclaims/binding", verb="{asked.verb}" permission'
        changes = "changing status.allocation or status.reservedFor"
        return [forbidden(_ALLOCATION, f"{changes} requires {wanted}: {why}")] if why else []

    async def _device_errors(self, asked: Attributes, status: JSONObject, before: JSONObject) -> list[FieldError]:
        allocation = status.get("allocation")
        if allocation is None:
            return []  # nothing is reported of a claim without devices
        verbs = [f"arbitrary-node:{asked.verb}"]
        if _is_on(asked.user, _node_of(allocation)):
            verbs.insert(0, f"associated-node:{asked.verb}")
        wanted = f'resource="resourceclaims/driver", verb="[{" ".join(verbs)}]" permission'
        errors = []
        for driver in sorted(set(_changed_drivers(status, before))):
            first = ""
            for verb in verbs:
                why = await self._refusal(replace(asked, verb=verb, subresource="driver", name=driver))
                if not why:
                    break
                first = first or why
            else:
                errors.append(forbidden(_DEVICES, f"changing status.devices requires {wanted}: {first}"))
        return errors

    async def _refusal(self, question: Attributes) -> str:
        """Empty if it is allowed."""
        decision = await self._authorizer.authorize(question)
        if decision.allowed:
            return ""
        return str(refusal(question, ": ".join(part for part in (decision.error, decision.reason) if part)))


def _changed_drivers(status: JSONObject, before: JSONObject) -> Iterator[str]:
    """The drivers of what is reported anew, otherwise, or no longer."""
    known = {device_id(device): device for device in before.get("devices") or ()}
    for device in status.get("devices") or ():
        old = known.pop(device_id(device), None)
        if old is None or not same(old, device):
            yield device["driver"]
    for device in known.values():
        yield device["driver"]


def _node_of(allocation: Mapping[str, Any]) -> str:
    """The node that the devices are on, if they are on one node and the selector says nothing else."""
    terms = (allocation.get("nodeSelector") or {}).get("nodeSelectorTerms") or []
    if len(terms) != 1 or terms[0].get("matchExpressions"):
        return ""
    match terms[0].get("matchFields") or []:
        case [{"key": "metadata.name", "operator": "In", "values": [str() as node]}]:
            return node
    return ""


def _is_on(user: User, node: str) -> bool:
    """Whether it is a service account whose token was made for a pod on this node."""
    return bool(node) and split_username(user.name) is not None and tuple(user.extra.get(_NODE_NAME, ())) == (node,)
