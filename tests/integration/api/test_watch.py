"""Watch: what happens, once, in order, from where the client says."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import quote

import pytest

from tests.integration.api.talk import API, named
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, config_map, cron_tab

END = {"k8s.io/initial-events-end": "true"}


async def test_from_a_version_on_come_just_the_later_events(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    changed = await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
    await api.post(CONFIG_MAPS, config_map("b"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={created.version}")
    await api.delete(f"{CONFIG_MAPS}/a")
    events = await watch.take(3)
    assert [named(event) for event in events] == [("MODIFIED", "a"), ("ADDED", "b"), ("DELETED", "a")]
    assert events[0]["object"] == changed.body
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions))
    assert versions[-1] == api.revision
    assert events[2]["object"]["data"] == {"k": "v"}
    await watch.close()


@pytest.mark.parametrize("query", ["", "&resourceVersion=0", "&resourceVersion="])
async def test_without_a_version_it_begins_with_what_is_there(api: API, query: str) -> None:
    for name in "ab":
        await api.post(CONFIG_MAPS, config_map(name))
    await api.get(CONFIG_MAPS)
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1{query}")
    await api.post(CONFIG_MAPS, config_map("c"))
    assert [named(event) for event in await watch.take(3)] == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
    await watch.close()


@pytest.mark.parametrize(
    ("watch", "streams"), [("1", True), ("", True), ("banana", True), ("0", False), ("False", False)]
)
async def test_what_counts_as_a_wish_to_watch(api: API, watch: str, *, streams: bool) -> None:
    reply = await api.get(f"{CONFIG_MAPS}?watch={watch}&timeoutSeconds=-1")
    assert reply.status == 200
    assert (b"ConfigMapList" not in reply.data) is streams


async def test_a_line_is_a_document(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "one\ntwo"}))
    await api.post(CONFIG_MAPS, config_map("b"))
    reply = await api.get(f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1")
    lines = reply.data.split(b"\n")
    assert lines.pop() == b""
    assert [json.loads(line)["type"] for line in lines] == ["ADDED", "ADDED"]
    assert reply.content_type == "application/json"


async def test_it_ends_when_its_time_is_over(api: API) -> None:
    began = asyncio.get_running_loop().time()
    reply = await api.get(f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1")
    assert (reply.status, reply.data) == (200, b"")
    assert 0.9 < asyncio.get_running_loop().time() - began < 5


@pytest.mark.parametrize("seconds", [2**63 - 1, -(2**63)])
async def test_any_number_of_seconds_is_a_time(api: API, seconds: int) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&timeoutSeconds={seconds}")
    if seconds > 0:
        assert named(await watch.next()) == ("ADDED", "a")
    else:
        assert await watch.rest() == []
    await watch.close()


async def test_leaving_a_selector_is_a_deletion_and_entering_it_an_addition(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"k": "in"}}))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={api.revision}&labelSelector=k%3Din")
    await api.merge(f"{CONFIG_MAPS}/a", {"data": {"x": "1"}})
    left = await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"k": "out"}}})
    await api.merge(f"{CONFIG_MAPS}/a", {"data": {"x": "2"}})
    await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"k": "in"}}})
    events = await watch.take(3)
    assert [event["type"] for event in events] == ["MODIFIED", "DELETED", "ADDED"]
    assert events[1]["object"]["metadata"]["labels"] == {"k": "in"}
    assert events[1]["object"]["metadata"]["resourceVersion"] == left.version
    await watch.close()


@pytest.mark.parametrize(
    "url",
    [
        f"{CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Db",
        "/api/v1/configmaps?watch=1&fieldSelector=metadata.name%3Db,metadata.namespace%3Ddefault",
        "/api/v1/watch/namespaces/default/configmaps/b",
        "/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Db",
    ],
)
async def test_one_object_can_be_watched(api: API, url: str) -> None:
    for name in "abc":
        await api.post(CONFIG_MAPS, config_map(name))
    watch = await api.watch(url)
    assert named(await watch.next()) == ("ADDED", "b")
    await api.delete(f"{CONFIG_MAPS}/a")
    await api.delete(f"{CONFIG_MAPS}/b")
    assert named(await watch.next()) == ("DELETED", "b")
    await watch.close()


async def test_a_path_and_a_selector_must_name_the_same_object(api: API) -> None:
    for selector in ("metadata.name=c", "metadata.namespace=default"):
        refused = await api.get(f"/api/v1/watch/namespaces/default/configmaps/b?fieldSelector={quote(selector)}")
        assert refused.error == (400, "BadRequest", "fieldSelector metadata.name doesn't match requested name")


@pytest.mark.parametrize("url", ["/api/v1/watch/configmaps", "/api/v1/watch/namespaces/default/configmaps"])
async def test_old_paths_still_stream(api: API, url: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    watch = await api.watch(url)
    assert named(await watch.next()) == ("ADDED", "a")
    await watch.close()
    assert (await api.post(url)).error[:2] == (405, "MethodNotAllowed")


async def test_a_watch_list_ends_with_a_mark(api: API) -> None:
    for name in "ab":
        await api.post(CONFIG_MAPS, config_map(name))
    watch = await api.watch(
        f"{CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    )
    *added, end = await watch.take(3)
    assert [named(event) for event in added] == [("ADDED", "a"), ("ADDED", "b")]
    assert end == {
        "type": "BOOKMARK",
        "object": {
            "kind": "ConfigMap",
            "apiVersion": "v1",
            "metadata": {"resourceVersion": str(api.revision), "annotations": END},
        },
    }
    await watch.close()


async def test_the_oldest_form_of_a_watch_is_told_its_end_too(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&allowWatchBookmarks=true")
    _, end = await watch.take(2)
    assert end["object"]["metadata"]["annotations"] == END
    await watch.close()


async def test_without_bookmarks_nobody_marks_the_end(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
    await api.post(CONFIG_MAPS, config_map("b"))
    assert [named(event) for event in await watch.take(2)] == [("ADDED", "a"), ("ADDED", "b")]
    await watch.close()


async def test_without_initial_events_it_begins_now(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan")
    await api.post(CONFIG_MAPS, config_map("b"))
    assert named(await watch.next()) == ("ADDED", "b")
    await watch.close()


MATCH = "resourceVersionMatch: Forbidden: "


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("sendInitialEvents=true", f"{MATCH}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
        (
            "resourceVersionMatch=NotOlderThan",
            f"{MATCH}resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
        (
            "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=0",
            (
                f"[{MATCH}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, "
                'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]'
            ),
        ),
        (
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
            f"{MATCH}resourceVersionMatch is forbidden when continue is provided",
        ),
    ],
)
async def test_options_that_do_not_go_together_are_invalid(api: API, query: str, problem: str) -> None:
    refused = await api.get(f"{CONFIG_MAPS}?watch=1&{query}")
    assert refused.error == (422, "Invalid", f'ListOptions.meta.k8s.io "" is invalid: {problem}')


async def test_a_version_that_is_too_old_is_an_event_and_then_the_end(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    for number in range(300):
        await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": str(number)}})
    await api.backend.compact(api.revision)
    await api.get(CONFIG_MAPS)
    api.cacher.window.restart(api.revision)  # as if all of it were older than the window
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=2")
    (event,) = await watch.rest()
    assert event == {
        "type": "ERROR",
        "object": {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": f"too old resource version: 2 ({api.revision})",
            "reason": "Expired",
            "code": 410,
        },
    }


async def test_a_bookmark_comes_before_the_time_is_over(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    version = api.revision
    watch = await api.watch(
        f"{CONFIG_MAPS}?watch=1&resourceVersion={version}&allowWatchBookmarks=true&timeoutSeconds=3"
    )
    await api.post("/api/v1/nodes", {"metadata": {"name": "n"}})
    assert await watch.next() == {
        "type": "BOOKMARK",
        "object": {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"resourceVersion": str(version + 1)}},
    }
    await watch.close()


async def test_a_custom_resource_is_watched_in_its_version(api: API) -> None:
    created = await api.post(CRON_TABS, cron_tab("a"))
    watch = await api.watch(f"{CRON_TABS}?watch=1")
    assert await watch.next() == {"type": "ADDED", "object": created.body}
    await watch.close()


async def test_thousands_of_events_come_in_pieces(api: API) -> None:
    """One piece would hold up everybody else while it is made."""
    for number in range(600):
        await api.post(CONFIG_MAPS, config_map(f"a{number}"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1")
    pieces = [piece.count(b"\n") async for piece in watch._answer.pieces]
    assert sum(pieces) == 600
    assert max(pieces) < 600


async def test_every_watcher_sees_every_event_once(api: API) -> None:
    watches = [await api.watch(f"{CONFIG_MAPS}?watch=1") for _ in range(20)]
    for name in "abc":
        await api.post(CONFIG_MAPS, config_map(name))
    for watch in watches:
        assert [named(event)[1] for event in await watch.take(3)] == ["a", "b", "c"]
        await watch.close()
    assert len(api.cacher.watchers) == 0
