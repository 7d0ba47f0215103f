"""A copy of a collection, kept current: a list, then a watch from the list's version, for ever.

    list or WatchList  ->  store.replacement of everything
    watch              ->  store.add / update / delete, and the version to resume from
    a watch that ends  ->  another one from there, without a new list
    410, or no news    ->  list again; the replacement finds out what was deleted meanwhile

Kubernetes: client-go/tools/cache/reflector.go.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from localplane.apimachinery.errors import APIError, BadRequest, Expired, Invalid, TooManyRequests
from localplane.apimachinery.time_slices import TimeSlices
from localplane.client.errors import ClientError, ConnectionFailed, ConnectionLost, ConnectionRefused, InvalidAnswer
from localplane.client.rest.options import ListOptions
from localplane.client.rest.paging import list_all
from localplane.client.rest.watch import WatchEvent, WatchStream
from localplane.client.workqueue.rate_limiters import Backoff, BackoffPolicy

from .list_watch import ListerWatcher, ReflectorStore

_log = logging.getLogger(__name__)

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
_PAGE: Final = 500
_SHORT: Final = 1.0
_GRACE: Final = timedelta(seconds=30)
_FRUITLESS_AT_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class ReflectorOptions:
    """`page_size` 0 pages only lists that can't come from the server's cache. With `use_watch_list` the first state
    is streamed where the server can do it; one that sends nothing for `initial_silence` is taken not to be able to.
    """

    page_size: int = 0
    use_watch_list: bool = True
    watch_timeout: timedelta = timedelta(minutes=5)
    initial_silence: timedelta = timedelta(seconds=30)
    backoff: BackoffPolicy = field(default_factory=BackoffPolicy)
    on_error: Callable[[Exception], None] | None = None


class Reflector:
    """`run` it in a task; cancelling the task is how it stops."""

    def __init__(self, source: ListerWatcher, store: ReflectorStore, options: ReflectorOptions | None = None) -> None:
        self._source = source
        self._store = store
        self._options = options or ReflectorOptions()
        self._backoff = Backoff(self._options.backoff)
        self._watch_list = self._options.use_watch_list
        self._version_unavailable = False
        self._paged = False
        self.last_sync_resource_version = ""

    async def run(self) -> None:
        """What goes wrong is reported and tried again; only cancelling ends it, or a store that raises."""
        while True:
            try:
                await self._list_and_watch()
            except (APIError, ClientError) as error:
                self._report(error)
            await self._pause()

    def _report(self, error: Exception) -> None:
        if self._options.on_error is not None:
            self._options.on_error(error)
        else:
            _log.warning("failed to list or watch: %s", error)

    async def _pause(self) -> None:
        await asyncio.sleep(self._backoff.pause().total_seconds())

    async def _list_and_watch(self) -> None:
        stream = await self._try_watch_list() if self._watch_list else None
        if stream is None:
            await self._list()
        await self._watch_on(stream)

    # The first state

    async def _try_watch_list(self) -> WatchStream | None:
        """The stream, which goes on after the first state; None if only a list will do."""
        try:
            return await self._stream_initial_state()
        except (ConnectionRefused, TooManyRequests):
            raise  # a list would fare no better
        except (BadRequest, Invalid, _Silence) as error:
            _log.debug("the server has no watch lists: %s", error)
            self._watch_list = False
        except (APIError, ClientError) as error:
            _log.debug("falling back to a list: %s", error)
        return None

    async def _stream_initial_state(self) -> WatchStream:
        try:
            return await self._stream_since(self._at_least())
        except APIError as error:
            if not _is_version_unavailable(error):
                raise
        self._version_unavailable = True
        return await self._stream_since("")

    async def _stream_since(self, version: str) -> WatchStream:
        stream = self._source.watch(
            ListOptions(
                resource_version=version,
                resource_version_match="NotOlderThan",
                send_initial_events=True,
                allow_watch_bookmarks=True,
                timeout=self._watch_timeout(),
            )
        )
        try:
            await self._take_initial_state(stream)
        except BaseException:
            await stream.close()
            raise
        return stream

    async def _take_initial_state(self, stream: WatchStream) -> None:
        """The objects before the bookmark that ends the first state. The bookmark has its version."""
        replacement, slices = self._store.replacement(), TimeSlices()
        while True:
            if slices.is_over:  # a server in this process may have all of them at once
                await slices.next()
            try:
                async with asyncio.timeout(self._options.initial_silence.total_seconds()):
                    event = await anext(stream)
            except TimeoutError as error:
                raise _Silence("the end of the initial events did not come") from error
            except StopAsyncIteration:
                raise ConnectionLost("the watch ended within its initial events") from None
            match event.type:
                case "ADDED" | "MODIFIED":
                    replacement.add(event.object)
                case "DELETED":
                    replacement.discard(event.object)
                case "BOOKMARK" if _ends_initial_events(event):
                    replacement.finish()
                    self._note_replaced(event.resource_version)
                    return

    async def _list(self) -> None:
        version = "" if self._version_unavailable else self.last_sync_resource_version or "0"
        try:
            collection = await list_all(self._source.list, self._list_options(version))
        except APIError as error:
            if not _is_version_unavailable(error):
                raise
            self._version_unavailable = True
            collection = await list_all(self._source.list, self._list_options(""))
        # A server that pages its answer to "0" has no cache, so later lists may as well be paged.
        self._paged = self._paged or (version == "0" and collection.paged)
        replacement, slices = self._store.replacement(), TimeSlices()
        for obj in collection.items:
            replacement.add(obj)
            if slices.is_over:
                await slices.next()
        replacement.finish()
        self._note_replaced(collection.resource_version)

    def _list_options(self, version: str) -> ListOptions:
        from_cache = version not in ("", "0") and not self._paged
        limit = self._options.page_size or (0 if from_cache else _PAGE)
        return ListOptions(resource_version=version, limit=limit)

    def _at_least(self) -> str:
        """The version that a new first state must not be older than."""
        return "" if self._version_unavailable else self.last_sync_resource_version

    def _note_replaced(self, version: str) -> None:
        self._version_unavailable = False
        self.last_sync_resource_version = version

    # From there on

    async def _watch_on(self, stream: WatchStream | None) -> None:
        """Watch after watch, until only a new list helps. Raises APIError for what another watch won't cure."""
        fruitless = 0
        while fruitless <= _FRUITLESS_AT_MOST:
            since = self.last_sync_resource_version
            follow = _Follow(self._store, follows_versions=since not in ("", "0"))
            started = asyncio.get_running_loop().time()
            try:
                await self._follow(stream or self._source.watch(self._watch_options(since)), follow)
            except Expired as error:
                _log.debug("the watch's version has expired: %s", error)
                return
            except (ConnectionRefused, TooManyRequests) as error:
                # Nobody is there or they are busy: the version will still be good when they are back.
                _log.debug("the watch is tried again: %s", error)
                started = float("-inf")
                await self._pause()
            except (ConnectionFailed, InvalidAnswer) as error:
                _log.debug("the watch was cut: %s", error)
            stream = None
            if follow.events or asyncio.get_running_loop().time() - started > _SHORT:
                fruitless = 0
            else:
                fruitless += 1  # it may be that this version is the problem
                await self._pause()

    async def _follow(self, stream: WatchStream, follow: _Follow) -> None:
        """A server that neither speaks nor hangs up at the agreed time is gone."""
        limit = 2 * self._options.watch_timeout + _GRACE
        try:
            slices = TimeSlices()
            async with asyncio.timeout(limit.total_seconds()), stream:
                async for event in stream:
                    if slices.is_over:
                        await slices.next()
                    follow.apply(event)
                    self.last_sync_resource_version = follow.version or self.last_sync_resource_version
        except TimeoutError as error:
            raise ConnectionLost("the watch did not end in time") from error

    def _watch_options(self, version: str) -> ListOptions:
        return ListOptions(resource_version=version, allow_watch_bookmarks=True, timeout=self._watch_timeout())

    def _watch_timeout(self) -> timedelta:
        """Not the same for all, or all would come back at once."""
        return self._options.watch_timeout * (1.0 + random.random())  # noqa: S311 - no secret


