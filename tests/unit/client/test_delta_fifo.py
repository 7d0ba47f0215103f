"""What comes out of the queue of changes."""

from __future__ import annotations

import asyncio

from localplane.apimachinery.objects import JSONObject
from localplane.client.informers.delta_fifo import DeletedFinalStateUnknown, DeltaFIFO, Deltas
from localplane.client.informers.indexer import Indexer


def _object(name: str, version: int = 1) -> JSONObject:
    return {"metadata": {"name": name, "resourceVersion": str(version)}}


class Consumer:
    """Keeps what it is told, as an informer does."""

    def __init__(self) -> None:
        self.known = Indexer()
        self.fifo = DeltaFIFO(self.known)
        self.initial: list[bool] = []

    async def pop(self) -> tuple[str, list[str]]:
        popped: list[tuple[str, list[str]]] = []

        def process(key: str, deltas: Deltas, *, is_in_initial_list: bool) -> None:
            popped.append((key, [_word(delta.type.value, delta.object) for delta in deltas]))
            self.initial.append(is_in_initial_list)
            last = deltas[-1]
            if isinstance(last.object, DeletedFinalStateUnknown) or last.type.value == "Deleted":
                self.known.delete(key)
            else:
                self.known.put(key, last.object)

        async with asyncio.timeout(30):
            await self.fifo.pop(process)
        return popped[0]


def _word(kind: str, obj: JSONObject | DeletedFinalStateUnknown) -> str:
    if isinstance(obj, DeletedFinalStateUnknown):
        return f"{kind}? {obj.object['metadata']['resourceVersion']}"
    return f"{kind} {obj['metadata']['resourceVersion']}"


async def test_changes_of_one_object_come_together_and_objects_in_their_order() -> None:
    consumer = Consumer()
    consumer.fifo.add(_object("a", 1))
    consumer.fifo.add(_object("b", 2))
    consumer.fifo.update(_object("a", 3))
    consumer.fifo.delete(_object("a", 4))
    assert len(consumer.fifo) == 2
    assert await consumer.pop() == ("a", ["Added 1", "Updated 3", "Deleted 4"])
    assert await consumer.pop() == ("b", ["Added 2"])


async def test_whoever_pops_waits_for_a_change() -> None:
    consumer = Consumer()
    popping = asyncio.create_task(consumer.pop())
    await asyncio.sleep(0)
    consumer.fifo.add(_object("a"))
    assert await popping == ("a", ["Added 1"])


async def test_the_deletion_of_an_unknown_object_is_no_news() -> None:
    consumer = Consumer()
    consumer.fifo.delete(_object("a"))
    assert len(consumer.fifo) == 0


async def test_a_list_shows_what_is_gone_with_the_last_that_was_seen_of_it() -> None:
    consumer = Consumer()
    consumer.known.put("known", _object("known", 1))
    consumer.known.put("both", _object("both", 1))
    consumer.fifo.update(_object("both", 2))
    consumer.fifo.add(_object("queued", 3))
    consumer.fifo.replace([_object("kept", 9)])
    assert [await consumer.pop() for _ in range(4)] == [
        ("both", ["Updated 2", "Deleted? 2"]),
        ("queued", ["Added 3", "Deleted? 3"]),
        ("kept", ["Replaced 9"]),
        ("known", ["Deleted? 1"]),
    ]


async def test_of_two_deletions_the_one_that_knows_more_is_kept() -> None:
    consumer = Consumer()
    consumer.known.put("a", _object("a", 1))
    consumer.fifo.delete(_object("a", 2))
    consumer.fifo.replace([])
    assert await consumer.pop() == ("a", ["Deleted 2"])
    consumer.known.put("a", _object("a", 1))
    consumer.fifo.replace([])
    consumer.fifo.delete(_object("a", 2))
    assert await consumer.pop() == ("a", ["Deleted 2"])


async def test_an_object_that_comes_back_is_deleted_and_replaced() -> None:
    consumer = Consumer()
    consumer.known.put("a", _object("a", 1))
    consumer.fifo.delete(_object("a", 2))
    consumer.fifo.replace([_object("a", 3)])
    assert await consumer.pop() == ("a", ["Deleted 2", "Replaced 3"])


async def test_a_resync_shows_what_is_known_and_has_no_news() -> None:
    consumer = Consumer()
    consumer.known.put("quiet", _object("quiet", 1))
    consumer.known.put("busy", _object("busy", 1))
    consumer.fifo.update(_object("busy", 2))
    consumer.fifo.resync()
    consumer.fifo.resync()
    assert await consumer.pop() == ("busy", ["Updated 2"])
    assert await consumer.pop() == ("quiet", ["Sync 1"])
    assert len(consumer.fifo) == 0


async def test_the_first_list_is_synced_when_all_of_it_has_been_processed() -> None:
    consumer = Consumer()
    assert not consumer.fifo.synced.is_set()
    consumer.fifo.replace([_object("a"), _object("b")])
    await consumer.pop()
    assert not consumer.fifo.synced.is_set()
    await consumer.pop()
    assert consumer.fifo.synced.is_set()
    consumer.fifo.add(_object("c"))
    await consumer.pop()
    assert consumer.initial == [True, True, False]


async def test_an_empty_first_list_is_synced_at_once() -> None:
    consumer = Consumer()
    consumer.fifo.replace([])
    assert consumer.fifo.synced.is_set()


async def test_objects_are_transformed_once_and_tombstones_not_again() -> None:
    seen: list[str] = []

    def transform(obj: JSONObject) -> JSONObject:
        seen.append(obj["metadata"]["name"])
        return obj

    known = Indexer()
    fifo = DeltaFIFO(known, transform=transform)
    known.put("known", _object("known"))
    fifo.add(_object("a"))
    fifo.replace([_object("b")])
    fifo.resync()
    assert seen == ["a", "b"]
