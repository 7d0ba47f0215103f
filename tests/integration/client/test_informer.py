"""What handlers hear when all goes well, and when it doesn't."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta

import pytest
from aiohttp import web

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors import labels
from localplane.client.informers.handlers import FilteringHandler, HandlerFunctions
from localplane.client.informers.indexer import object_key
from localplane.client.informers.informer import SharedInformer
from localplane.client.informers.reflector import ReflectorOptions
from localplane.client.rest.client import Client
from tests.integration.client.fake_api import Decide, FakeAPI, Fault
from tests.integration.client.recording import (
    CONFIGMAPS,
    QUICKLY,
    Heard,
    Recorder,
    check_story,
    eventually,
    informer_of,
)

WATCH_LIST = pytest.mark.parametrize("watch_list", [True, False], ids=["watch-list", "list"])


@WATCH_LIST
async def test_the_first_state_comes_as_initial_adds_and_changes_follow(
    api: FakeAPI, client: Client, *, watch_list: bool
) -> None:
    first, second = api.put("a"), api.put("b")
    recorder = Recorder()
    informer = informer_of(client, use_watch_list=watch_list)
    registration = informer.add_handler(recorder)
    async with informer:
        await registration.wait_for_sync()
        assert [(heard.type, heard.initial) for heard in recorder.heard] == [("add", True), ("add", True)]
        assert informer.indexer.list() == [first, second]
        changed, created, gone = api.put("a", data={"x": "1"}), api.put("c"), api.remove("b")
        heard = await recorder.until_heard(5)
        assert heard[2:] == [
            Heard("update", "default/a", int(changed["metadata"]["resourceVersion"])),
            Heard("add", "default/c", int(created["metadata"]["resourceVersion"])),
            Heard("delete", "default/b", int(gone["metadata"]["resourceVersion"])),
        ]
        assert informer.indexer.list() == [created, changed] or informer.indexer.list() == [changed, created]
    assert api.lists() == (0 if watch_list else 1)


@WATCH_LIST
async def test_an_empty_collection_is_synced(api: FakeAPI, client: Client, *, watch_list: bool) -> None:
    informer = informer_of(client, use_watch_list=watch_list)
    registration = informer.add_handler(Recorder())
    async with informer:
        async with asyncio.timeout(30):
            await informer.wait_for_sync()
            await registration.wait_for_sync()
        assert informer.has_synced
        assert len(informer.indexer) == 0


async def test_two_handlers_share_one_watch(api: FakeAPI, client: Client) -> None:
    api.put("a")
    informer, recorders = informer_of(client), [Recorder(), Recorder()]
    for recorder in recorders:
        informer.add_handler(recorder)
    async with informer:
        for recorder in recorders:
            await recorder.until_heard(1)
        assert api.open_watches == 1
        assert len(api.requests) == 1


async def test_a_slow_handler_does_not_keep_others_waiting_and_misses_nothing(api: FakeAPI, client: Client) -> None:
    release, slow_versions = asyncio.Event(), list[str]()

    async def slowly(obj: JSONObject) -> None:
        await release.wait()
        slow_versions.append(obj["metadata"]["name"])

    informer, quick = informer_of(client), Recorder()
    slow = informer.add_handler(HandlerFunctions(add=slowly))
    informer.add_handler(quick)
    for number in range(300):
        api.put(f"object-{number}")
    async with informer:
        await quick.until_heard(300)
        assert slow_versions == []
        assert not slow.has_synced
        release.set()
        async with asyncio.timeout(30):
            await slow.wait_for_sync()
        assert slow_versions == [f"object-{number}" for number in range(300)]


async def test_a_late_handler_gets_an_add_for_everything_and_then_the_changes(api: FakeAPI, client: Client) -> None:
    api.put("a")
    early, late = Recorder(), Recorder()
    informer = informer_of(client)
    informer.add_handler(early)
    async with informer:
        api.put("b")
        await early.until_heard(2)
        registration = informer.add_handler(late)
        async with asyncio.timeout(30):
            await registration.wait_for_sync()
        assert [(heard.type, heard.key, heard.initial) for heard in late.heard] == [
            ("add", "default/a", True),
            ("add", "default/b", True),
        ]
        api.put("a")
        heard = await late.until_heard(3)
        assert heard[2].type == "update"


async def test_a_removed_handler_hears_nothing_more(api: FakeAPI, client: Client) -> None:
    gone, kept = Recorder(), Recorder()
    informer = informer_of(client)
    registration = informer.add_handler(gone)
    informer.add_handler(kept)
    async with informer:
        await informer.wait_for_sync()
        registration.remove()
        registration.remove()
        api.put("a")
        await kept.until_heard(1)
    assert gone.heard == []


async def test_each_handler_resyncs_at_its_own_pace(api: FakeAPI, client: Client) -> None:
    obj = api.put("a")
    version = int(obj["metadata"]["resourceVersion"])
    often, never = Recorder(), Recorder()
    informer = informer_of(client)
    informer.add_handler(often, resync=timedelta(milliseconds=20))
    informer.add_handler(never)
    async with informer:
        await often.until_heard(3)
        late = Recorder()
        informer.add_handler(late, resync=timedelta(milliseconds=20))
        await late.until_heard(2)
    assert often.of("default/a")[:3] == [("add", version), ("update", version), ("update", version)]
    assert late.of("default/a")[:2] == [("add", version), ("update", version)]
    assert never.of("default/a") == [("add", version)]


async def test_transform_sees_objects_before_anybody_else(api: FakeAPI, client: Client) -> None:
    api.put("a", data={"secret": "x"})

    def without_data(obj: JSONObject) -> JSONObject:
        obj.pop("data", None)
        return obj

    options = ReflectorOptions(backoff=QUICKLY)
    informer = SharedInformer(client.resource(CONFIGMAPS), transform=without_data, options=options)
    recorder = Recorder()
    informer.add_handler(recorder)
    async with informer:
        await informer.wait_for_sync()
        api.put("a", data={"secret": "y"})
        await recorder.until_heard(2)
        assert all("data" not in obj for obj in informer.indexer.list())


async def test_the_lister_reads_by_namespace_label_and_index(api: FakeAPI, client: Client) -> None:
    web_server = api.put("a", "one", metadata={"labels": {"app": "web"}})
    other = api.put("b", "one")
    elsewhere = api.put("a", "two")
    informer = informer_of(client)
    informer.indexer.add_indexers({"name": lambda obj: [obj["metadata"]["name"]]})
    async with informer:
        await informer.wait_for_sync()
        assert informer.lister.namespaced("one").list() == [web_server, other]
        assert informer.lister.namespaced("two").get("a") == elsewhere
        assert informer.lister.namespaced("two").get("b") is None
        assert informer.lister.list(labels.parse("app=web")) == [web_server]
        assert list(informer.indexer.index("name", "a")) == [web_server, elsewhere]


async def test_a_filter_turns_changes_into_adds_and_deletes(api: FakeAPI, client: Client) -> None:
    recorder = Recorder()
    informer = informer_of(client)
    informer.add_handler(FilteringHandler(lambda obj: obj.get("kept", False), recorder))
    async with informer:
        await informer.wait_for_sync()
        for kept in (False, True, True, False):
            api.put("a", kept=kept)
        api.remove("a")
        api.put("b", kept=True)
        await recorder.until(lambda: bool(recorder.of("default/b")))
    assert [kind for kind, _ in recorder.of("default/a")] == ["add", "update", "delete"]


async def test_a_handler_that_raises_is_logged_and_hears_of_the_next_object(
    api: FakeAPI, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    def fail_once(obj: JSONObject) -> None:
        heard.append(obj["metadata"]["name"])
        if len(heard) == 1:
            raise LookupError("not today")

    async def fail_late(obj: JSONObject) -> None:
        await asyncio.sleep(0)
        fail_once(obj)

    for name in ("a", "b"):
        api.put(name)
    informer = informer_of(client)
    registrations = [informer.add_handler(HandlerFunctions(add=each)) for each in (fail_once, fail_late)]
    async with informer:
        for registration in registrations:
            await registration.wait_for_sync()
    assert sorted(heard) == ["a", "a", "b", "b"]
    assert "default/a, failed: LookupError: not today" in caplog.text


async def test_what_a_block_raises_comes_out_unchanged(api: FakeAPI, client: Client) -> None:
    with pytest.raises(LookupError):
        async with informer_of(client):
            raise LookupError


async def test_stopping_leaves_no_task_and_no_watch(api: FakeAPI, client: Client) -> None:
    before = asyncio.all_tasks()
    async with informer_of(client) as informer:
        await informer.wait_for_sync()
        assert api.open_watches == 1
    left = {task for task in asyncio.all_tasks() - before if "informer" in repr(task.get_coro())}
    assert left == set()
    await eventually(lambda: api.open_watches == 0)


@pytest.mark.parametrize("mode", ["refused", "ignored"])
async def test_a_server_without_watch_lists_is_listed(api: FakeAPI, client: Client, mode: str) -> None:
    api.watch_lists = mode
    api.put("a")
    recorder = Recorder()
    informer = informer_of(client, initial_silence=timedelta(milliseconds=100))
    informer.add_handler(recorder)
    async with informer:
        await informer.wait_for_sync()
        api.put("b")
        await recorder.until_heard(2)
        assert api.count(sendInitialEvents="true") == 1
        assert api.lists() == 1


@WATCH_LIST
async def test_an_expired_watch_lists_again_and_finds_what_was_deleted(
    api: FakeAPI, client: Client, *, watch_list: bool
) -> None:
    api.put("kept"), api.put("changed"), api.put("deleted"), api.put("replaced")
    recorder = Recorder()
    informer = informer_of(client, use_watch_list=watch_list)
    informer.add_handler(recorder)
    gone = asyncio.Event()
    async with informer:
        await recorder.until_heard(4)
        old = {obj["metadata"]["name"]: obj for obj in informer.indexer.list()}
        # The connection is cut, and nobody is let in until the past is forgotten.
        api.decide = lambda _: Fault(hold=gone)
        await _cut_watches(api)
        changed, created = api.put("changed"), api.put("created")
        api.remove("deleted")
        api.remove("replaced")
        replaced = api.put("replaced")
        api.compact()
        api.decide = lambda _: None
        gone.set()
        await recorder.until_heard(8)
        assert informer.indexer.get("default/kept") == old["kept"]
    news = {heard.key: heard for heard in recorder.heard[4:]}
    assert len(recorder.heard) == 8
    assert news == {
        "default/changed": Heard("update", "default/changed", _version(changed)),
        "default/created": Heard("add", "default/created", _version(created)),
        "default/replaced": Heard("update", "default/replaced", _version(replaced)),
        "default/deleted": Heard("delete", "default/deleted", _version(old["deleted"]), tombstone=True),
    }


async def test_a_cut_watch_goes_on_where_it_was_without_a_new_list(api: FakeAPI, client: Client) -> None:
    recorder = Recorder()
    informer = informer_of(client)
    informer.add_handler(recorder)
    async with informer:
        await informer.wait_for_sync()
        for number in range(5):
            api.put("a", data={"number": str(number)})
            await recorder.until_heard(number + 1)
            await _cut_watches(api)
    versions = [change.version for change in api.history]
    assert recorder.of("default/a") == [("add", versions[0]), *(("update", version) for version in versions[1:])]
    assert api.count(sendInitialEvents="true") == 1
    assert api.lists() == 0


async def test_a_server_that_was_away_is_watched_on_without_a_new_list(api: FakeAPI, client: Client) -> None:
    api.put("a"), api.put("b")
    recorder = Recorder()
    informer = informer_of(client)
    informer.add_handler(recorder)
    async with informer:
        await recorder.until_heard(2)
        await api.stop()
        api.remove("a")
        api.put("b")
        await asyncio.sleep(0.05)  # time to find the door closed, several times
        await api.start(api.port)
        heard = await recorder.until_heard(4)
    assert [(one.type, one.key, one.tombstone) for one in heard[2:]] == [
        ("delete", "default/a", False),
        ("update", "default/b", False),
    ]
    assert api.count(sendInitialEvents="true") == 1
    assert api.lists() == 0


async def test_a_cut_at_any_byte_loses_and_repeats_nothing(api: FakeAPI, client: Client) -> None:
    for cut in range(0, 600, 7):
        api.history.clear()
        api.objects.clear()
        api.requests.clear()
        recorder = Recorder()
        informer = informer_of(client, use_watch_list=False)
        informer.add_handler(recorder)
        api.decide = _cutting_one_watch(cut)
        async with informer:
            await informer.wait_for_sync()
            api.put("a"), api.put("b"), api.put("a"), api.remove("b"), api.put("b")
            await recorder.until_heard(5)
        assert api.lists() == 1, f"a new list after a cut at {cut}"
        assert api.count(watch="true") > 1
        for key in ("default/a", "default/b"):
            assert recorder.of(key) == _truth(api, key), f"after a cut at {cut}"


def _cutting_one_watch(cut: int) -> Decide:
    faults = [Fault(cut_after=cut)]
    return lambda request: faults.pop() if faults and "watch" in request.query else None


async def test_bookmarks_move_the_version_to_resume_from(api: FakeAPI, client: Client) -> None:
    informer = informer_of(client)
    async with informer:
        await informer.wait_for_sync()
        other = api.put("a", resource="secrets")
        api.bookmark()
        await eventually(lambda: informer.last_sync_resource_version == other["metadata"]["resourceVersion"])
        api.compact()
        await _cut_watches(api)
        recorder = Recorder()
        informer.add_handler(recorder)
        api.put("b")
        await recorder.until_heard(1)
    assert api.count(sendInitialEvents="true") == 1
    assert api.lists() == 0


async def test_a_server_that_went_back_in_time_is_listed_afresh(api: FakeAPI, client: Client) -> None:
    api.put("a"), api.put("b")
    recorder = Recorder()
    informer = informer_of(client, use_watch_list=False)
    informer.add_handler(recorder)
    async with informer:
        await recorder.until_heard(2)
        # Restored from a copy that has not seen b; versions as high as ours are in the future.
        del api.history[1:]
        api.version -= 1
        api.compacted = 10**6
        await _cut_watches(api)
        await recorder.until_heard(3)
        assert recorder.heard[2].type == "delete"
        assert recorder.heard[2].key == "default/b"


@pytest.mark.parametrize("seed", range(6))
@WATCH_LIST
async def test_handlers_end_with_the_truth_whatever_happens_on_the_way(
    api: FakeAPI, client: Client, seed: int, *, watch_list: bool
) -> None:
    """Random changes, cuts at random bytes, refusals, compactions: no handler sees an object's story out of order."""
    chance = random.Random(seed)
    early, late = Recorder(), Recorder()
    informer = informer_of(client, use_watch_list=watch_list, page_size=chance.choice([0, 2]))
    informer.add_handler(early)
    for number in range(3):
        api.put(f"object-{number}")
    api.decide = _misbehaving(chance)
    async with informer:
        await _live(api, chance, steps=60)
        informer.add_handler(late)
        await _live(api, chance, steps=60)
        api.decide = lambda _: None
        truth = {key: _version(obj) for key, obj in api.objects["configmaps"].items()}
        await early.until(lambda: _final(early.heard) == truth)
        await late.until(lambda: _final(late.heard) == truth)
        assert {object_key(obj): obj for obj in informer.indexer.list()} == api.objects["configmaps"]
        await asyncio.sleep(0.01)  # what should not come has the time to
    for recorder in (early, late):
        check_story(recorder.heard)
        assert _final(recorder.heard) == truth