@dataclass(slots=True)
class _Follow:
    """The events of one watch on their way into the store. `version` is where the next watch may start.

    A watch from no version begins with objects in any order: their versions mean nothing until the first change.
    """

    store: ReflectorStore
    follows_versions: bool
    version: str = ""
    events: int = 0

    def apply(self, event: WatchEvent) -> None:
        match event.type:
            case "ADDED":
                self.store.add(event.object)
            case "MODIFIED":
                self.store.update(event.object)
            case "DELETED":
                self.store.delete(event.object)
            case "BOOKMARK":
                pass
            case _:
                _log.warning("unknown watch event %s", event.type)
                return
        self.events += 1
        self.follows_versions = self.follows_versions or event.type != "ADDED"
        if self.follows_versions:
            self.version = event.resource_version


class _Silence(ClientError):
    """A server that ignored the wish for initial events would let us wait for ever."""


def _ends_initial_events(event: WatchEvent) -> bool:
    annotations = event.object.get("metadata", {}).get("annotations") or {}
    return bool(annotations.get(INITIAL_EVENTS_END) == "true")


def _is_version_unavailable(error: APIError) -> bool:
    """Too old, or from the future: a server that was restored from an older copy says that."""
    return isinstance(error, Expired) or any(cause.reason == "ResourceVersionTooLarge" for cause in error.causes)
