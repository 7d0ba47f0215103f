"""An informer of ours against a server of ours, over connections that are cut again and again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import replace

from localplane.client import Client, GroupVersionResource, PatchType, SharedInformer
from localplane.client.informers.reflector import ReflectorOptions
from localplane.client.kubeconfig import load_file, resolve
from localplane.library import (
    APIGroup,
    PlaneOptions,
    Resource,
    ServerOptions,
    StorageKind,
    StorageOptions,
    Version,
    open_plane,
)
from tests.integration.client.recording import QUICKLY, Recorder

NOTES = GroupVersionResource("example.com", "v1", "notes")
GROUP = APIGroup("example.com", [Resource("notes", kind="Note", versions=[Version("v1")])])
MEMORY = PlaneOptions(storage=StorageOptions(kind=StorageKind.MEMORY), server=ServerOptions(port=0))


class CuttingProxy:
    """Passes bytes on, and cuts every connection when it is told to, wherever it stands."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._connected = asyncio.Event()
        self.cuts = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        ends = {writer, back}
        self._writers |= ends
        self._connected.set()
        try:
            await asyncio.gather(self._pass_on(reader, back), self._pass_on(there, writer))
        finally:
            self._writers -= ends

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(700):
                writer.write(piece)
        writer.close()

    async def cut_when_connected(self) -> None:
        await self._connected.wait()
        self.cuts += 1
        self.cut()

    def cut(self) -> None:
        self._connected.clear()
        for writer in self._writers:
            writer.transport.abort()


@contextlib.asynccontextmanager
async def proxied(port: int) -> AsyncIterator[tuple[CuttingProxy, int]]:
    proxy = CuttingProxy(port)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        yield proxy, server.sockets[0].getsockname()[1]
    finally:
        server.close()
        proxy.cut()


def note(name: str, text: str) -> dict[str, object]:
    return {"apiVersion": "example.com/v1", "kind": "Note", "metadata": {"name": name}, "text": text}


async def write_and_cut(client: Client, proxy: CuttingProxy, choices: random.Random) -> dict[str, int]:
    """The version of every note that is left in the end."""
    notes, left = client.resource(NOTES, "default"), dict[str, int]()
    for number in range(150):
        name = f"n{choices.randrange(6)}"
        if name not in left:
            obj = await notes.create(note(name, str(number)))
        elif choices.random() < 0.3:
            await notes.delete(name)
            del left[name]
            continue
        else:
            obj = await notes.patch(name, {"text": str(number)}, PatchType.MERGE)
        left[name] = int(obj["metadata"]["resourceVersion"])
        if choices.random() < 0.2:
            await proxy.cut_when_connected()
        await asyncio.sleep(choices.uniform(0, 0.01))
    return left


async def test_an_informer_misses_and_reorders_nothing_though_its_connections_are_cut() -> None:
    async with open_plane([GROUP], MEMORY) as plane, proxied(plane.server.port) as (proxy, port):
        config = replace(resolve(load_file(plane.kubeconfig)), server=f"https://127.0.0.1:{port}")
        async with Client.connect(config) as client:
            options = ReflectorOptions(backoff=QUICKLY, on_error=lambda _: None)
            informer, heard = SharedInformer(client.resource(NOTES), options=options), Recorder()
            informer.add_handler(heard)
            async with informer:
                await informer.wait_for_sync()
                left = await write_and_cut(plane.client, proxy, random.Random(7))

                def caught_up() -> bool:
                    known = informer.lister.list()
                    return {n["metadata"]["name"]: int(n["metadata"]["resourceVersion"]) for n in known} == left

                await heard.until(caught_up, seconds=20)
    assert proxy.cuts >= 15
    for name in (f"n{number}" for number in range(6)):
        versions = [version for _, version in heard.of(f"default/{name}")]
        assert versions == sorted(versions)