def _misbehaving(chance: random.Random) -> Decide:
    def decide(_: web.Request) -> Fault | None:
        roll = chance.random()
        if roll < 0.5:
            return Fault(cut_after=chance.randrange(1500))
        if roll < 0.6:
            return Fault(status=429, headers={"Retry-After": "0"})
        return Fault(status=500) if roll < 0.7 else None

    return decide


async def _live(api: FakeAPI, chance: random.Random, *, steps: int) -> None:
    for _ in range(steps):
        name = f"object-{chance.randrange(6)}"
        if f"default/{name}" in api.objects["configmaps"] and chance.random() < 0.3:
            api.remove(name)
        else:
            api.put(name, data={"padding": "x" * chance.randrange(80)})
        if chance.random() < 0.05:
            api.compact()
        if chance.random() < 0.1:
            api.bookmark()
        if chance.random() < 0.3:
            await asyncio.sleep(chance.random() * 0.004)


async def _cut_watches(api: FakeAPI) -> None:
    for request in api.requests:
        if "watch" in request.query and request.transport is not None:
            request.transport.close()
    await asyncio.sleep(0)


def _final(heard: list[Heard]) -> dict[str, int]:
    state: dict[str, int] = {}
    for one in heard:
        state.pop(one.key, None)
        if one.type != "delete":
            state[one.key] = one.version
    return state


def _truth(api: FakeAPI, key: str) -> list[tuple[str, int]]:
    words = {"ADDED": "add", "MODIFIED": "update", "DELETED": "delete"}
    return [
        (words[change.type], change.version)
        for change in api.history
        if f"{change.object['metadata']['namespace']}/{change.object['metadata']['name']}" == key
    ]


def _version(obj: JSONObject) -> int:
    return int(obj["metadata"]["resourceVersion"])
