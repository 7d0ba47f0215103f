"""Scale: the one number that autoscalers and `kubectl scale` change, under the name of any kind that has replicas.

The kinds declare it as their subresource `scale`. It reads and writes the object itself, as an autoscaling/v1 Scale;
where the object has its replicas is for `Replicas` to know.
Kubernetes: pkg/registry/apps/deployment/storage, ScaleREST, and its siblings;
apiextensions-apiserver, pkg/registry/customresource/etcd.go, ScaleREST.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from localplane.apimachinery.errors import BadRequest, Conflict, InternalError, Invalid
from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.groups import GroupKind, GroupResource
from localplane.apimachinery.managedfields.scale import ReplicasPaths, ScaleManagers
from localplane.apimachinery.objectmeta import METADATA, validate_managed_fields
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.selectors.labels import InvalidSelector, from_labels, selector_of
from localplane.apimachinery.times import age
from localplane.apiserver.endpoints.representation.table import ABOUT_CREATION
from localplane.apiserver.registry import reads
from localplane.apiserver.registry import update as updates
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.metadata import set_or_drop
from localplane.apiserver.registry.rest import Getter, Result, Update, Updated, UpdatedObject, Updater
from localplane.apiserver.request import Request
from localplane.apiserver.resource import ABOUT_NAME, Column
from localplane.apiserver.storage.objects import StoredObject

from .validation.values import not_negative

_KIND = GroupKind("autoscaling", "Scale")
_REPLICAS = ("f:spec", "f:replicas")
_KEPT = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


@dataclass(frozen=True, slots=True)
class ReplicaCounts:
    """What a scale tells of an object; `wanted` is None if the object does not say."""

    wanted: int | None
    actual: int
    selector: str


class UnreadableReplicas(ValueError):
    """Something else is where an object should have its replicas."""


class Replicas(Protocol):
    """Where the objects of a kind have their replicas. `paths` lead to them in each version of the kind."""

    paths: ReplicasPaths

    def counts(self, obj: JSONObject) -> ReplicaCounts:
        """Raises UnreadableReplicas."""
        ...

    def check_readable(self, counts: ReplicaCounts) -> None:
        """Before a scale is read. Raises APIErrors."""
        ...

    def check_scale(self, scale: JSONObject, parent: JSONObject) -> None:
        """What a client made of the scale, before it goes into its parent. Raises APIErrors."""
        ...

    def set(self, obj: JSONObject, wanted: int) -> None:
        """Raises UnreadableReplicas."""
        ...


class SpecReplicas:
    """`spec.replicas`, as built-in kinds have it. `selector` makes a text of the kind's spec.selector."""

    def __init__(self, resource: GroupResource, api_versions: tuple[str, ...], selector: Callable[[Any], str]) -> None:
        self.paths: ReplicasPaths = dict.fromkeys(api_versions, _REPLICAS)
        self._resource = resource
        self._selector = selector

    def counts(self, obj: JSONObject) -> ReplicaCounts:
        spec = obj.get("spec") or {}
        actual = (obj.get("status") or {}).get("replicas") or 0
        return ReplicaCounts(spec.get("replicas"), actual, self._selector(spec.get("selector")))

    def check_readable(self, counts: ReplicaCounts) -> None:
        """There is always a number."""

    def check_scale(self, scale: JSONObject, parent: JSONObject) -> None:
        live, metadata = parent["metadata"], scale.get("metadata") or {}
        name = live.get("name", "")
        errors = [
            *validate_managed_fields(metadata.get("managedFields"), METADATA / "managedFields"),
            *not_negative((scale.get("spec") or {}).get("replicas"), Path("spec") / "replicas"),
        ]
        if errors:
            raise Invalid.of(_KIND, name, errors)
        uid, live_uid = metadata.get("uid") or "", live.get("uid", "")
        if uid and uid != live_uid:
            resource = GroupResource(self._resource.group, f"{self._resource.resource}/scale")
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {live_uid}"
            raise Conflict.of(resource, name, why)

    def set(self, obj: JSONObject, wanted: int) -> None:
        obj["spec"]["replicas"] = wanted


def label_selector(selector: Any) -> str:
    """A selector of labels and expressions, as text. Raises BadRequest if it is none."""
    try:
        return str(selector_of(selector) or "")
    except InvalidSelector as error:
        raise BadRequest(str(error)) from error


