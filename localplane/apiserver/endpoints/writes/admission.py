"""Where handlers meet admission: every question has attributes of its own, since several may be open at a time."""

from __future__ import annotations

from functools import partial
from typing import Any

from localplane.apimachinery.errors import InternalError
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.managedfields import InvalidManagedFields
from localplane.apimachinery.managedfields import validate as validate_managers
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Attributes as AuthorizationAttributes
from localplane.apiserver.authorization import forbidden
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.metadata import metadata_of, set_or_drop
from localplane.apiserver.registry.rest import DeleteOptions, ValidateCreate, ValidateUpdate, WriteOptions
from localplane.apiserver.request import Request, User

_NOBODY = User("")
_BROKEN_MANAGERS = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests"
)
_NAMESPACES = GroupResource("", "namespaces")


class RequestAdmission:
    """One request before admission."""

    def __init__(self, served: Served, request: Request, options: WriteOptions | DeleteOptions) -> None:
        self._served = served
        self._request = request
        self._options = options
        self._entered = ""

    def handles(self, operation: Operation) -> bool:
        return self._served.admission.handles(operation, self._served.resource, self._request.user)

    def _validates(self, operation: Operation) -> bool:
        return self._served.admission.validates(operation, self._served.resource, self._request.user)

    async def admit_create(self, obj: JSONObject) -> JSONObject:
        """The object after mutating admission."""
        return await self._admit(Operation.CREATE, obj, None)

    async def admit_update(self, obj: JSONObject, old: JSONObject) -> JSONObject:
        """The object after mutating admission; an update of nothing is a create."""
        if not old:
            return await self._admit(Operation.CREATE, obj, None)
        return await self._admit(Operation.UPDATE, obj, old)

    async def _admit(self, operation: Operation, obj: JSONObject, old: JSONObject | None) -> JSONObject:
        if not self._served.admission.mutates(operation, self._served.resource, self._request.user):
            return obj
        managers = metadata_of(obj).get("managedFields")
        attributes = self._attributes(operation, obj, None if old is None else await self._copied(old))
        await self._served.admission.admit(attributes)
        admitted = attributes.object if attributes.object is not None else obj
        self._keep_managers(metadata_of(admitted), managers)
        return admitted

    def _keep_managers(self, metadata: JSONObject, managers: Any) -> None:
        """A plugin that does not know of managedFields may have broken them: then those of before stand."""
        after = metadata.get("managedFields")
        if after is managers:
            return
        try:
            validate_managers(after)
        except InvalidManagedFields as error:
            set_or_drop(metadata, "managedFields", managers)
            self._request.warnings.append(f"{_BROKEN_MANAGERS}: {error}")

    def validation_on_create(self, *, by_update: bool = False) -> ValidateCreate | None:
        """What the registry calls with a finished new object, right before it is written. A create by update must be
        allowed as a create. Whoever asks for this calls `leave` when the write is over."""
        authorized = by_update and self._served.authorizer is not None
        enters = self._served.admission.keeps_doors and self._served.stores_in_namespaces
        if not authorized and not enters and not self._validates(Operation.CREATE):
            return None

        async def validate(obj: JSONObject) -> None:
            if authorized:
                await self._authorize_create()
            if self._validates(Operation.CREATE):
                await self._served.admission.validate(self._attributes(Operation.CREATE, await self._copied(obj), None))
            if enters and not self._entered:
                await self._enter(obj)

        return validate

    async def _enter(self, obj: JSONObject) -> None:
        """Nothing may wait between this and the write, or the namespace might go."""
        namespace = self._request.namespace
        await self._served.admission.enter(lambda: self._attributes(Operation.CREATE, copied(obj), None), namespace)
        self._entered = namespace

    def leave(self) -> None:
        """The write is over, whatever came of it."""
        if self._entered:
            self._served.admission.entrances.leave(self._entered)
            self._entered = ""

    def validation_on_update(self) -> ValidateUpdate | None:
        if not self._validates(Operation.UPDATE):
            return None

        async def validate(obj: JSONObject, old: JSONObject) -> None:
            attributes = self._attributes(Operation.UPDATE, await self._copied(obj), await self._copied(old))
            await self._served.admission.validate(attributes)

        return validate

    def validation_on_delete(self) -> ValidateCreate | None:
        """Mutating plugins are asked too: they may refuse a deletion, though there is nothing to change."""
        if not self.handles(Operation.DELETE):
            return None

        async def validate(obj: JSONObject) -> None:
            attributes = self._attributes(Operation.DELETE, None, await self._copied(obj))
            await self._served.admission.admit(attributes)
            await self._served.admission.validate(attributes)

        return validate

    async def _copied(self, obj: JSONObject) -> JSONObject:
        return await self._request.do(partial(copied, obj))

    async def admit_connect(self, options: JSONObject) -> None:
        """There is no object: plugins see the options of the connection, and may refuse it."""
        if not self.handles(Operation.CONNECT):
            return
        attributes = self._attributes(Operation.CONNECT, options, None)
        await self._served.admission.admit(attributes)
        await self._served.admission.validate(attributes)

    def _attributes(self, operation: Operation, obj: JSONObject | None, old: JSONObject | None) -> Attributes:
        """The name is the URL's; without one it is the object's, once it has one. A namespace is in itself."""
        request, served = self._request, self._served
        named = obj if obj is not None else old
        name = request.info.name or ((named or {}).get("metadata") or {}).get("name", "")
        return Attributes(
            operation=operation,
            kind=served.gvk,
            resource=served.resource,
            subresource=served.subresource,
            namespace=request.namespace or (name if served.resource == _NAMESPACES else ""),
            name=name,
            object=obj,
            old_object=old,
            user=request.user or _NOBODY,
            version=served.path_version.version,
            dry_run=self._options.dry_run,
            options=_options_object(operation, self._options),
            warnings=request.warnings,
            converter=served.converter,
        )

    async def _authorize_create(self) -> None:
        assert self._served.authorizer is not None
        info = self._request.info
        question = AuthorizationAttributes(
            user=self._request.user or _NOBODY,
            verb="create",
            path=info.path,
            group=info.group,
            version=info.version,
            resource=info.resource,
            subresource=info.subresource,
            namespace=info.namespace,
            name=info.name,
        )
        decision = await self._served.authorizer.authorize(question)
        if decision.allowed:
            return
        if decision.error:
            raise InternalError.of(decision.error)
        raise forbidden(question, decision.reason)


def _options_object(operation: Operation, options: WriteOptions | DeleteOptions) -> JSONObject:
    """The options as the API writes them, for plugins that send them on."""
    obj: JSONObject = {"kind": f"{operation.capitalize()}Options", "apiVersion": "meta.k8s.io/v1"}
    if options.dry_run:
        obj["dryRun"] = ["All"]
    if isinstance(options, WriteOptions):
        texts = {"fieldManager": options.field_manager, "fieldValidation": options.field_validation}
        return obj | {name: value for name, value in texts.items() if value}
    preconditions = {"uid": options.precondition_uid, "resourceVersion": options.precondition_resource_version}
    settings = {
        "gracePeriodSeconds": options.grace_period_seconds,
        "preconditions": {name: value for name, value in preconditions.items() if value is not None} or None,
        "orphanDependents": options.orphan_dependents,
        "propagationPolicy": options.propagation_policy,
    }
    return obj | {name: value for name, value in settings.items() if value is not None}
