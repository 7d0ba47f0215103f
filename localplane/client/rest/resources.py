"""The verbs on one kind of object. Objects are dictionaries as they are on the wire; refusals are APIErrors."""

from __future__ import annotations

from enum import StrEnum

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, Final
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import InvalidName
from localplane.client.transport.interface import Pairs

from .json_bodies import dumps
from .options import EVERYTHING, ListOptions
from .statuses import Subject
from .watch import WatchStream

if TYPE_CHECKING:
    from localplane.client.transport.interface import Response

    from .client import Client
    from .names import GroupVersionResource

JSON: Final = "application/json"


class PatchType(StrEnum):
    """How a patch is written. APPLY is server-side apply; STRATEGIC is for built-in kinds only."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"


class ResourceClient:
    """`namespace` is empty for cluster-scoped resources and for lists over all namespaces.

    `accept` asks for another form of the answer, such as a Table. `dry_run` changes nothing on the server.
    """

    def __init__(self, client: Client, resource: GroupVersionResource, namespace: str = "") -> None:
        self._client = client
        self.resource = resource
        self.namespace = namespace

    async def get(
        self, name: str, *, subresource: str = "", resource_version: str = "", accept: str = JSON
    ) -> JSONObject:
        query = [("resourceVersion", resource_version)] if resource_version else []
        return await self._call("GET", _required(name), subresource, query=query, accept=accept)

    async def list(self, options: ListOptions = EVERYTHING, *, accept: str = JSON) -> JSONObject:
        return _with_kinds(await self._call("GET", query=options.query(), accept=accept))

    async def create(
        self,
        obj: JSONObject | bytes,
        *,
        name: str = "",
        subresource: str = "",
        dry_run: bool = False,
        field_manager: str = "",
        field_validation: str = "",
    ) -> JSONObject:
        """`name` is that of the parent, for a subresource that is created, such as an eviction.

        Bytes are sent as they are, here and elsewhere.
        """
        query = _write_query(dry_run=dry_run, field_manager=field_manager, field_validation=field_validation)
        return await self._call("POST", name, subresource, query=query, body=obj)

    async def update(
        self,
        obj: JSONObject,
        *,
        written: bytes | None = None,
        subresource: str = "",
        dry_run: bool = False,
        field_manager: str = "",
        field_validation: str = "",
    ) -> JSONObject:
        """`written` is the object as it is sent, if it matters how."""
        query = _write_query(dry_run=dry_run, field_manager=field_manager, field_validation=field_validation)
        name = _required((obj.get("metadata") or {}).get("name"))
        return await self._call("PUT", name, subresource, query=query, body=obj if written is None else written)

    async def patch(
        self,
        name: str,
        patch: Any,
        patch_type: PatchType,
        *,
        subresource: str = "",
        force: bool | None = False,
        dry_run: bool = False,
        field_manager: str = "",
        field_validation: str = "",
    ) -> JSONObject:
        """`patch` is a JSON value, or bytes that are sent as they are. An APPLY needs a `field_manager`; with `force`
        None it says nothing about conflicts."""
        query = _write_query(dry_run=dry_run, field_manager=field_manager, field_validation=field_validation)
        if force or (patch_type is PatchType.APPLY and force is not None):
            query.append(("force", "true" if force else "false"))
        return await self._call("PATCH", _required(name), subresource, query=query, body=patch, content_type=patch_type)

    async def delete(
        self,
        name: str,
        *,
        propagation_policy: str = "",
        grace_period_seconds: int | None = None,
        uid: str = "",
        resource_version: str = "",
        dry_run: bool = False,
    ) -> JSONObject:
        """The Status, or the object if it is still there. With `uid` and `resource_version`, only that very object."""
        options = _delete_options(propagation_policy, grace_period_seconds, dry_run=dry_run)
        preconditions = {"uid": uid, "resourceVersion": resource_version}
        if uid or resource_version:
            options["preconditions"] = {key: value for key, value in preconditions.items() if value}
        return await self._call("DELETE", _required(name), body=options)

    async def delete_collection(
        self,
        options: ListOptions = EVERYTHING,
        *,
        propagation_policy: str = "",
        grace_period_seconds: int | None = None,
        dry_run: bool = False,
    ) -> JSONObject:
        body = _delete_options(propagation_policy, grace_period_seconds, dry_run=dry_run)
        return await self._call("DELETE", query=options.query(), body=body)

    def watch(self, options: ListOptions = EVERYTHING, *, accept: str = JSON) -> WatchStream:
        """Not open yet: enter it, or iterate."""

        async def opener() -> Response:
            return await self._client.stream(
                "GET",
                self.resource.path(namespace=self.namespace),
                query=[*options.query(), ("watch", "true")],
                headers=[("Accept", accept)],
                subject=Subject("GET", self.resource.group_resource),
            )

        return WatchStream(opener)

    async def _call(
        self,
        method: str,
        name: str = "",
        subresource: str = "",
        *,
        query: Pairs = (),
        body: Any = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> JSONObject:
        headers = [("Accept", accept)]
        if body is not None:
            headers.append(("Content-Type", content_type))
        answer = await self._client.request(
            method,
            self.resource.path(namespace=self.namespace, name=name, subresource=subresource),
            query=query,
            headers=headers,
            body=body if body is None or isinstance(body, bytes) else dumps(body),
            subject=Subject(method, self.resource.group_resource, name),
        )
        found: JSONObject = answer.json()
        return found


def _required(name: str | None) -> str:
    """Without one, a request about an object would be about all of them."""
    if not name:
        raise InvalidName("resource name may not be empty")
    return name


def _with_kinds(collection: JSONObject) -> JSONObject:
    """Servers leave out of a list's items what the list says already; from a watch the same objects come with it. Nor
    do all of them tell null from an empty list."""
    kind, version = str(collection.get("kind", "")), collection.get("apiVersion")
    if kind.endswith("List") and kind != "List" and collection.get("items"):
        named = {"apiVersion": version, "kind": kind.removesuffix("List")}
        collection["items"] = [item if "kind" in item else named | item for item in collection["items"]]
    elif "items" in collection:
        collection["items"] = collection["items"] or []
    return collection


def _write_query(*, dry_run: bool, field_manager: str, field_validation: str) -> list[tuple[str, str]]:
    query = {
        "dryRun": "All" if dry_run else "",
        "fieldManager": field_manager,
        "fieldValidation": field_validation,
    }
    return [(name, value) for name, value in query.items() if value]


def _delete_options(propagation_policy: str, grace_period_seconds: int | None, *, dry_run: bool) -> JSONObject:
    options: JSONObject = {}
    if grace_period_seconds is not None:
        options["gracePeriodSeconds"] = grace_period_seconds
    if propagation_policy:
        options["propagationPolicy"] = propagation_policy
    if dry_run:
        options["dryRun"] = ["All"]
    return options
