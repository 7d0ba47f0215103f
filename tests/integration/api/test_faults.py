"""When things go wrong in the middle: nothing is half done, and the server lives on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.storage.errors import Unavailable
from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, GROUPS, PODS, config_map, pod


class Broken:
    name = "Broken"
    operations = (Operation.CREATE,)

    async def admit(self, attributes: Attributes) -> None:
        raise RuntimeError("a fault of ours")


async def test_a_fault_of_ours_is_a_500_and_the_server_stays_up(caplog: pytest.LogCaptureFixture) -> None:
    api = await API.start(GROUPS, plugins=[Broken()])
    reply = await api.post(CONFIG_MAPS, config_map("a"))
    assert reply.status == 500
    assert reply.data == b"This request caused apiserver to panic. Look in the logs for details.\n"
    assert "a fault of ours" in caplog.text
    assert (await api.get(CONFIG_MAPS)).names == []
    await api.close()


class Waiting:
    """Holds a request until it is let go."""

    name = "Waiting"
    operations = (Operation.CREATE, Operation.UPDATE, Operation.DELETE)

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()

    async def validate(self, attributes: Attributes) -> None:
        self.reached.set()
        await self.go_on.wait()


@pytest.mark.parametrize("verb", ["create", "update", "patch", "delete"])
async def test_a_request_that_is_cancelled_before_its_write_writes_nothing(verb: str) -> None:
    waiting = Waiting()
    api = await API.start(GROUPS, plugins=[waiting])
    waiting.go_on.set()
    await api.post(CONFIG_MAPS, config_map("a"))
    waiting.go_on.clear()
    waiting.reached.clear()
    before = api.revision
    requests = {
        "create": lambda: api.post(CONFIG_MAPS, config_map("b")),
        "update": lambda: api.put(f"{CONFIG_MAPS}/a", config_map("a", data={"k": "v"})),
        "patch": lambda: api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}}),
        "delete": lambda: api.delete(f"{CONFIG_MAPS}/a"),
    }
    task = asyncio.create_task(requests[verb]())
    await waiting.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert api.revision == before
    waiting.go_on.set()
    assert (await api.put(f"{CONFIG_MAPS}/a", config_map("a", data={"k": "w"}))).status == 200
    await api.close()


async def test_a_mark_without_its_end_is_finished_by_the_next_delete(api: API, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pod without a node is marked and removed in two writes; between them the store may go away."""
    await api.post(PODS, pod("a"))

    async def gone(key: str, *, expected: int) -> int:
        raise Unavailable("the store can't be reached")

    with monkeypatch.context() as patched:
        patched.setattr(api.backend, "delete", gone)
        assert (await api.delete(f"{PODS}/a")).error[:2] == (503, "ServiceUnavailable")
    assert (await api.get(f"{PODS}/a")).body["metadata"]["deletionGracePeriodSeconds"] == 0
    assert (await api.delete(f"{PODS}/a")).status == 200
    assert (await api.get(f"{PODS}/a")).status == 404


async def test_what_went_while_we_were_removing_it_is_gone(api: API, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs an object may be faster than we are, once we have said that it may go."""
    await api.post(PODS, pod("a"))
    remove = api.backend.delete

    async def twice(key: str, *, expected: int) -> int:
        await remove(key, expected=expected)
        return await remove(key, expected=expected)

    monkeypatch.setattr(api.backend, "delete", twice)
    deleted = await api.delete(f"{PODS}/a")
    assert (deleted.status, deleted.body["metadata"]["deletionGracePeriodSeconds"]) == (200, 0)


async def test_an_object_that_was_made_anew_is_not_deleted_for_the_old_one(
    api: API, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two clients remove the last finalizer, and a third creates the object again in between."""
    await api.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/f"]}))
    await api.delete(f"{CONFIG_MAPS}/a")
    key = "/registry/configmaps/default/a"
    remove = api.backend.delete
    others: list[Any] = []

    async def late(given: str, *, expected: int) -> int:
        if not others:
            others.append(await remove(given, expected=expected))
            others.append(await api.post(CONFIG_MAPS, config_map("a", data={"k": "new"})))
        return await remove(given, expected=expected)

    monkeypatch.setattr(api.backend, "delete", late)
    emptied = await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": None}})
    assert emptied.status == 200
    assert others[1].status == 201
    assert (await api.backend.get(key)).kv is not None
    assert (await api.get(f"{CONFIG_MAPS}/a")).body["data"] == {"k": "new"}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_store_that_is_away_is_told(api: API, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))

    async def away(*args: Any, **options: Any) -> int:
        raise Unavailable("the store can't be reached")

    monkeypatch.setattr(api.backend, "put", away)
    monkeypatch.setattr(api.backend, "delete", away)
    url, body = (
        (CONFIG_MAPS, config_map("b")) if method == "POST" else (f"{CONFIG_MAPS}/a", config_map("a", data={"k": "v"}))
    )
    refused = await api.send(
        method,
        url,
        None if method == "DELETE" else body,
        content_type="application/merge-patch+json" if method == "PATCH" else "",
    )
    assert refused.error == (503, "ServiceUnavailable", "the store can't be reached")
    assert refused.headers["Retry-After"] == "1"


@pytest.mark.parametrize("query", ["", "?watch=1"])
async def test_while_the_cache_fills_clients_are_asked_to_come_back(api: API, query: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    await api.get(CONFIG_MAPS)
    api.cacher._filled.clear()
    refused = await api.get(f"{CONFIG_MAPS}{query}")
    assert refused.error[:2] == (429, "TooManyRequests")
    assert refused.headers["Retry-After"] == "1"
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200


async def test_two_who_create_the_same_name_cannot_both_win(api: API) -> None:
    replies = await asyncio.gather(*(api.post(CONFIG_MAPS, config_map("a", data={"k": str(n)})) for n in range(20)))
    assert sorted(reply.status for reply in replies) == [201] + [409] * 19


async def test_of_many_who_saw_the_same_version_one_wins(api: API) -> None:
    created = (await api.post(CONFIG_MAPS, config_map("a"))).body
    replies = await asyncio.gather(*(api.put(f"{CONFIG_MAPS}/a", created | {"data": {"k": str(n)}}) for n in range(20)))
    assert sorted(reply.status for reply in replies) == [200] + [409] * 19


async def test_a_reader_never_changes_what_others_read(api: API) -> None:
    """Every form of every read, in between writes of all sorts: the cache's own objects stay as they were written."""
    created = await api.post(PODS, pod("a", node="n", metadata={"labels": {"a": "b"}}))
    await api.get(PODS)
    entry = api.cacher.index.get("/registry/pods/default/a")
    assert entry is not None
    for accept in ("", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"):
        await api.get(f"{PODS}/a?includeObject=Object", accept=accept)
        await api.get(PODS, accept=accept)
    await api.put(f"{PODS}/a?dryRun=All", pod("a", node="n", spec={"replicas": 3}))
    await api.merge(f"{PODS}/a/status?dryRun=All", {"status": {"phase": "Running"}})
    await api.delete(f"{PODS}/a?dryRun=All")
    await api.merge(f"{PODS}/a", {"spec": {"nodeName": "m"}})
    assert api.cacher.index.get("/registry/pods/default/a") is entry
    assert (await api.get(f"{PODS}/a")).data == created.data
