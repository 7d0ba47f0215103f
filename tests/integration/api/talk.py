"""Talking to an API without sockets: what the edge would do, and nothing more."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import AdmissionChain, Plugin
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.endpoints.filters.recover import recover
from localplane.apiserver.endpoints.filters.request_info import request_info
from localplane.apiserver.endpoints.filters.warning_headers import warning_headers
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.long_work import HERE, Here
from localplane.apiserver.request import (
    Answer,
    BodyTooLarge,
    Query,
    Request,
    Response,
    StreamResponse,
    User,
    whole_body,
)
from localplane.apiserver.resource import APIGroup
from localplane.apiserver.server.chain import wrapped
from localplane.apiserver.server.dispatch import dispatch
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.memory import MemoryBackend

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"

ADMIN = User("admin", groups=("system:masters", "system:authenticated"))


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished answer."""

    status: int
    content_type: str
    data: bytes
    warnings: list[str] = field(default_factory=list)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> Any:
        return json.loads(self.data)

    @property
    def message(self) -> str:
        return str(self.body["message"])

    @property
    def version(self) -> str:
        return str(self.body["metadata"]["resourceVersion"])

    @property
    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.body["items"]]

    @property
    def error(self) -> tuple[int, str, str]:
        """Code, reason and message of a Status, after a look at its form."""
        status = self.body
        assert (status["kind"], status["apiVersion"], status["status"]) == ("Status", "v1", "Failure")
        assert status["code"] == self.status
        return self.status, status.get("reason", ""), status["message"]


class Events:
    """An open watch."""

    def __init__(self, answer: StreamResponse) -> None:
        self._answer = answer
        self._lines: list[bytes] = []
        self.content_type = answer.content_type

    async def next(self) -> JSONObject:
        while not self._lines:
            self._lines = (await anext(self._answer.pieces)).splitlines()
        event: JSONObject = json.loads(self._lines.pop(0))
        return event

    async def take(self, count: int) -> list[JSONObject]:
        return [await self.next() for _ in range(count)]

    async def rest(self) -> list[JSONObject]:
        """All that comes until the stream ends by itself."""
        events = [json.loads(line) for line in self._lines]
        async for piece in self._answer.pieces:
            events += [json.loads(line) for line in piece.splitlines()]
        return events

    async def close(self) -> None:
        await self._answer.close()


def named(event: JSONObject) -> tuple[str, str]:
    """An event's type and the name of its object."""
    return event["type"], event["object"]["metadata"].get("name", "")


async def whole(answer: Response) -> bytes:
    return await whole_body(answer.body)


class API:
    """Groups behind the filters that every server has. `user` is who asks, `work` where what takes long is done."""

    def __init__(self, backend: MemoryBackend, cacher: Cacher, installer: Installer) -> None:
        self.backend = backend
        self.cacher = cacher
        self.installer = installer
        self.user = ADMIN
        self.work: Here = HERE
        self._handle = wrapped((recover(), request_info()), dispatch([installer.handle], complete=lambda: True))

    @classmethod
    async def start(
        cls,
        groups: Sequence[APIGroup],
        *,
        plugins: Sequence[Plugin] = (),
        authorizer: Authorizer | None = None,
        freshness_timeout: timedelta = timedelta(seconds=5),
    ) -> API:
        backend = MemoryBackend()
        cacher = Cacher(backend, freshness_timeout=freshness_timeout)
        await cacher.start()
        installer = Installer(cacher.resource, AdmissionChain(plugins), authorizer)
        for group in groups:
            installer.install(group)
        return cls(backend, cacher, installer)

    async def close(self) -> None:
        await self.cacher.close()
        await self.backend.close()

    @property
    def revision(self) -> int:
        return self.backend.observed_revision

    async def send(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        content_type: str = "",
        accept: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """A request and its whole answer. `raw` is sent as it is, `body` as JSON."""
        request, answer = await self.ask(
            method, url, body, raw=raw, content_type=content_type, accept=accept, headers=headers
        )
        if isinstance(answer, StreamResponse):
            pieces = [piece async for piece in answer.pieces]
            await answer.close()
            data = b"".join(pieces)
        else:
            data = await whole(answer)
        warnings = warning_headers(request.warnings)
        return Reply(answer.status, answer.content_type, data, warnings, answer.headers)

    async def watch(self, url: str, *, accept: str = "") -> Events:
        """An open watch; whoever opens it closes it."""
        _, answer = await self.ask("GET", url, accept=accept)
        assert isinstance(answer, StreamResponse), answer.body
        return Events(answer)

    async def ask(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        content_type: str = "",
        accept: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Request, Answer]:
        """A request and its answer, whole or as a stream that the caller closes."""
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        sent = {"content-type": content_type, "accept": accept, **(headers or {})}
        split = urlsplit(url)

        async def read_body(limit: int) -> bytes:
            if len(data) > limit:
                raise BodyTooLarge
            return data

        request = Request(
            method,
            unquote(split.path),
            Query(parse_qs(split.query, keep_blank_values=True)),
            {name: value for name, value in sent.items() if value},
            read_body,
            user=self.user,
            work=self.work,
        )
        return request, await self._handle(request)

    # Shorthands for what most tests do.

    async def get(self, url: str, **more: Any) -> Reply:
        return await self.send("GET", url, **more)

    async def post(self, url: str, body: Any = None, **more: Any) -> Reply:
        return await self.send("POST", url, body, **more)

    async def put(self, url: str, body: Any = None, **more: Any) -> Reply:
        return await self.send("PUT", url, body, **more)

    async def delete(self, url: str, body: Any = None, **more: Any) -> Reply:
        return await self.send("DELETE", url, body, **more)

    async def merge(self, url: str, body: Any = None, **more: Any) -> Reply:
        return await self.send("PATCH", url, body, **({"content_type": MERGE} | more))

    async def json_patch(self, url: str, body: Any = None, **more: Any) -> Reply:
        return await self.send("PATCH", url, body, **({"content_type": JSON_PATCH} | more))


def without(group: APIGroup, plural: str) -> APIGroup:
    """The group as it would be declared without one of its resources."""
    return replace(group, resources=[resource for resource in group.resources if resource.plural != plural])
