"""Keeping up with several collections at once, until somebody has seen enough."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta

from kctl.session.session import Session
from kctl.views.watch.changes import Known, View
from kctl.views.watch.rows import Collection
from kctl.views.watch.sources import Source
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConfigError, CredentialsError, TLSFailed
from localplane.client.informers.reflector import Reflector, ReflectorOptions
from localplane.client.workqueue.rate_limiters import BackoffPolicy

_BACKOFF = BackoffPolicy(initial=timedelta(milliseconds=200), maximum=timedelta(seconds=5))
"""Shorter than a controller's: a person is waiting, and there is only one of them."""


_LASTING = (401, 403, 404, 405, 406)
"""Answers that another attempt won't change."""


async def follow(
    session: Session, sources: Sequence[Source], view: View, stop: asyncio.Event, *, as_rows: bool, must_exist: bool
) -> None:
    """Until `stop` is set. Raises an ExceptionGroup with what can't be had; with `must_exist` that may be a name."""

    async def run_all() -> None:
        """One begins when the one before has shown what is there, so what comes first is always the same."""
        async with asyncio.TaskGroup() as group:
            for source in sources:
                follower = _Follower(session, source, view, as_rows=as_rows, must_exist=must_exist)
                group.create_task(follower.run())
                await follower.synced.wait()

    async with asyncio.TaskGroup() as group:
        running = group.create_task(run_all())
        await stop.wait()
        running.cancel()


class _Replacement:
    """What is there is shown when all of it is known."""

    def __init__(self, finished: Callable[[list[JSONObject]], None]) -> None:
        self._finished = finished
        self._objects: list[JSONObject] = []

    def add(self, obj: JSONObject) -> None:
        self._objects.append(obj)

    def discard(self, obj: JSONObject) -> None:
        self._objects.remove(obj)

    def finish(self) -> None:
        self._finished(self._objects)


class _Follower:
    """One source. `synced` is set when its first state was shown. It is its reflector's store."""

    def __init__(self, session: Session, source: Source, view: View, *, as_rows: bool, must_exist: bool) -> None:
        self.synced = asyncio.Event()
        self._source = source
        self._view = view
        self._known = Known(source, view)
        self._must_exist = must_exist and bool(source.name)
        resource = session.client.resource(source.mapping.resource, source.namespace)
        collection = Collection(resource, source, as_rows=as_rows, hear=self._hear)
        options = ReflectorOptions(use_watch_list=False, backoff=_BACKOFF, on_error=self._judge)
        self._reflector = Reflector(collection, self, options)

    async def run(self) -> None:
        """For ever, or until what is asked for can't be had. Raises APIError and ClientError."""
        await self._reflector.run()

    def add(self, obj: JSONObject) -> None:
        self._known.add(obj)

    def update(self, obj: JSONObject) -> None:
        self._known.update(obj)

    def delete(self, obj: JSONObject) -> None:
        self._known.delete(obj)

    def replacement(self) -> _Replacement:
        return _Replacement(self.replace)

    def replace(self, objects: list[JSONObject]) -> None:
        if self._must_exist and not objects and not self.synced.is_set():
            raise NotFound.of(self._source.mapping.resource.group_resource, self._source.name)
        self._known.replace(objects)
        self.synced.set()

    def _hear(self, problem: str) -> None:
        if self.synced.is_set():
            self._view.connected(self._source, problem)

    def _judge(self, error: Exception) -> None:
        """Who comes for the first time hears why it does not work; later only what will not pass is the end."""
        lasting = isinstance(error, APIError) and error.code in _LASTING
        if not self.synced.is_set() or lasting or isinstance(error, (ConfigError, CredentialsError, TLSFailed)):
            raise error
        self._view.connected(self._source, str(error))
