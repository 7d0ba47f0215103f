"""A server of webhooks. Every path is one, and answers as it was told to."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.certificates.issuer import Authority
from localplane.client import Client, GroupVersionResource

Answer = Callable[[JSONObject], JSONObject]

GROUP = "admissionregistration.k8s.io"
MUTATING = GroupVersionResource(GROUP, "v1", "mutatingwebhookconfigurations")
VALIDATING = GroupVersionResource(GROUP, "v1", "validatingwebhookconfigurations")
POLICIES = GroupVersionResource(GROUP, "v1", "validatingadmissionpolicies")
BINDINGS = GroupVersionResource(GROUP, "v1", "validatingadmissionpolicybindings")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")


def allowed(_: JSONObject) -> JSONObject:
    return {"allowed": True}


def denied(**status: Any) -> Answer:
    return lambda _: {"allowed": False, "status": status}


def patching(*operations: JSONObject) -> Answer:
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return lambda _: {"allowed": True, "patchType": "JSONPatch", "patch": patch}


class Reviewer:
    """`answers` are by path; `asked` are the requests that came, with the path, in their order. Nobody is answered
    before `may_answer` is set; `was_asked` tells that somebody waits."""

    def __init__(self, authority: Authority, port: int = 0) -> None:
        self.port = port
        self.bundle = base64.b64encode(authority.certificate_pem).decode()
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, JSONObject]] = []
        self.was_asked, self.may_answer = asyncio.Event(), asyncio.Event()
        self.may_answer.set()

    async def handle(self, request: web.Request) -> web.Response:
        review = await request.json()
        path = request.path.removeprefix("/")
        self.asked.append((path, review["request"]))
        self.was_asked.set()
        await self.may_answer.wait()
        response = {"uid": review["request"]["uid"], **self.answers.get(path, allowed)(review["request"])}
        return web.json_response({"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": response})

    def webhook(
        self, path: str, *, resource: str = "configmaps", rule: JSONObject | None = None, **changes: Any
    ) -> JSONObject:
        """One that is asked about new ConfigMaps."""
        rules = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]}
        return {
            "name": f"{path}.example.com",
            "clientConfig": {"url": f"https://127.0.0.1:{self.port}/{path}", "caBundle": self.bundle},
            "rules": [rules | (rule or {})],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **changes,
        }


@asynccontextmanager
async def running_reviewer(directory: Path) -> AsyncIterator[Reviewer]:
    authority = Authority.make(datetime.now(UTC))
    issued = authority.issue_server(["127.0.0.1", "hook.default.svc"], datetime.now(UTC))
    certificate, key = directory / "hook.crt", directory / "hook.key"
    certificate.write_bytes(issued.certificate)
    key.write_bytes(issued.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    reviewer, app = Reviewer(authority), web.Application()
    app.router.add_post("/{path:.*}", reviewer.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
        reviewer.port = runner.addresses[0][1]
        yield reviewer
    finally:
        await runner.cleanup()


@asynccontextmanager
async def configured(
    client: Client, kind: GroupVersionResource, *webhooks: JSONObject, name: str = "hooks"
) -> AsyncIterator[None]:
    """Asked about everything in the block, and about nothing after it."""
    await client.resource(kind).create({"metadata": {"name": name}, "webhooks": list(webhooks)})
    try:
        yield
    finally:
        await client.resource(kind).delete(name)


def config_map(name: str, **data: str) -> JSONObject:
    return {"metadata": {"name": name}, "data": data}
