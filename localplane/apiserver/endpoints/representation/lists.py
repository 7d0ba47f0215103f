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
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.long_work import HEAVY_BYTES, HEAVY_YAML_BYTES, Here
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.request import Response
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject

from .joined_items import AT_ONCE_BYTES, JoinedItems, joined, keep_list, kept_list, response
from .list_forms import ListForm
from .objects import json_of, versioned

Items = Sequence[Result]

_FEW = 64
_AT_ONCE = 512  # so many are looked at before anybody looks at the clock
_DATA = attrgetter("data")
_UNSTORED_BYTES = 2048  # an object that was never stored: nobody knows how large it is


async def plain_list(served: Served, listed: ObjectList | ResultList, meta: JSONObject, work: Here) -> Response:
    """From the finished bytes of its items, without parsing any of them."""
    opening = orjson.dumps({"kind": served.list_kind, "apiVersion": served.api_version, "metadata": meta})
    slices = work.slices()
    items = kept_list(listed, served.group_version, served.converter)
    if items is None:
        items = _small(served, listed)
        if items is None:
            items = _joined(served, await _finished(served, listed.items, work, slices))
        keep_list(listed, served.group_version, served.converter, items)
    return response(opening[:-1] + b',"items":[', items, b"]}\n", JSON.name, slices)


def _small(served: Served, listed: ObjectList | ResultList) -> JoinedItems | None:
    """What `_finished` and `_joined` make of a list that is short enough to be made in one go, and whose objects
    are all stored in the version that is served."""
    head, skip = served.stored_head, len(served.item_head)
    if head is None or not skip or len(listed.items) > _AT_ONCE or not isinstance(listed, ObjectList):
        return None
    stored = listed.items
    if sum(map(len, map(_DATA, stored))) > AT_ONCE_BYTES:
        return None
    tails = [data[skip:] for data in map(_DATA, stored) if data.startswith(head)]
    if len(tails) < len(stored):
        return None
    if tails:
        tails[0] = b"{" + tails[0]
    return JoinedItems.whole(b",{".join(tails))


def _joined(served: Served, finished: Sequence[bytes]) -> JoinedItems:
    count, size = len(finished), sum(map(len, finished))
    skip = len(served.item_head)
    if not skip:
        return joined(finished, b",".join, separator=b",", size=size + max(0, count - 1))
    size += count * (1 - skip) + max(0, count - 1)
    return joined(finished, lambda some: b"{" + b",{".join([data[skip:] for data in some]), separator=b",", size=size)


async def _finished(served: Served, items: Items, work: Here, slices: TimeSlices) -> Sequence[bytes]:
    """Each item as JSON of the version that is served. Where all are stored in it, that is a matter of taking them."""
    finished: list[bytes] = []
    if len(items) > _AT_ONCE:
        await slices.next()  # many who begin at once begin one after the other
    for start in range(0, len(items), _AT_ONCE):
        some = items[start : start + _AT_ONCE]
        found = _stored_so(served, some)
        if len(found) < len(some):
            found = await written_in_slices(some, partial(json_of, served), work, slices)
        finished += found
        if slices.is_over:
            await slices.next()
    return finished


def _stored_so(served: Served, items: Items) -> list[bytes]:
    head = served.stored_head
    if head is None:
        return []
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
    served: Served, cells: Callable[[Sequence[JSONObject]], list[list[Any]]], items: Items, work: Here
) -> list[list[Any]]:
    """The cells of all rows of a table, where they depend on one another."""
    slices, objects = work.slices(), []
    for item in items:
        objects.append(versioned(served, item))
        if slices.is_over:
            await slices.next()
    return cells(objects) if len(objects) <= _FEW else await work.elsewhere(partial(cells, objects))


async def formed_list(served: Served, listed: ObjectList | ResultList, form: ListForm, work: Here) -> Response:
    """Any other text."""
    most_bytes = HEAVY_YAML_BYTES if form.content_type == YAML.name else HEAVY_BYTES
    if len(listed.items) <= _FEW and sum(map(_size, listed.items)) <= most_bytes:
        return Response(200, form.whole(listed.items), form.content_type)
    slices = work.slices()
    await slices.next()  # as above
    await _check_versions(served, listed.items, slices)
    return Response(200, _written(form, listed.items, work, slices, most_bytes=most_bytes), form.content_type)


def _size(item: Result) -> int:
    return len(item.data) if isinstance(item, StoredObject) else _UNSTORED_BYTES


async def _check_versions(served: Served, items: Items, slices: TimeSlices) -> None:
    """Raises what reading an item raises, if its version is none that we know. A version stands at the beginning."""
    known = tuple(
        f'{{"kind":"{served.converter.kind}","apiVersion":"{version}",'.encode()
        for version in served.converter.api_versions
    )
    for start in range(0, len(items), _AT_ONCE):
        for item in items[start : start + _AT_ONCE]:
            if isinstance(item, StoredObject) and not item.data.startswith(known):
                versioned(served, item)
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
