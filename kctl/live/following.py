"""Keeping up with several collections at once, until somebody has seen enough."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from localplane.apimachinery.errors import APIError, NotFound
from localplane.client.backoff import BackoffPolicy
from localplane.client.errors import ConfigError, CredentialsError, TLSFailed
from localplane.client.reflector import Reflector, ReflectorOptions

from .changes import Known, View
from .rows import Collection, Columns
from .sources import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.session import Session

_BACKOFF = BackoffPolicy(initial=timedelta(milliseconds=200), maximum=timedelta(seconds=5))
"""Shorter than a controller's: a person is waiting, and there is only one of them."""
_LASTING = (401, 403, 404, 405, 406)
"""Answers that another attempt won't change."""


class Follower:
    """One source. `synced` is set when its first state was shown."""

    def __init__(self, session: Session, source: Source, view: View, *, as_rows: bool) -> None:
        self.source = source
        self.synced = asyncio.Event()
        self._view = view
        self._known = Known(source, view)
        resource = session.client.resource(source.mapping.resource, source.namespace)
        self._collection = Collection(resource, source, as_rows=as_rows, hear=self._hear)
        options = ReflectorOptions(use_watch_list=False, backoff=_BACKOFF, on_error=self._judge)
        self._reflector = Reflector(self._collection, self, options)

    @property
    def columns(self) -> Columns:
        return self._collection.columns

    async def run(self, *, must_exist: bool) -> None:
        """For ever, or until what is asked for can't be had. Raises APIError and ClientError."""
        self._must_exist = must_exist and bool(self.source.name)
        await self._reflector.run()

    # A reflector's store.

    def add(self, obj: dict[str, object]) -> None:
        self._known.add(obj)

    def update(self, obj: dict[str, object]) -> None:
        self._known.update(obj)

    def delete(self, obj: dict[str, object]) -> None:
        self._known.delete(obj)

    def replace(self, objects: Sequence[dict[str, object]]) -> None:  # type: ignore[override]
        self._known.replace(objects)
        if self._must_exist and not len(self._known):
            raise NotFound(self.source.mapping.resource.group_resource, self.source.name)
        self._must_exist = False
        self.synced.set()
