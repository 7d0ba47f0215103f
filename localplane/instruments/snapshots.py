"""/localplane/v1/snapshots: GET takes a snapshot of the plane and sends it, POST restores the one that was sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Final

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.request import Answer, BodyTooLarge, Request, Response
from localplane.apiserver.storage.archive import Archive
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.snapshot import SnapshotDamaged, decode

from .table import allow, answer_json, missing

_MOST_BYTES: Final = 2 << 30
_TYPE: Final = "application/octet-stream"


class Snapshots:
    """The instrument. `plane` and `store` are what snapshots say of where they were taken."""

    def __init__(self, archive: Archive, *, plane: str, store: Callable[[], str]) -> None:
        self._archive = archive
        self._plane = plane
        self._store = store

    async def handle(self, request: Request, rest: str) -> Answer:
        if rest:
            raise missing("snapshots are taken and restored as a whole: there is nothing below this path")
        allow(request, "GET", "POST")
        try:
            return await (self._restore(request) if request.method == "POST" else self._take())
        except StorageError as error:
            raise interpret_list(error) from error

    async def _take(self) -> Answer:
        taken = await self._archive.take()
        return Response(200, _in_slices(taken.encoded(plane=self._plane, store=self._store())), _TYPE)

    async def _restore(self, request: Request) -> Answer:
        try:
            body = await request.read_body(_MOST_BYTES)
        except BodyTooLarge as error:
            raise BadRequest(f"a snapshot may have {_MOST_BYTES >> 30} GiB at most") from error
        try:
            snapshot = await request.work.elsewhere(partial(decode, body))
        except SnapshotDamaged as error:
            raise BadRequest(f"what was sent {error}") from error
        revision = await self._archive.restore(snapshot)
        return answer_json({"revision": revision, "objects": len(snapshot.objects)})


async def _in_slices(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    slices = TimeSlices()
    for piece in pieces:
        yield piece
        if slices.is_over:
            await slices.next()
