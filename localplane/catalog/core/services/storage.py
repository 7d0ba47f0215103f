"""Where Services are stored: the generic store, with addresses and node ports found before a write and settled after.

Allocation comes before the strategy's hooks, so that validation sees a whole object; admission may still refuse it,
and then everything is given back. Kubernetes: pkg/registry/core/service/storage/storage.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import ParamSpec

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apimachinery.names import generate_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.delete import delete_each
from localplane.apiserver.registry.errors import interpret
from localplane.apiserver.registry.rest import (
    Deleted,
    DeleteOptions,
    ListOptions,
    Result,
    Update,
    Updated,
    ValidateCreate,
    WriteOptions,
)
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject
from localplane.catalog.options import CatalogOptions

from .allocated_values import align_cluster_ips, align_new_cluster_ips, carry_over
from .allocation import Allocation
from .claims import ServiceClaims
from .ip_objects import Owner
from .pools import Pools, ServicePools, addresses_of, ports_held
from .shape import spec_of
from .shared_pools import SharedPools

_GENERATED_NAME_ATTEMPTS = 8

P = ParamSpec("P")


def service_store(options: CatalogOptions) -> Callable[[Definition], ServiceStore]:
    def store(definition: Definition) -> ServiceStore:
        if options.shared_ranges is None:
            return ServiceStore(definition, Pools(definition, options))
        return ServiceStore(definition, SharedPools(definition, options, options.shared_ranges))

    return store


class ServiceStore(Store):
    def __init__(self, definition: Definition, pools: ServicePools) -> None:
        super().__init__(definition)
        self._pools = pools

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        """A generated name is made here, because the address is for an object with a name."""
        metadata = obj.get("metadata") or {}
        if metadata.get("name") or not metadata.get("generateName"):
            return await self._create(request, obj, validate=validate, options=options)
        for _ in range(_GENERATED_NAME_ATTEMPTS - 1):
            try:
                return await self._create(request, _named(obj), validate=validate, options=options)
            except AlreadyExists:
                continue
        return await self._create(request, _named(obj), validate=validate, options=options)

    async def _create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        claims = self._claims(request, (obj.get("metadata") or {}).get("name") or "", options)
        try:
            await self._allocate(claims, obj, {})
            created = await super().create(
                request, obj, validate=_then_checked(validate, lambda: claims), options=options
            )
        except BaseException as error:
            await _settle_failure(claims, error)
            raise
        await claims.commit()
        return created

    async def update(self, request: Request, update: Update) -> Updated:
        name, options = update.name, update.options
        claims = self._claims(request, name, options)

        before: JSONObject = {}

        async def allocated(old: JSONObject) -> JSONObject:
            """May run again when somebody else's write came in between: then the first claims are void."""
            nonlocal claims, before
            before = old.get("spec") or {}
            await claims.revert()
            claims = self._claims(request, name, options)
            obj = await update.changed(old)
            if not _is_stale(obj, old):
                await self._allocate(claims, obj, old)
            return obj

        checked = replace(
            update,
            changed=allocated,
            validate_create=_then_checked(update.validate_create, lambda: claims),
            validate_update=_then_checked(update.validate_update, lambda: claims),
        )
        try:
            done = await super().update(request, checked)
        except BaseException as error:
            await _settle_failure(claims, error)
            raise
        if not options.dry_run and not isinstance(done.result, StoredObject):
            # Its last finalizer went, and so did the object itself.
            await claims.revert()
            await self._pools.forget(Owner(request.namespace, name), before)
        else:
            await claims.commit()
        return done

    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        deleted = await super().delete(request, name, validate=validate, options=options)
        if deleted.immediately and deleted.result is not None and not options.dry_run:
            result = deleted.result
            hub = self.definition.converter.hub_of(result) if isinstance(result, StoredObject) else result
            await self._release(request, name, hub.get("spec") or {})
        return deleted

    async def delete_collection(
        self, request: Request, *, validate: ValidateCreate | None, options: DeleteOptions, selection: ListOptions
    ) -> ObjectList:
        """What was taken is given back one by one, by whoever really deleted it."""

        async def delete(name: str, options: DeleteOptions) -> Deleted:
            return await self.delete(request, name, validate=validate, options=options)

        return await delete_each(self.definition, request, delete, options=options, selection=selection)

    def _claims(self, request: Request, name: str, options: WriteOptions) -> ServiceClaims:
        return ServiceClaims(self._pools, Owner(request.namespace, name), dry_run=options.dry_run)

    async def _allocate(self, claims: ServiceClaims, obj: JSONObject, old: JSONObject) -> None:
        """Where this fails nothing has been written yet, and nothing is left claimed."""
        spec, before = spec_of(obj), old.get("spec") or {}
        name = (obj.get("metadata") or {}).get("name") or ""
        allocation = Allocation(name, claims, self._pools.families)
        try:
            await self._pools.ready()
            if old:
                carry_over(spec, before)
                align_cluster_ips(spec, before)
                await allocation.update(spec, before)
            else:
                align_new_cluster_ips(spec)
                await allocation.create(spec)
        except StorageError as error:
            await claims.revert()
            raise interpret(error, resource=self.definition.resource, name=name) from error
        except BaseException:
            await claims.revert()
            raise

    async def _release(self, request: Request, name: str, spec: JSONObject) -> None:
        claims = self._claims(request, name, WriteOptions())
        for ip in addresses_of(spec):
            claims.release_ip(ip)
        for port in ports_held(spec):
            claims.release_port(port)
        await claims.commit()


def _then_checked(
    validate: Callable[P, Awaitable[None]] | None, claims: Callable[[], ServiceClaims]
) -> Callable[P, Awaitable[None]]:
    """Right before the write: whether what was claimed a while ago still is."""

    async def checked(*args: P.args, **kwargs: P.kwargs) -> None:
        if validate is not None:
            await validate(*args, **kwargs)
        claims().check()

    return checked


def _named(obj: JSONObject) -> JSONObject:
    candidate: JSONObject = copied(obj)
    candidate["metadata"]["name"] = generate_name(candidate["metadata"]["generateName"])
    return candidate


def _is_stale(obj: JSONObject, old: JSONObject) -> bool:
    """A client that has not seen the live object is refused before anything is allocated for it."""
    given = (obj.get("metadata") or {}).get("resourceVersion")
    return bool(old) and bool(given) and given != (old.get("metadata") or {}).get("resourceVersion")


async def _settle_failure(claims: ServiceClaims, error: BaseException) -> None:
    """A refusal leaves nothing behind. After anything else the write may have been done all the same."""
    if isinstance(error, APIError) and error.code < 500:
        await claims.revert()
    else:
        claims.leave_open()
