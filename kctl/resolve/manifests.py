"""Objects out of files, with their places on the server. Kubernetes: cli-runtime/pkg/resource/mapper.go, visitor.go."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from kctl.printers.objects import sorted_keys
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.groups import GroupKind
from localplane.client.errors import ConnectionFailed, ConnectionRefused

from . import files
from .info import Info

if TYPE_CHECKING:
    from kctl.session import Session
    from localplane.client.mapper import RESTMapping

    from .query import Query

Object = dict[str, Any]


class UnknownKind(KctlError):
    """The server has no such kind. `object` came from `source`; somebody may know a definition for it."""

    def __init__(self, message: str, obj: Object, source: str, *, verbatim: bool = False) -> None:
        super().__init__(message, verbatim=verbatim)
        self.object = obj
        self.source = source

    def in_list(self) -> UnknownKind:
        """What kubectl says of an item of a list."""
        return UnknownKind(f"unable to recognize {self.__cause__}", self.object, self.source, verbatim=True)


async def from_source(session: Session, query: Query, name: str) -> AsyncIterator[Info | Exception]:
    """What one file has, in order; in the place of an object that can't be used, why. Raises if it can't be read on."""
    for manifest in files.read(name, validates=query.validates):
        for obj in _flattened(manifest.value) if query.flatten else [manifest.value]:
            try:
                info = await place(session, query, obj, manifest.source)
                if query.label_selector and not _selects(query.label_selector, info.object or {}):
                    continue
            except UnknownKind as error:
                yield error if obj is manifest.value else error.in_list()
                continue
            except (KctlError, APIError) as error:
                yield error
                continue
            except ConnectionFailed as error:
                if not query.validates:
                    raise
                raise _unvalidated(session, manifest.source, error) from error
            yield info


def _unvalidated(session: Session, source: str, error: ConnectionFailed) -> KctlError:
    """kubectl asks how to validate before it asks anything else."""
    address = f"{session.client_config.server.rstrip('/')}/openapi/v2?timeout=32s"
    reason = error.reason or str(error)
    if isinstance(error, ConnectionRefused):
        reason = f"dial tcp {error.address}: connect: connection refused"
    return KctlError(
        f"error validating {go_quote(source)}: error validating data: failed to download openapi: "
        f"Get {go_quote(address)}: {reason}; if you choose to ignore these errors, turn validation off "
        "with --validate=false"
    )


def _flattened(value: Object) -> list[Object]:
    """The items of a list, of lists in it as well."""
    if not isinstance(value.get("items"), list):
        return [value]
    kind = str(value.get("kind", ""))
    named = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix("List")}
    items = [item if item.get("kind") or kind == "List" else named | item for item in value["items"]]
    return [one for item in items for one in _flattened(item)]


async def place(session: Session, query: Query, obj: Object, source: str) -> Info:
    """Where an object belongs. Raises UnknownKind, KctlError."""
    obj = sorted_keys(obj)  # servers name what is wrong in the order in which they read it
    metadata = obj.get("metadata") or {}
    name, namespace = str(metadata.get("name") or ""), str(metadata.get("namespace") or "")
    mapping = None if query.local else await _mapping(session, obj, name, namespace, source)
    info = Info(
        session,
        mapping,
        namespace=namespace,
        name=name,
        obj=obj,
        source=source,
        subresource=query.subresource,
        accept=query.accept,
    )
    _settle_namespace(session, query, info)
    if query.latest and name:
        await info.get()
    return info


async def _mapping(session: Session, obj: Object, name: str, namespace: str, source: str) -> RESTMapping:
    from localplane.client.errors import NoMatch

    version = str(obj.get("apiVersion") or "")
    group, _, bare = version.rpartition("/")
    try:
        return await session.discovery.mapping(GroupKind(group, str(obj.get("kind"))), bare)
    except NoMatch as error:
        where = f"name: {go_quote(name)} namespace: {go_quote(namespace)} from {go_quote(source)}"
        message = f"resource mapping not found for {where}: {error}\nensure CRDs are installed first"
        raise UnknownKind(message, obj, source) from error


def _settle_namespace(session: Session, query: Query, info: Info) -> None:
    """Kubernetes: SetNamespace, RequireNamespace, FilterNamespace."""
    assert info.object is not None
    if info.mapping is not None and not info.mapping.namespaced:
        info.namespace = ""
        if isinstance(info.object.get("metadata"), dict):
            info.object["metadata"].pop("namespace", None)
        return
    if query.local and info.mapping is None and not info.namespace:
        return
    if not info.namespace and query.default_namespace:
        info.namespace = session.namespace
        info.object.setdefault("metadata", {})["namespace"] = info.namespace
    if query.enforce_namespace and info.namespace != session.namespace:
        raise KctlError(
            f"the namespace from the provided object {go_quote(info.namespace)} does not match the namespace "
            f"{go_quote(session.namespace)}. You must pass '--namespace={info.namespace}' to perform this operation."
        )


def _selects(text: str, obj: Object) -> bool:
    from localplane.apimachinery.labels import InvalidSelector, parse

    try:
        selector = parse(text)
    except InvalidSelector as error:
        raise KctlError(f"the provided selector {go_quote(text)} is not valid: {error}") from error
    return selector.matches((obj.get("metadata") or {}).get("labels") or {})
