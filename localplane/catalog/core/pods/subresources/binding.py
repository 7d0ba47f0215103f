"""Binding: a pod gets its node. Kubernetes: pkg/registry/core/pod/storage (BindingREST, LegacyBindingREST)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from localplane.apimachinery.errors import APIError, BadRequest, Conflict
from localplane.apimachinery.fieldpath import FieldError, aggregate, invalid, not_supported, required
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.errors import interpret
from localplane.apiserver.registry.rest import Creater, NamedCreater, Result, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import Preconditions, UpdateOptions
from localplane.catalog.core.pods.conditions import set_condition
from localplane.catalog.core.pods.disabled_fields import drop_disabled_fields

SUCCESS: Final[JSONObject] = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Success",
}

_BINDINGS = GroupResource("", "pods/binding")


class BindingStore(NamedCreater):
    """`pods/x/binding`. The uid and resourceVersion that a binding names must be the pod's."""

    preserves_metadata = True

    def __init__(self, pods: Definition) -> None:
        self._pods = pods

    async def create_named(
        self, request: Request, name: str, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        if name != (obj.get("metadata") or {}).get("name", ""):
            raise BadRequest("name in URL does not match name in Binding object")
        if errors := _errors(obj.get("target") or {}):
            raise APIError(aggregate(errors))  # 500 without a reason: clients know it so
        if validate is not None:
            await validate(obj)
        await self._assign(request, name, obj, dry_run=options.dry_run)
        return dict(SUCCESS)

    async def _assign(self, request: Request, name: str, binding: JSONObject, *, dry_run: bool) -> None:
        pods, metadata = self._pods, binding["metadata"]
        key = pods.key(request.namespace, name)
        preconditions = Preconditions(metadata.get("uid") or None, metadata.get("resourceVersion") or None)

        async def bound(current: JSONObject) -> JSONObject:
            pod = pods.converter.from_storage(current)
            _bind(pod, binding)
            return pods.converter.to_storage(pod)

        try:
            if dry_run:
                there = await pods.storage.get(key)
                preconditions.check(key, there)
                await bound(there.decode())
            else:
                await pods.storage.guaranteed_update(key, bound, UpdateOptions(preconditions=preconditions))
        except StorageError as error:
            raise interpret(error, resource=pods.resource, name=name) from error


class LegacyBindingStore(Creater):
    """`bindings`, as it was before pods had one of their own: the binding names its pod."""

    def __init__(self, pods: Callable[[], Definition]) -> None:
        self._pods = pods

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        name = (obj.get("metadata") or {}).get("name", "")
        return await BindingStore(self._pods()).create_named(request, name, obj, validate=validate, options=options)


def _errors(target: JSONObject) -> list[FieldError]:
    """Kubernetes: pkg/apis/core/validation, ValidatePodBinding."""
    kind, name = target.get("kind", ""), target.get("name", "")
    errors = [] if kind in ("", "Node") else [not_supported("target.kind", kind, ("Node", "<empty>"))]
    if not name:
        errors.append(required("target.name"))
    elif kind in ("", "Node"):
        errors += [invalid("target.name", name, problem) for problem in dns1123_subdomain(name)]
    return errors


def _bind(pod: JSONObject, binding: JSONObject) -> None:
    metadata, spec = pod["metadata"], pod["spec"]
    name, told = metadata["name"], binding["metadata"]
    if why := _why_not(metadata, spec):
        raise Conflict.of(_BINDINGS, name, why)
    spec["nodeName"] = binding["target"]["name"]
    pod.setdefault("status", {}).pop("nominatedNodeName", None)
    for field in ("annotations", "labels"):
        if told.get(field):
            metadata[field] = (metadata.get(field) or {}) | copied(told[field])
    drop_disabled_fields(spec, metadata)
    set_condition(pod, "PodScheduled", "True")


def _why_not(metadata: JSONObject, spec: JSONObject) -> str:
    name = metadata["name"]
    if metadata.get("deletionTimestamp"):
        return f"pod {name} is being deleted, cannot be assigned to a host"
    if spec.get("nodeName"):
        return f"pod {name} is already assigned to node {go_quote(spec['nodeName'])}"
    return f"pod {name} has non-empty .spec.schedulingGates" if spec.get("schedulingGates") else ""
