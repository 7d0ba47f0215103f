"""Namespaces: their two kinds of finalizers, and a deletion in two steps.

A deleted namespace is Terminating until its content has gone: then whoever saw to that takes the finalizer out of the
spec, through `finalize`. Kubernetes: pkg/registry/core/namespace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from localplane.apimachinery.errors import Conflict
from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import dns1123_label, kube_finalizer_name, qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.times import age, now
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.deletion import with_collection_finalizers
from localplane.apiserver.registry.errors import interpret
from localplane.apiserver.registry.rest import Deleted, DeleteOptions, Result, Update, Updated, Updater, ValidateCreate
from localplane.apiserver.registry.store import ObjectStore, SubresourceStore
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import Preconditions, UpdateOptions
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.metadata import metadata_update_errors

NAME_LABEL = "kubernetes.io/metadata.name"
_FINALIZER = "kubernetes"
_FINALIZERS = Path("spec.finalizers")
_PHASE = Path("status.Phase")


class NamespaceStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    valid_name = staticmethod(dns1123_label)
    on_update: ClassVar[Sequence[Asked]] = (Asked.OBJECT, Asked.METADATA)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        obj["status"] = {"phase": "Active"}
        finalizers = obj.setdefault("spec", {}).setdefault("finalizers", [])
        if _FINALIZER not in finalizers:
            finalizers.append(_FINALIZER)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        for name in _spec_finalizers(obj):
            yield from _finalizer_errors(name, _FINALIZERS)

    def canonicalize(self, obj: JSONObject) -> None:
        """A generated name was not known when defaults were filled in."""
        label_name(obj)

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _keep(obj, old, "finalizers")

    def is_held(self, obj: JSONObject) -> bool:
        return bool(_spec_finalizers(obj))


class NamespaceStatusStrategy(BuiltinStatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        is_going = bool(obj["metadata"].get("deletionTimestamp"))
        wanted, state = ("Terminating", "not empty") if is_going else ("Active", "empty")
        phase = (obj.get("status") or {}).get("phase", "")
        errors = metadata_update_errors(obj, old)
        if phase != wanted:
            errors.append(invalid(_PHASE, phase, f"may only be '{wanted}' if `deletionTimestamp` is {state}"))
        return errors

    def is_held(self, obj: JSONObject) -> bool:
        return self.main.is_held(obj)


class NamespaceFinalizeStrategy(NamespaceStrategy):
    """The way by which the spec's finalizers change."""

    on_update = (Asked.METADATA, Asked.RULES)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        for index, name in enumerate(_spec_finalizers(obj)):
            yield from _finalizer_errors(name, _FINALIZERS[index])

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """Everything may change here but the status, which the generic rules keep."""


class NamespaceStore(ObjectStore):
    """A namespace is marked first, and can only be removed once the spec has no finalizers."""

    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        live = self.definition.converter.hub_of(await self._stored(name))
        _check_preconditions(self.definition, live["metadata"], options)
        if not live["metadata"].get("deletionTimestamp"):
            return await self._mark(name, validate, options)
        if _spec_finalizers(live):
            return Deleted(live, immediately=False)
        return await super().delete(request, name, validate=validate, options=options)

    async def _stored(self, name: str) -> Any:
        try:
            return await self.definition.storage.get(self.definition.key("", name))
        except StorageError as error:
            raise interpret(error, resource=self.definition.resource, name=name) from error

    async def _mark(self, name: str, validate: ValidateCreate | None, options: DeleteOptions) -> Deleted:
        converter, storage = self.definition.converter, self.definition.storage

        async def step(current: JSONObject) -> JSONObject:
            hub = converter.from_storage(current)
            if validate is not None:
                await validate(hub)
            _terminate(hub, options)
            return converter.to_storage(hub)

        if options.dry_run:
            marked: Result = converter.from_storage(await step((await self._stored(name)).decode()))
            return Deleted(marked, immediately=False)
        preconditions = Preconditions(options.precondition_uid, options.precondition_resource_version)
        try:
            marked = await storage.guaranteed_update(
                self.definition.key("", name), step, UpdateOptions(preconditions=preconditions)
            )
        except StorageError as error:
            raise interpret(error, resource=self.definition.resource, name=name) from error
        return Deleted(marked, immediately=False)


class FinalizeStore(Updater):
    """Update alone: there is nothing to read below `finalize`."""

    def __init__(self, definition: Definition) -> None:
        self._store = SubresourceStore(definition.with_strategy(NamespaceFinalizeStrategy()))

    async def update(self, request: Request, update: Update) -> Updated:
        return await self._store.update(request, update)


def _check_preconditions(definition: Definition, metadata: JSONObject, options: DeleteOptions) -> None:
    uid, version = options.precondition_uid, options.precondition_resource_version
    name = metadata["name"]
    if uid is not None and uid != metadata["uid"]:
        said = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {metadata['uid']}"
        raise Conflict.of(definition.resource, name, said)
    if version is not None and version != metadata["resourceVersion"]:
        said = (
            f"Precondition failed: ResourceVersion in precondition: {version}, ResourceVersion in object meta: "
            f"{metadata['resourceVersion']}"
        )
        raise Conflict.of(definition.resource, name, said)


def _terminate(hub: JSONObject, options: DeleteOptions) -> None:
    metadata = hub["metadata"]
    metadata.setdefault("deletionTimestamp", now())
    hub.setdefault("status", {})["phase"] = "Terminating"
    finalizers = with_collection_finalizers(metadata.get("finalizers") or [], options, default_policy="Background")
    metadata["finalizers"] = list(finalizers)
    if not finalizers:
        del metadata["finalizers"]


def default_namespace(obj: JSONObject) -> None:
    obj.setdefault("status", {}).setdefault("phase", "Active")
    if (obj.get("metadata") or {}).get("name"):
        label_name(obj)


def label_name(obj: JSONObject) -> None:
    """Every namespace has its name as a label, so that selectors can speak of it."""
    obj["metadata"].setdefault("labels", {})[NAME_LABEL] = obj["metadata"]["name"]


def _spec_finalizers(obj: JSONObject) -> list[str]:
    return (obj.get("spec") or {}).get("finalizers") or []


def _finalizer_errors(name: str, path: Path) -> Iterator[FieldError]:
    yield from (invalid(path, name, problem) for problem in qualified_name(name))
    yield from (invalid(path, name, problem) for problem in kube_finalizer_name(name))


def _keep(obj: JSONObject, old: JSONObject, field: str) -> None:
    spec = obj.setdefault("spec", {})
    spec.pop(field, None)
    if field in (old.get("spec") or {}):
        spec[field] = copied(old["spec"][field])


def _cells(obj: JSONObject) -> list[Any]:
    metadata = obj["metadata"]
    phase = (obj.get("status") or {}).get("phase", "")
    return [metadata["name"], phase, age(metadata.get("creationTimestamp"))]


NAMESPACES = builtin(
    "namespaces",
    strategy=NamespaceStrategy(),
    status_strategy=NamespaceStatusStrategy,
    default=default_namespace,
    cells=_cells,
    selectable={"name": lambda obj: obj["metadata"]["name"]},
    subresources={"finalize": FinalizeStore},
    storage=NamespaceStore,
)
