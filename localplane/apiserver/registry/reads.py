"""Get, list and watch: from a request's options to storage's."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from localplane.apimachinery.names import path_segment_name
from localplane.apiserver.request import Request
from localplane.apiserver.storage import interface as storage
from localplane.apiserver.storage.errors import KeyNotFound, StorageError
from localplane.apiserver.storage.interface import Match, ObjectList, Predicate, Watch, WatchOptions
from localplane.apiserver.storage.objects import StoredObject

from .errors import interpret, interpret_list
from .rest import ListOptions

if TYPE_CHECKING:
    from .definition import Definition

PAST: Final = "past"
"""The note of a request for any version of an object: the resourceVersion at which it is read."""


async def get(definition: Definition, request: Request, name: str, *, resource_version: str) -> StoredObject:
    key = definition.key(request.namespace, name)
    try:
        if resource_version == "0" and (past := request.notes.get(PAST)):
            return await _get_from(past, definition, key)
        return await definition.storage.get(key, resource_version=resource_version)
    except StorageError as error:
        raise interpret(error, resource=definition.resource, name=name) from error


async def _get_from(past: str, definition: Definition, key: str) -> StoredObject:
    options = storage.ListOptions(resource_version=past, match=Match.EXACT, recursive=False)
    items = (await definition.storage.list(key, options)).items
    if not items:
        raise KeyNotFound(key)
    return items[0]


async def list_objects(definition: Definition, request: Request, options: ListOptions) -> ObjectList:
    place = _place(definition, request, options)
    try:
        return await definition.storage.list(
            place.key,
            storage.ListOptions(
                resource_version=options.resource_version,
                match=Match(options.match),
                limit=options.limit,
                continue_token=options.continue_token,
                predicate=predicate_of(definition, options),
                recursive=place.recursive,
                only_readable=request.only_readable,
                remembered="remembered" in request.notes,
            ),
        )
    except StorageError as error:
        raise interpret_list(error) from error


async def watch(definition: Definition, request: Request, options: ListOptions) -> Watch:
    place = _place(definition, request, options)
    timeout = None if options.timeout_seconds is None else timedelta(seconds=options.timeout_seconds)
    try:
        return await definition.storage.watch(
            place.key,
            WatchOptions(
                resource_version=options.resource_version,
                predicate=predicate_of(definition, options),
                recursive=place.recursive,
                allow_bookmarks=options.allow_bookmarks,
                send_initial_events=options.send_initial_events,
                timeout=timeout,
                only_readable=request.only_readable,
            ),
        )
    except StorageError as error:
        raise interpret(error, resource=definition.resource, name="") from error


class _Place:
    __slots__ = ("key", "recursive")

    def __init__(self, key: str, *, recursive: bool) -> None:
        self.key = key
        self.recursive = recursive


def _place(definition: Definition, request: Request, options: ListOptions) -> _Place:
    """Where to look. A selector that names one object or one namespace narrows it, and costs nothing then."""
    fields = options.field_selector
    namespace = request.namespace
    if fields is not None and not namespace and definition.namespaced:
        selected = fields.requires_exact_match("metadata.namespace")
        if selected and not path_segment_name(selected):
            namespace = selected
    name = fields.requires_exact_match("metadata.name") if fields is not None else None
    if name and not path_segment_name(name) and (namespace or not definition.namespaced):
        return _Place(definition.key(namespace, name), recursive=False)
    return _Place(definition.place(namespace), recursive=True)


def predicate_of(definition: Definition, options: ListOptions) -> Predicate | None:
    """The selectors as one question about a stored object; None when everything is wanted."""
    labels, selector = options.label_selector, options.field_selector
    fields = None if selector is None else selector.compiled(definition.field_lookups)
    if labels is None:
        return fields
    matches = labels.matches
    if fields is None:
        return lambda obj: matches(obj.labels)
    return lambda obj: matches(obj.labels) and fields(obj)
