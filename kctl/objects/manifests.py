"""Objects out of files, with their places on the server. Kubernetes: cli-runtime/pkg/resource/mapper.go, visitor.go.

-k: the objects that a kustomization makes. Kubernetes: cli-runtime/pkg/resource, KustomizeVisitor.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator

from kctl.errors import KctlError, ListErrors
from kctl.kustomize import build
from kctl.kustomize import options as kustomize_options
from kctl.objects import decoding, files
from kctl.objects.arguments import Query
from kctl.objects.client_validation import ClientValidation
from kctl.objects.info import Info
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang import sources
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.selectors import labels
from localplane.apimachinery.serializers.untyped import go_untyped
from localplane.client.errors import ConnectionFailed, ConnectionRefused, NoMatch
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.names import GroupVersionResource


class UnknownKind(KctlError):
    """The server has no such kind. `object` came from `source`; somebody may know a definition for it."""

    def __init__(self, message: str, obj: JSONObject, source: str, *, verbatim: bool = False) -> None:
        super().__init__(message, verbatim=verbatim)
        self.object = obj
        self.source = source

    def in_list(self) -> UnknownKind:
        """What kubectl says of an item of a list."""
        return UnknownKind(f"unable to recognize {self.__cause__}", self.object, self.source, verbatim=True)


async def from_source(session: Session, query: Query, name: str) -> AsyncIterator[Info | Exception]:
    """What one file has, in order; in the place of an object that can't be used, why. Raises if it can't be read on."""
    validation = ClientValidation(session) if query.validates else None
    for manifest in _documents(session, query, name):
        if validation is not None:
            try:
                await validation.check(manifest.value, manifest.source)
            except ConnectionFailed as error:
                raise _unvalidated(session, manifest.source, error) from error
        async for info in _from_document(session, query, manifest):
            yield info


def _documents(session: Session, query: Query, name: str) -> Iterator[files.Manifest]:
    """Of a file, or of what a kustomization makes."""
    if not query.kustomize:
        return files.read(name)

    return files.documents(name, manifest(session, name))


async def _from_document(session: Session, query: Query, manifest: files.Manifest) -> AsyncIterator[Info | Exception]:
    """An object, or the objects of a list."""
    try:
        value = decoding.decoded(manifest.value, manifest.source, manifest.text)
        if not query.flatten or "items" not in value:
            info = await place(session, query, value, manifest.source)
            if _is_selected(query, info):
                yield info
            return
        if not query.local:
            await _mapping(session, value, manifest.source)
        items = decoding.items(value)
    except (KctlError, APIError) as error:
        yield error
        return
    failed: list[Exception] = []
    for item in items:
        try:
            decoding.check_type(item)
            info = await place(session, query, item, manifest.source)
            if _is_selected(query, info):
                yield info
        except UnknownKind as error:
            yield error.in_list()
        except (KctlError, APIError) as error:
            if query.latest:
                failed.append(error)
            else:
                yield error
    if failed:
        yield ListErrors(failed)


def _is_selected(query: Query, info: Info) -> bool:
    return not query.label_selector or _selects(query.label_selector, info.object or {})


def _unvalidated(session: Session, source: str, error: ConnectionFailed) -> KctlError:
    """kubectl asks how to validate before it asks anything else."""
    return KctlError(
        f"error validating {go_quote(source)}: error validating data: failed to download openapi: "
        f"{_asked(session, '/openapi/v2', error)}; if you choose to ignore these errors, turn validation off "
        "with --validate=false"
    )


def _asked(session: Session, path: str, error: ConnectionFailed) -> str:
    """What Go says of a request that did not get through."""
    address = f"{session.client_config.server.rstrip('/')}{path}?timeout=32s"
    reason = error.reason or str(error)
    if isinstance(error, ConnectionRefused):
        reason = f"dial tcp {error.address}: connect: connection refused"
    return f"Get {go_quote(address)}: {reason}"


async def place(session: Session, query: Query, obj: JSONObject, source: str) -> Info:
    """Where an object belongs. Raises UnknownKind, KctlError."""
    # Servers name what is wrong in the order in which they read it; and numbers are Go's from here on.
    obj = go_untyped(sorted_keys(obj))
    name, namespace = _name_and_namespace(obj)
    if query.typed:
        group, version, kind = decoding.group_version_kind(obj)
        decoding.check_registered(f"{group}/{version}" if group else version, kind, source)
    mapping = None if query.local else await _mapping(session, obj, source)
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
    _require_namespace(session, query, info)
    return info


def _name_and_namespace(obj: JSONObject) -> tuple[str, str]:
    metadata = obj.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    name, namespace = known.get("name"), known.get("namespace")
    return name if isinstance(name, str) else "", namespace if isinstance(namespace, str) else ""


async def _mapping(session: Session, obj: JSONObject, source: str) -> RESTMapping:
    group, version, kind = decoding.group_version_kind(obj)
    try:
        found = await session.discovery.mapping(GroupKind(group, kind), version)
    except NoMatch as error:
        name, namespace = _name_and_namespace(obj)
        where = f"name: {go_quote(name)} namespace: {go_quote(namespace)} from {go_quote(source)}"
        message = f"resource mapping not found for {where}: {error}\nensure CRDs are installed first"
        raise UnknownKind(message, obj, source) from error
    except ConnectionFailed as error:
        raise KctlError(f"unable to recognize {go_quote(source)}: {_asked(session, '/api', error)}") from error
    if not version:  # kubectl then asks where no version is
        return RESTMapping(GroupVersionResource(group, "", found.resource.resource), found.kind, found.namespaced)
    return found


def _settle_namespace(session: Session, query: Query, info: Info) -> None:
    """Kubernetes: SetNamespace, FilterNamespace."""
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
        if isinstance(metadata := info.object.setdefault("metadata", {}), dict):
            metadata["namespace"] = info.namespace


def _require_namespace(session: Session, query: Query, info: Info) -> None:
    """After it was fetched, where it is: one that is not there is not said to be in the wrong place."""
    if info.mapping is not None and not info.mapping.namespaced:
        return
    if query.local and info.mapping is None and not info.namespace:
        return
    if query.enforce_namespace and info.namespace != session.namespace:
        raise KctlError(
            f"the namespace from the provided object {go_quote(info.namespace)} does not match the namespace "
            f"{go_quote(session.namespace)}. You must pass '--namespace={info.namespace}' to perform this operation."
        )


def check_selector(text: str) -> labels.Selector:
    """Raises KctlError."""
    try:
        return labels.parse(text)
    except labels.InvalidSelector as error:
        raise KctlError(f"the provided selector {go_quote(text)} is not valid: {error}") from error


def _selects(text: str, obj: JSONObject) -> bool:
    metadata = obj.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return check_selector(text).matches(labels if isinstance(labels, dict) else {})


def manifest(session: Session, directory: str) -> bytes:
    """As YAML, in the order in which they can be created. Raises KctlError."""
    options = kustomize_options.Options(reorder="legacy", warn=warn, log=logger(session))
    return build.render(build.build(directory, options)).encode("utf-8", "replace")


def warn(text: str) -> None:
    """What kustomize tells its user while it works."""
    sys.stderr.write(f"{text}\n")


def logger(session: Session) -> Callable[[str], None]:
    """Where it logs: what Go's log package gets comes out of kubectl so."""
    return lambda text: session.log(0, sources.STANDARD_LOG, text)
