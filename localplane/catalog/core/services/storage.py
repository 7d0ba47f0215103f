"""Where Services are stored: the generic store, with addresses and node ports found before a write and settled after.

Allocation comes before the strategy's hooks, so that validation sees a whole object; admission may still refuse it,
and then everything is given back. Kubernetes: pkg/registry/core/service/storage/storage.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apimachinery.names import generate_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.definition import Definition
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
from .pools import Pools, addresses_of, ports_held
from .shape import spec_of

_GENERATED_NAME_ATTEMPTS = 8


def service_store(options: CatalogOptions) -> Callable[[Definition], ServiceStore]:
    return lambda definition: ServiceStore(definition, Pools(definition, options))


class ServiceStore(Store):
    def __init__(self, definition: Definition, pools: Pools) -> None:
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
            created = await super().create(request, obj, validate=validate, options=options)
        except BaseException as error:
            await _settle_failure(claims, error)
            raise
        await claims.commit()
        return created

    async def update(self, request: Request, update: Update) -> Updated:
        name, options = update.name, update.options
        claims = self._claims(request, name, options)

        async def allocated(old: JSONObject) -> JSONObject:
            """May run again when somebody else's write came in between: then the first claims are void."""
            nonlocal claims
            await claims.revert()
            claims = self._claims(request, name, options)
            obj = await update.changed(old)
            if not _is_stale(obj, old):
                await self._allocate(claims, obj, old)
            return obj

        try:
            done = await super().update(request, replace(update, changed=allocated))
        except BaseException as error:
            await _settle_failure(claims, error)
            raise
        if not options.dry_run and not isinstance(done.result, StoredObject):
            # Its last finalizer went, and so did the object itself.
            claims.leave_open()
            await self._pools.settle()
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
        try:
            return await super().delete_collection(request, validate=validate, options=options, selection=selection)
        finally:
            if not options.dry_run:
                await self._pools.settle()

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
