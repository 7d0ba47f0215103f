"""A list on its way to an answer: a small one at once, a large one in slices, so that nobody waits for its end.

A list is one snapshot, however long it takes to send: its objects are taken together and never change. What can fail is
done before the first byte is out: from then on only a cut connection could tell the client.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import orjson

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.media_types import JSON, YAML
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.long_work import HEAVY_BYTES, HEAVY_YAML_BYTES, Here
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.request import Response
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject

from .joining import AT_ONCE_BYTES, JoinedItems, joined, keep_list, kept_list, response
from .list_forms import ListForm
from .representation import json_of, versioned
from .scope import Scope

Items = Sequence[Result]

_FEW = 64
_AT_ONCE = 512  # so many are looked at before anybody looks at the clock
_DATA = attrgetter("data")
_UNSTORED_BYTES = 2048  # an object that was never stored: nobody knows how large it is


async def plain_list(scope: Scope, listed: ObjectList | ResultList, meta: JSONObject, work: Here) -> Response:
    """From the finished bytes of its items, without parsing any of them."""
    opening = orjson.dumps({"kind": scope.list_kind, "apiVersion": scope.api_version, "metadata": meta})
    slices = work.slices()
    items = kept_list(listed, scope.group_version, scope.converter)
    if items is None:
        items = _small(scope, listed)
        if items is None:
            items = _joined(scope, await _finished(scope, listed.items, work, slices))
        keep_list(listed, scope.group_version, scope.converter, items)
    return response(opening[:-1] + b',"items":[', items, b"]}\n", JSON.name, slices)


def _small(scope: Scope, listed: ObjectList | ResultList) -> JoinedItems | None:
    """What `_finished` and `_joined` make of a list that is short enough to be made in one go, and whose objects
    are all stored in the scope's version."""
    if not scope.typed or len(listed.items) > _AT_ONCE or not isinstance(listed, ObjectList):
        return None
    stored = listed.items
    if sum(map(len, map(_DATA, stored))) > AT_ONCE_BYTES:
        return None
    head, skip = scope.head, len(scope.head)
    tails = [data[skip:] for data in map(_DATA, stored) if data.startswith(head)]
    if len(tails) < len(stored):
        return None
    if tails:
        tails[0] = b"{" + tails[0]
    return JoinedItems.whole(b",{".join(tails))


def _joined(scope: Scope, finished: Sequence[bytes]) -> JoinedItems:
    """Items of typed kinds leave out their head."""
    count, size = len(finished), sum(map(len, finished))
    if not scope.typed:
        return joined(finished, b",".join, separator=b",", size=size + max(0, count - 1))
    skip = len(scope.head)
    size += count * (1 - skip) + max(0, count - 1)
    return joined(finished, lambda some: b"{" + b",{".join([data[skip:] for data in some]), separator=b",", size=size)


async def _finished(scope: Scope, items: Items, work: Here, slices: TimeSlices) -> Sequence[bytes]:
    """Each item as JSON of the scope's version. Where all are stored in it, that is a matter of taking them."""
    finished: list[bytes] = []
    if len(items) > _AT_ONCE:
        await slices.next()  # many who begin at once begin one after the other
    for start in range(0, len(items), _AT_ONCE):
        some = items[start : start + _AT_ONCE]
        found = _stored_so(scope, some) if scope.typed else []
        if len(found) < len(some):
            found = await written_in_slices(some, partial(json_of, scope), work, slices)
        finished += found
        if slices.is_over:
            await slices.next()
    return finished


def _stored_so(scope: Scope, items: Items) -> list[bytes]:
    head = scope.head
    return [item.data for item in items if isinstance(item, StoredObject) and item.data.startswith(head)]


async def written_in_slices(
    items: Items, write: Callable[[Result], bytes], work: Here, slices: TimeSlices
) -> list[bytes]:
    written = []
    if len(items) > _AT_ONCE:
        await slices.next()
    for item in items:
        if isinstance(item, StoredObject) and len(item.data) > HEAVY_BYTES:
            written.append(await work.elsewhere(partial(write, item)))
        else:
            written.append(write(item))
        if slices.is_over:
            await slices.next()
    return written


async def list_cells(
    scope: Scope, cells: Callable[[Sequence[JSONObject]], list[list[Any]]], items: Items, work: Here
) -> list[list[Any]]:
    """The cells of all rows of a table, where they depend on one another."""
    slices, objects = work.slices(), []
    for item in items:
        objects.append(versioned(scope, item))
        if slices.is_over:
            await slices.next()
    return cells(objects) if len(objects) <= _FEW else await work.elsewhere(partial(cells, objects))


async def formed_list(scope: Scope, listed: ObjectList | ResultList, form: ListForm, work: Here) -> Response:
    """Any other text."""
    most_bytes = HEAVY_YAML_BYTES if form.content_type == YAML.name else HEAVY_BYTES
    if len(listed.items) <= _FEW and sum(map(_size, listed.items)) <= most_bytes:
        return Response(200, form.whole(listed.items), form.content_type)
    slices = work.slices()
    await slices.next()  # as above
    await _check_versions(scope, listed.items, slices)
    return Response(200, _written(form, listed.items, work, slices, most_bytes=most_bytes), form.content_type)


def _size(item: Result) -> int:
    return len(item.data) if isinstance(item, StoredObject) else _UNSTORED_BYTES


async def _check_versions(scope: Scope, items: Items, slices: TimeSlices) -> None:
    """Raises what reading an item raises, if its version is none that we know. A version stands at the beginning."""
    known = tuple(
        f'{{"kind":"{scope.converter.kind}","apiVersion":"{version}",'.encode()
        for version in scope.converter.api_versions
    )
    for start in range(0, len(items), _AT_ONCE):
        for item in items[start : start + _AT_ONCE]:
            if isinstance(item, StoredObject) and not item.data.startswith(known):
                versioned(scope, item)
        if slices.is_over:
            await slices.next()


async def _written(
    form: ListForm, items: Items, work: Here, slices: TimeSlices, *, most_bytes: int
) -> AsyncIterator[bytes]:
    made, separator = [form.opening], b""
    for item in items:
        if _size(item) > most_bytes:
            data = await work.elsewhere(partial(form.write, item))
        else:
            data = form.write(item)
        made += (separator, data)
        separator = form.separator
        if slices.is_over:
            yield b"".join(made)
            made.clear()
            await slices.next()
    yield b"".join((*made, form.closing))