def plain_labels(selector: Any) -> str:
    """A selector that is just labels, as text."""
    return str(from_labels(selector or {}))


def scale_of(*api_versions: str, selector: Callable[[Any], str] = label_selector) -> Callable[[Definition], ScaleStore]:
    """The storage of a built-in kind's scale. `api_versions` are those in which managers may have written its
    replicas."""
    return lambda definition: ScaleStore(definition, SpecReplicas(definition.resource, api_versions, selector))


class ScaleStore(Getter, Updater):
    """get, update and patch."""

    def __init__(self, definition: Definition, replicas: Replicas) -> None:
        self._definition = definition
        self._replicas = replicas

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        obj = self._hub(await reads.get(self._definition, request, name, resource_version=resource_version))
        counts = self._counts(obj)
        self._replicas.check_readable(counts)
        return _scale(obj, counts)

    async def update(self, request: Request, update: Update) -> Updated:
        async def scaled(parent: JSONObject) -> JSONObject:
            return await self._scaled(request, parent, update.changed)

        async def admit(obj: JSONObject, old: JSONObject) -> None:
            if update.validate_update is not None:
                await update.validate_update(_scale(obj, self._counts(obj)), _scale(old, self._counts(old)))

        scaling = Update(update.name, scaled, validate_update=admit, options=update.options)
        done = await updates.update(self._definition, request, scaling)
        obj = self._hub(done.result)
        try:
            counts = self._replicas.counts(obj)
        except UnreadableReplicas as error:
            raise BadRequest(str(error)) from error
        return Updated(_scale(obj, counts), created=False)

    async def _scaled(self, request: Request, parent: JSONObject, changed: UpdatedObject) -> JSONObject:
        """From the live object to its scale, to what the client makes of that, and back to the object."""
        api_version = f"{request.info.group}/{request.info.version}".lstrip("/")
        managers = ScaleManagers(parent["metadata"].get("managedFields"), api_version, self._replicas.paths)
        old = _scale(parent, self._counts(parent))
        set_or_drop(old["metadata"], "managedFields", managers.of_scale())
        scale = await changed(old)
        self._replicas.check_scale(scale, parent)
        obj: JSONObject = copied(parent)
        try:
            self._replicas.set(obj, (scale.get("spec") or {}).get("replicas") or 0)
        except UnreadableReplicas as error:
            raise InternalError.of(str(error)) from error
        metadata = scale.get("metadata") or {}
        if metadata.get("resourceVersion"):
            obj["metadata"]["resourceVersion"] = metadata["resourceVersion"]
        set_or_drop(obj["metadata"], "managedFields", managers.of_parent(metadata.get("managedFields")))
        return obj

    def _counts(self, obj: JSONObject) -> ReplicaCounts:
        try:
            return self._replicas.counts(obj)
        except UnreadableReplicas as error:
            raise InternalError.of(str(error)) from error

    def _hub(self, result: Result) -> JSONObject:
        return self._definition.converter.hub_of(result) if isinstance(result, StoredObject) else result


def _scale(obj: JSONObject, counts: ReplicaCounts) -> JSONObject:
    metadata = obj["metadata"]
    status: JSONObject = {"replicas": counts.actual}
    if counts.selector:
        status["selector"] = counts.selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _KEPT if name in metadata},
        "spec": {"replicas": counts.wanted} if counts.wanted else {},
        "status": status,
    }


def _replicas(part: str) -> Callable[[JSONObject], int]:
    return lambda scale: (scale.get(part) or {}).get("replicas") or 0


SCALE_COLUMNS: Final = (
    Column("Name", lambda scale: scale["metadata"].get("name", ""), description=ABOUT_NAME),
    Column(
        "Desired",
        _replicas("spec"),
        type="integer",
        description="replicas is the desired number of instances for the scaled object.",
    ),
    Column(
        "Available",
        _replicas("status"),
        type="integer",
        description="replicas is the actual number of observed instances of the scaled object.",
    ),
    Column("Age", lambda scale: age(scale["metadata"].get("creationTimestamp")), description=ABOUT_CREATION),
)
"""Kubernetes: pkg/printers/internalversion, printScale."""
