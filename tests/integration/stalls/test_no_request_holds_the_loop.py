"""Nobody waits long for what somebody else asked for: every form of every list, every watch, every heavy body.

The forms come from what the server offers, so that a new one is measured too. `python -m tests.bench.stalls` does the
same with fifty thousand objects, over sockets, while somebody waits.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import pytest

from localplane.apimachinery.serializers.media_types import JSON, YAML
from localplane.apiserver.dialects import APPLY_PATCH, JSON_PATCH, STRUCT_KINDS
from localplane.apiserver.endpoints.served import MEDIA_TYPES
from localplane.apiserver.long_work import LongWork
from localplane.apiserver.request import Response, whole_body
from localplane.catalog.core.config_maps import CONFIG_MAPS as CONFIG_MAP_RESOURCE
from localplane.catalog.core.secrets import SECRETS
from localplane.catalog.declarations import group
from tests.bench.stalls.plane import config_map, secret
from tests.integration.api.talk import API
from tests.integration.stalls.held_loop import measured, new_loop

OBJECTS = 10_000
KEYS = 20_000
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
INITIAL = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"

LONGEST_SECONDS = 0.05
"""Many times what a slice takes. What does not stop in between takes several times as long as this."""

TRANSFORMS = ("", ";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
WATCH_TRANSFORMS = ("", ";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1")


@dataclass(frozen=True, slots=True)
class Server:
    api: API
    runner: asyncio.Runner


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Many objects, and one that is large."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        work = LongWork()
        api = runner.run(_seeded(work))
        yield Server(api, runner)
        work.close()
        runner.run(api.close())


async def _seeded(work: LongWork) -> API:
    api = await API.start([group("", CONFIG_MAP_RESOURCE, SECRETS)])
    api.work = work
    storage, secrets = api.cacher.resource("/configmaps/"), api.cacher.resource("/secrets/")
    for number in range(OBJECTS):
        name = f"seeded-{number:06}"
        await storage.create(f"/configmaps/default/{name}", config_map(name, number))
        if number % 5 == 0:
            await secrets.create(f"/secrets/default/{name}", secret(name, number))
    await api.send("POST", CONFIG_MAPS, large())
    await storage.get("/configmaps/default/large")
    return api


def large(width: int = 40) -> dict[str, object]:
    data = {f"key-{number:05}": "x" * width for number in range(KEYS)}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "large"}, "data": data}


def large_yaml() -> bytes:
    lines = ["kind: ConfigMap", "apiVersion: v1", "metadata:", "  name: large", "data:"]
    return "\n".join([*lines, *(f"  key-{number:05}: {'y' * 40}" for number in range(KEYS)), ""]).encode()


def ask(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    url: str,
    body: bytes = b"",
    *,
    accept: str = "",
    content_type: str = "",
    status: int = 200,
) -> None:
    """Ask, read the whole answer, and see how long the loop was held meanwhile."""

    async def asked() -> None:
        _, answer = await server.api.ask(method, url, raw=body, accept=accept, content_type=content_type)
        if isinstance(answer, Response):
            data = await whole_body(answer.body)
            assert answer.status == status, data[:1000]
            return
        await _read_to_the_bookmark(answer.pieces)
        await answer.close()

    with measured(monkeypatch) as held:
        server.runner.run(asked())
    assert held.longest < LONGEST_SECONDS, f"{held.longest * 1e3:.0f} ms in one of {held.callbacks} callbacks"


async def _read_to_the_bookmark(pieces: AsyncIterator[bytes]) -> None:
    async for piece in pieces:
        if b"initial-events-end" in piece[-2000:]:
            return


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("media_type", [media_type.name for media_type in MEDIA_TYPES])
def test_a_list_in_any_form_lets_others_in(
    server: Server, monkeypatch: pytest.MonkeyPatch, media_type: str, transform: str
) -> None:
    if "Table" in transform and "protobuf" in media_type:
        pytest.skip("there is no such form")
    # A tenth is enough for YAML, which takes longer for each object than anything else for ten.
    query = f"limit={OBJECTS // 8}" if media_type == YAML.name else ""
    ask(server, monkeypatch, "GET", f"{CONFIG_MAPS}?{query}", accept=media_type + transform)


@pytest.mark.parametrize("query", ["pretty=true", "includeObject=Object", "includeObject=None"])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_list_with_any_wish_lets_others_in(
    server: Server, monkeypatch: pytest.MonkeyPatch, query: str, transform: str
) -> None:
    ask(server, monkeypatch, "GET", f"{CONFIG_MAPS}?{query}", accept=JSON.name + transform)


@pytest.mark.parametrize(
    "url",
    [
        f"{CONFIG_MAPS}?labelSelector=app%3Dapp-7",
        f"{CONFIG_MAPS}?labelSelector=app+notin+(a,b)",
        "/api/v1/secrets?fieldSelector=type%3Dexample.com/rare",
        f"/api/v1/secrets?{INITIAL}&fieldSelector=type%3Dexample.com/rare",
        f"{CONFIG_MAPS}?{INITIAL}&labelSelector=app%3Dapp-7",
    ],
)
def test_a_selection_lets_others_in(server: Server, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    ask(server, monkeypatch, "GET", url)


@pytest.mark.parametrize("transform", WATCH_TRANSFORMS)
@pytest.mark.parametrize("media_type", [media_type.name for media_type in MEDIA_TYPES if media_type != YAML])
def test_a_watch_with_initial_events_lets_others_in(
    server: Server, monkeypatch: pytest.MonkeyPatch, media_type: str, transform: str
) -> None:
    if "protobuf" in media_type:
        if "Table" in transform:
            pytest.skip("there is no such form")
        media_type += ";stream=watch"
    ask(server, monkeypatch, "GET", f"{CONFIG_MAPS}?{INITIAL}", accept=media_type + transform)


@pytest.mark.parametrize("transform", ["", *WATCH_TRANSFORMS])
@pytest.mark.parametrize("media_type", [media_type.name for media_type in MEDIA_TYPES])
def test_a_large_object_in_any_form_lets_others_in(
    server: Server, monkeypatch: pytest.MonkeyPatch, media_type: str, transform: str
) -> None:
    if "Table" in transform and "protobuf" in media_type:
        pytest.skip("there is no such form")
    ask(server, monkeypatch, "GET", f"{CONFIG_MAPS}/large", accept=media_type + transform)


BODIES: dict[str, Callable[[], bytes]] = {
    "application/json": lambda: json.dumps(large(41)).encode(),
    "application/yaml": large_yaml,
}


@pytest.mark.parametrize("content_type", BODIES)
@pytest.mark.parametrize(("method", "status"), [("POST", 409), ("PUT", 200)])
def test_a_large_body_lets_others_in(
    server: Server, monkeypatch: pytest.MonkeyPatch, method: str, status: int, content_type: str
) -> None:
    url = f"{CONFIG_MAPS}/large" if method == "PUT" else CONFIG_MAPS
    body = BODIES[content_type]()
    ask(server, monkeypatch, method, f"{url}?dryRun=All", body, content_type=content_type, status=status)


def _patch(content_type: str) -> bytes:
    if content_type == APPLY_PATCH:
        return large_yaml()
    if content_type == JSON_PATCH:
        return b'[{"op":"replace","path":"/data/key-00001","value":"z"}]'
    return b'{"data":{"key-00001":"z"}}'


@pytest.mark.parametrize("content_type", STRUCT_KINDS.patch_types)
def test_a_patch_of_a_large_object_lets_others_in(
    server: Server, monkeypatch: pytest.MonkeyPatch, content_type: str
) -> None:
    query = "dryRun=All&fieldManager=test" + ("&force=true" if content_type == APPLY_PATCH else "")
    ask(
        server,
        monkeypatch,
        "PATCH",
        f"{CONFIG_MAPS}/large?{query}",
        _patch(content_type),
        content_type=content_type,
    )


def test_the_deletion_of_a_collection_lets_others_in(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is in memory, so that nothing else makes it wait."""
    ask(server, monkeypatch, "DELETE", "/api/v1/namespaces/default/secrets?dryRun=All")
    ask(server, monkeypatch, "DELETE", "/api/v1/namespaces/default/secrets")


def test_work_that_does_not_stop_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this file stands on: one callback that takes as long as a list without pauses."""

    async def work() -> None:
        sum(range(20_000_000))

    with measured(monkeypatch) as held, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(work())
    assert held.longest > LONGEST_SECONDS
