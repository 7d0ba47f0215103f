"""Get and list, straight from the backend."""

from __future__ import annotations

from dataclasses import dataclass

from localplane.apiserver.storage.backend import Backend, KeyValue, Page, prefix_end
from localplane.apiserver.storage.continuation import AT_THE_PRESENT, decode_continue, encode_continue
from localplane.apiserver.storage.errors import (
    CorruptObject,
    InvalidContinueToken,
    KeyNotFound,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
)
from localplane.apiserver.storage.interface import ListOptions, Match, ObjectList
from localplane.apiserver.storage.keys import parse_resource_version
from localplane.apiserver.storage.objects import StoredObject

LIST_TOO_OLD = "The resourceVersion for the provided list is too old."
CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
    "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
    "modified, or deleted between the time the first chunk was returned and now may show up in the list."
)

_LARGEST_PAGE = 10_000


async def get(backend: Backend, key: str, *, resource_version: str) -> StoredObject:
    at_least = parse_resource_version(resource_version)
    found = await backend.get(key)
    if at_least > found.revision:
        raise ResourceVersionTooLarge(at_least, found.revision)
    if found.kv is None:
        raise KeyNotFound(key)
    return StoredObject.from_stored(key, found.kv.value, found.kv.revision)


@dataclass(frozen=True, slots=True)
class ListStart:
    """Where a list begins and which state it shows: `revision` 0 is the present, which must be `at_least` so new."""

    start: str
    revision: int
    at_least: int
    continued: bool


def list_start(prefix: str, options: ListOptions) -> ListStart:
    """What the options ask for; raises InvalidContinueToken, InvalidResourceVersion."""
    if options.recursive and options.continue_token:
        token = decode_continue(options.continue_token, prefix)
        if options.resource_version not in ("", "0"):
            raise InvalidContinueToken("specifying resource version is not allowed when using continue")
        return ListStart(token.start, max(token.revision, 0), 0, continued=True)
    wanted = parse_resource_version(options.resource_version)
    # A limit with a resourceVersion and no match has always meant that very version.
    legacy_exact = options.match is Match.UNSET and options.recursive and options.limit > 0
    if wanted and (options.match is Match.EXACT or legacy_exact):
        return ListStart(prefix, wanted, 0, continued=False)
    return ListStart(prefix, 0, wanted, continued=False)


async def list_objects(backend: Backend, prefix: str, options: ListOptions) -> ObjectList:
    begin = list_start(prefix, options)
    end = prefix_end(prefix) if options.recursive else prefix + "\x00"
    items: list[StoredObject] = []
    start, revision, limit = begin.start, begin.revision, options.limit
    while True:
        page = await _page(backend, start, end, limit=limit, revision=revision, prefix=prefix, begin=begin)
        if not revision:
            if begin.at_least > page.revision:
                raise ResourceVersionTooLarge(begin.at_least, page.revision)
            revision = page.revision
        for position, kv in enumerate(page.kvs):
            if options.limit and len(items) >= options.limit:
                # The page was larger than what was still wanted, because a predicate leaves things out.
                return _page_of(items, page.kvs[position - 1], prefix, revision, None)
            try:
                obj = StoredObject.from_stored(kv.key, kv.value, kv.revision)
            except CorruptObject:
                if options.only_readable:
                    continue
                raise
            if options.predicate is None or options.predicate(obj):
                items.append(obj)
        more = page.count - len(page.kvs)
        if not more:
            return ObjectList(items, revision)
        if options.limit and len(items) >= options.limit:
            return _page_of(items, page.kvs[-1], prefix, revision, more if options.predicate is None else None)
        start = page.kvs[-1].key + "\x00"
        limit = min(limit * 2, _LARGEST_PAGE) if limit else 0


def _page_of(
    items: list[StoredObject], last: KeyValue, prefix: str, revision: int, remaining: int | None
) -> ObjectList:
    token = encode_continue(last.key + "\x00", prefix, revision)
    return ObjectList(items, revision, token, remaining)


async def _page(
    backend: Backend, start: str, end: str, *, limit: int, revision: int, prefix: str, begin: ListStart
) -> Page:
    try:
        return await backend.range(start, end, limit=limit, revision=revision)
    except ResourceVersionTooOld as error:
        raise too_old(start, prefix, continued=begin.continued) from error


def too_old(start: str, prefix: str, *, continued: bool) -> ResourceVersionTooOld:
    """The error for a list whose revision is gone; a continued one gets a token to go on at the present."""
    if not continued:
        return ResourceVersionTooOld(LIST_TOO_OLD)
    if start == prefix:
        start += "/"  # an empty start would be no token: so one says that it begins at the very beginning
    token = encode_continue(start, prefix, AT_THE_PRESENT)
    return ResourceVersionTooOld(CONTINUE_TOO_OLD, continue_token=token)
