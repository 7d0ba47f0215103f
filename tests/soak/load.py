"""The clients: writers with a rate, and watchers that note every revision they are told."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ClientError
from localplane.client.kubeconfig import ClientConfig
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.resources import PatchType, ResourceClient
from localplane.client.rest.watch import LineDecoder

PODS = GroupVersionResource("", "v1", "pods")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
NAMESPACE = "soak"
_ALIVE_PER_WRITER = 10
_REVISION = re.compile(rb'"resourceVersion":"(\d+)"')


@dataclass(slots=True)
class Record:
    """What was acknowledged, by revision, and how long each verb took."""

    revisions: list[int] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)


def _pod(name: str) -> JSONObject:
    """Of some two kilobytes, as people's pods are."""
    container = {
        "name": "web",
        "image": "registry.example.com/web:1.2.3",
        "env": [{"name": f"SETTING_{number}", "value": "value " * 4} for number in range(12)],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "ports": [{"containerPort": 8080}],
    }
    labels = {"app": "web", "writer": name.partition("-")[0]}
    return {"metadata": {"name": name, "labels": labels}, "spec": {"containers": [container]}}


class Writer:
    """Makes pods, changes each twice, and deletes the oldest when there are enough."""

    def __init__(self, number: int, record: Record, *, per_second: float) -> None:
        self._name = f"w{number}"
        self._record = record
        self._pause = 1 / per_second
        self._due = 0.0

    async def run(self, config: ClientConfig, *, until: float) -> None:
        async with Client.connect(config) as client:
            await self._write(client.resource(PODS, NAMESPACE), until)

    async def _write(self, pods: ResourceClient, until: float) -> None:
        alive: list[str] = []
        self._due = time.monotonic()
        for number in count():
            if time.monotonic() >= until:
                return
            name = f"{self._name}-{number}"
            await self._pace()
            await self._do("create", pods.create(_pod(name)))
            for step in ("first", "second"):
                await self._pace()
                await self._do("patch", pods.patch(name, {"metadata": {"labels": {"step": step}}}, PatchType.MERGE))
            alive.append(name)
            if len(alive) >= _ALIVE_PER_WRITER:
                await self._pace()
                await self._do("delete", pods.delete(alive.pop(0)))

    async def _pace(self) -> None:
        self._due += self._pause
        await asyncio.sleep(max(0.0, self._due - time.monotonic()))

    async def _do(self, verb: str, call: Awaitable[JSONObject]) -> None:
        began = time.perf_counter()
        try:
            answer = await call
        except (APIError, ClientError) as error:
            self._record.failures.append(f"{verb}: {error}")
            return
        self._record.seconds[verb].append(time.perf_counter() - began)
        self._record.revisions.append(int(answer["metadata"]["resourceVersion"]))


class Watcher:
    """Goes on where it stopped whenever the server ends a watch, and never lists again."""

    def __init__(self, config: ClientConfig, after: str) -> None:
        self._config = config
        self._after = after
        self.seen: list[int] = []

    async def run(self) -> None:
        async with Client.connect(self._config) as client:
            while True:
                with suppress(ClientError):
                    await self._watch(client)

    async def _watch(self, client: Client) -> None:
        query = [("watch", "1"), ("allowWatchBookmarks", "true"), ("resourceVersion", self._after)]
        response = await client.stream("GET", f"/api/v1/namespaces/{NAMESPACE}/pods", query=query)
        decoder = LineDecoder()
        try:
            async for chunk in response.chunks():
                for line in decoder.feed(chunk):
                    self._note(line)
        finally:
            await response.close()

    def _note(self, line: bytes) -> None:
        """Without parsing it: twelve of us would take the machine away from the server."""
        found = _REVISION.search(line)
        assert found is not None, line
        assert not line.startswith(b'{"type":"ERROR"'), line
        self._after = found[1].decode()
        if not line.startswith(b'{"type":"BOOKMARK"'):
            self.seen.append(int(self._after))

    def complaints(self, acknowledged: list[int]) -> list[str]:
        told = []
        if any(after <= before for before, after in zip(self.seen, self.seen[1:], strict=False)):
            told.append("events came twice or out of order")
        missing = set(acknowledged) - set(self.seen)
        if missing:
            told.append(f"{len(missing)} acknowledged writes were never seen, the first at revision {min(missing)}")
        return told


async def prepare(config: ClientConfig) -> str:
    """The namespace, and the revision to watch from."""
    async with Client.connect(config) as client:
        await client.resource(NAMESPACES).create({"metadata": {"name": NAMESPACE}})
        async with asyncio.timeout(60):
            accounts = client.resource(GroupVersionResource("", "v1", "serviceaccounts"), NAMESPACE)
            while not (await accounts.list())["items"]:  # noqa: ASYNC110 - without its default account no pod is let in
                await asyncio.sleep(0.05)
        listed = await client.resource(PODS, NAMESPACE).list()
        return str(listed["metadata"]["resourceVersion"])
