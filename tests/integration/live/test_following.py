"""Every change once, in order, whatever happens to the connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
import pytest_asyncio

from kctl.session.session import Session
from kctl.views.watch.changes import Change
from kctl.views.watch.feed import follow
from kctl.views.watch.sources import Source
from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.apimachinery.groups import GroupVersionKind
from localplane.client.kubeconfig import ClientConfig
from localplane.client.rest.client import Client
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.names import GroupVersionResource
from localplane.client.transport.aiohttp_transport import HTTPTransport
from tests.integration.client.fake_api import FakeAPI, Fault, status


def source(resource: str = "configmaps", name: str = "") -> Source:
    mapping = RESTMapping(
        GroupVersionResource("", "v1", resource), GroupVersionKind("", "v1", resource), namespaced=True
    )
    return Source(mapping, "default", name, "", f"metadata.name={name}" if name else "")


class Seen:
    """A view that writes down what it is shown."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, str, str, int]] = []
        self.problems: list[str] = []
        self._news = asyncio.Event()

    def show(self, source: Source, changes: list[Change], *, initial: bool) -> None:
        for change in changes:
            metadata = change.object["metadata"]
            version = int(metadata["resourceVersion"])
            self.changes.append((change.type, source.resource, metadata["name"], version))
        self._news.set()

    def connected(self, source: Source, problem: str) -> None:
        self.problems.append(problem)
        self._news.set()

    async def until(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.changes) < count:
                self._news.clear()
                await self._news.wait()


class Connected:
    """As much of a session as following needs."""

    def __init__(self, client: Client) -> None:
        self.client = client


@pytest_asyncio.fixture
async def api() -> AsyncIterator[FakeAPI]:
    fake = FakeAPI()
    await fake.start()
    yield fake
    await fake.stop()


@pytest_asyncio.fixture
async def session(api: FakeAPI) -> AsyncIterator[Session]:
    async def hurry(_: float) -> None:
        await asyncio.sleep(0.001)

    async with Client(HTTPTransport(ClientConfig(server=api.url)), sleep=hurry) as client:
        yield cast("Session", Connected(client))


async def test_connections_that_are_cut_anywhere_lose_nothing_and_repeat_nothing(
    api: FakeAPI, session: Session
) -> None:
    """Watches are cut after any number of bytes, while things happen; sometimes the past is forgotten as well."""
    seen, stop = Seen(), asyncio.Event()
    api.put("first")
    cuts = iter(range(1, 100000, 37))
    api.decide = lambda request: Fault(cut_after=next(cuts) % 700 + 20) if "watch" in request.query else None

    async def write() -> None:
        await seen.until(1)
        for number in range(60):
            api.put(f"object-{number % 7}", data={"round": str(number)})
            await asyncio.sleep(0.002)
        api.decide = lambda _: None
        for number in range(7):
            api.remove(f"object-{number}")
        await seen.until(1 + 60 + 7)
        stop.set()

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(write())
        group.create_task(follow(session, [source()], seen, stop, as_rows=True, must_exist=True))
    expected = [(change.type, change.object["metadata"]["name"], change.version) for change in api.history]
    assert [(kind, name, version) for kind, _, name, version in seen.changes] == expected


async def test_a_past_that_is_gone_is_made_up_for(api: FakeAPI, session: Session) -> None:
    """410: what was deleted meanwhile is told as deleted, what was made as made, the rest not at all."""
    seen, stop = Seen(), asyncio.Event()
    for name in ("stays", "goes", "changes"):
        api.put(name)
    held = asyncio.Event()

    async def disturb() -> None:
        await seen.until(3)
        api.decide = lambda request: Fault(status=503, headers={"Retry-After": "0"}) if not held.is_set() else None
        await api.stop()
        api.remove("goes")
        changed, made = api.put("changes", data={"a": "b"}), api.put("comes")
        api.compact()
        held.set()
        await api.start(api.port)
        await seen.until(6)
        assert sorted(seen.changes[3:]) == [
            ("ADDED", "configmaps", "comes", int(made["metadata"]["resourceVersion"])),
            ("DELETED", "configmaps", "goes", 102),
            ("MODIFIED", "configmaps", "changes", int(changed["metadata"]["resourceVersion"])),
        ]
        stop.set()

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(disturb())
        group.create_task(follow(session, [source()], seen, stop, as_rows=True, must_exist=True))


async def test_kinds_come_in_the_order_in_which_they_were_named(api: FakeAPI, session: Session) -> None:
    seen, stop = Seen(), asyncio.Event()
    api.put("a", resource="secrets")
    api.put("b", resource="configmaps")
    api.put("c", resource="pods")

    async def check() -> None:
        await seen.until(3)
        stop.set()

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(check())
        kinds = [source("pods"), source("secrets"), source("configmaps")]
        group.create_task(follow(session, kinds, seen, stop, as_rows=False, must_exist=True))
    assert [resource for _, resource, _, _ in seen.changes] == ["pods", "secrets", "configmaps"]


@pytest.mark.parametrize(("code", "reason", "expected"), [(403, "Forbidden", Forbidden), (404, "NotFound", NotFound)])
async def test_what_can_not_be_had_is_the_end(
    api: FakeAPI, session: Session, code: int, reason: str, expected: type[Exception]
) -> None:
    import json

    body = json.dumps(status(code, reason, "no")[1]).encode()
    api.faults.append(Fault(status=code, body=body, headers={"Content-Type": "application/json"}))
    with pytest.raises(BaseExceptionGroup) as raised:
        await follow(session, [source()], Seen(), asyncio.Event(), as_rows=True, must_exist=True)
    assert raised.value.split(expected)[1] is None


async def test_a_name_that_is_not_there_is_an_error_unless_it_is_waited_for(api: FakeAPI, session: Session) -> None:
    with pytest.raises(BaseExceptionGroup) as raised:
        await follow(session, [source(name="x")], Seen(), asyncio.Event(), as_rows=True, must_exist=True)
    leaf: Any = raised.value
    while isinstance(leaf, BaseExceptionGroup):
        leaf = leaf.exceptions[0]
    assert str(leaf) == 'configmaps "x" not found'
    seen, stop = Seen(), asyncio.Event()

    async def make() -> None:
        api.put("x")
        await seen.until(1)
        stop.set()

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(follow(session, [source(name="x")], seen, stop, as_rows=True, must_exist=False))
        group.create_task(make())
