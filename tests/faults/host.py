"""The process under test: storage opened exactly as the product opens it, offered on a unix socket.

It says `ready` on its standard output when it answers, and stops in good order when its standard input ends. So it
does not outlive a harness that was killed, and the harness needs no signal to stop it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvloop

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import (
    KeyExists,
    KeyNotFound,
    NotReady,
    PreconditionFailed,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
    StorageError,
    Unavailable,
)
from localplane.apiserver.storage.interface import (
    ListOptions,
    Match,
    Preconditions,
    Storage,
    UpdateOptions,
    Watch,
    WatchEvent,
    WatchOptions,
)
from localplane.apiserver.storage.keys import DEFAULT_ROOT
from localplane.apiserver.storage.objects import StoredObject
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.storage import OpenStorage, open_storage
from tests.faults.lies import Lie, LyingStorage
from tests.faults.wire import Disconnected, Line, Message

RESOURCE = "/configmaps/"

_OUTCOMES: dict[type[StorageError], str] = {
    KeyExists: "exists",
    KeyNotFound: "notfound",
    PreconditionFailed: "conflict",
    NotReady: "failed",
    ResourceVersionTooLarge: "failed",
}


class Host:
    def __init__(self, opened: OpenStorage, *, root: str, lie: Lie | None) -> None:
        self._opened = opened
        honest = opened.cacher.resource(RESOURCE)
        self._storage: Storage = honest if lie is None else LyingStorage(honest, lie)
        # Keys come back absolute, and are relative to the root when they are asked for.
        self._root_length = len(root)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        with suppress(Disconnected):
            while True:
                request = await line.receive()
                if request["op"] == "watch":
                    await self._watch(line, request)
                else:
                    await line.send(await self._answer(request))
        line.close()

    async def _answer(self, request: Message) -> Message:
        try:
            answer: Message = await getattr(self, f"_{request['op']}")(request)
        except StorageError as error:
            return {"outcome": _outcome(error), "error": f"{type(error).__name__}: {error}"}
        return {"outcome": "ok", **answer}

    async def _status(self, _request: Message) -> Message:
        supervisor = self._opened.supervisor
        socket = str(supervisor.client_socket) if supervisor else None
        return {"etcd_pid": self._opened.etcd_pid, "etcd_socket": socket}

    async def _create(self, request: Message) -> Message:
        key = request["key"]
        return _shown(await self._storage.create(key, _object(key, request["value"])))

    async def _update(self, request: Message) -> Message:
        async def changed(current: JSONObject) -> JSONObject:
            return {**current, "data": {"value": request["value"]}}

        expected = Preconditions(resource_version=str(request["expected"]))
        return _shown(
            await self._storage.guaranteed_update(request["key"], changed, UpdateOptions(preconditions=expected))
        )

    async def _delete(self, request: Message) -> Message:
        expected = Preconditions(resource_version=str(request["expected"]))
        return _shown(await self._storage.delete(request["key"], preconditions=expected))

    async def _get(self, request: Message) -> Message:
        return _shown(await self._storage.get(request["key"], resource_version=_version(request)))

    async def _list(self, request: Message) -> Message:
        version = _version(request)
        match = Match.NOT_OLDER_THAN if version else Match.UNSET
        found = await self._storage.list(request["key"], ListOptions(resource_version=version, match=match))
        items = {obj.key[self._root_length :]: [obj.revision, _value(obj)] for obj in found.items}
        return {"revision": found.revision, "items": items}

    async def _watch(self, line: Line, request: Message) -> None:
        """Events until the watch ends or the reader leaves; whoever closes the line ends the watch."""
        start = request["start"]
        options = WatchOptions(
            resource_version="" if start is None else str(start),
            allow_bookmarks=True,
            send_initial_events=True if start is None else None,
            # Long enough for one ordinary bookmark to come before it.
            timeout=timedelta(seconds=request["bookmark_after"] + 2),
        )
        try:
            watch = await self._storage.watch(request["key"], options)
        except StorageError as error:
            await line.send({"end": _end(error)})
            return
        reading = asyncio.create_task(self._forward(line, watch))
        leaving = asyncio.create_task(line.receive())
        try:
            await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await watch.stop()
            for task in (reading, leaving):
                task.cancel()
            await asyncio.gather(reading, leaving, return_exceptions=True)

    async def _forward(self, line: Line, watch: Watch) -> None:
        await line.send({"open": True})
        while events := await watch.take():
            await line.send({"events": [self._event(event) for event in events if event.error is None]})
            error = next((event.error for event in events if event.error is not None), None)
            if error is not None:
                await line.send({"end": _end(error)})
                return
        await line.send({"end": "closed"})

    def _event(self, event: WatchEvent) -> Message:
        message: Message = {"type": event.type.value, "revision": event.revision, "end": event.initial_events_end}
        if event.object is not None:
            message |= {"key": event.object.key[self._root_length :], "value": _value(event.object)}
        return message


def _outcome(error: StorageError) -> str:
    """Only an error that promises it counts as "nothing was written"; any other leaves it open."""
    if isinstance(error, Unavailable):
        return "unknown" if error.may_have_happened else "failed"
    return _OUTCOMES.get(type(error), "unknown")


def _end(error: StorageError) -> str:
    return "expired" if isinstance(error, ResourceVersionTooOld) else f"{type(error).__name__}: {error}"


def _object(key: str, value: str) -> JSONObject:
    _, _, namespace, name = key.split("/")
    metadata = {"name": name, "namespace": namespace, "uid": value}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"value": value}}


def _shown(obj: StoredObject) -> Message:
    return {"revision": obj.revision, "value": _value(obj)}


def _value(obj: StoredObject) -> str:
    """What is inside; that the object carries the revision it stands at is checked on the way."""
    decoded = obj.decode()
    assert decoded["metadata"]["resourceVersion"] == str(obj.revision)
    value: str = decoded["data"]["value"]
    return value


def _version(request: Message) -> str:
    return "" if request["not_older_than"] is None else str(request["not_older_than"])


def storage_options(arguments: argparse.Namespace) -> StorageOptions:
    return StorageOptions(
        kind=StorageKind(arguments.store),
        data_dir=arguments.data_dir,
        etcd_servers=tuple(arguments.etcd_server),
        etcd_cafile=arguments.ca,
        etcd_certfile=arguments.certificate,
        etcd_keyfile=arguments.key,
        etcd_prefix=arguments.root,
        # A run is shorter than this; the whole log has to be there when it is read at the end.
        compaction_interval=timedelta(days=1),
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Storage on a unix socket, for the fault tests.")
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--store", choices=("etcd", "sqlite"), required=True)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--etcd-server", action="append", default=[])
    parser.add_argument("--root", default=DEFAULT_ROOT)
    parser.add_argument("--lie", type=Lie)
    for name in ("--ca", "--certificate", "--key"):
        parser.add_argument(name, type=Path)
    return parser.parse_args()


async def _end_of_input() -> None:
    reader = asyncio.StreamReader()
    pipe: Any = sys.stdin
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    await reader.read()


async def run(arguments: argparse.Namespace) -> None:
    ended = asyncio.create_task(_end_of_input())
    async with open_storage(storage_options(arguments)) as opened:
        arguments.socket.unlink(missing_ok=True)
        host = Host(opened, root=arguments.root, lie=arguments.lie)
        server = await asyncio.start_unix_server(host.serve, arguments.socket, limit=64 * 1024 * 1024)
        print("ready", flush=True)
        await ended
        server.close()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(_arguments()))
