"""A conversion webhook: `host` and `port` of v1 are one text, `address`, in v2."""

from __future__ import annotations

import base64
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.certificates.issuer import Authority


def converted(obj: JSONObject, api_version: str) -> JSONObject:
    spec = obj.get("spec") or {}
    if api_version.endswith("/v2"):
        new: JSONObject = {"address": f"{spec.get('host', '')}:{spec.get('port', 0)}"}
    else:
        host, _, port = spec.get("address", "").partition(":")
        new = {"host": host, "port": int(port or 0)}
    return {**obj, "apiVersion": api_version, "spec": new}


class Webhook:
    """`answer` may be replaced; `asked` are the reviews that came."""

    def __init__(self, authority: Authority) -> None:
        self.url = ""
        self.bundle = base64.b64encode(authority.certificate_pem).decode()
        self.asked: list[JSONObject] = []
        self.answer: Callable[[JSONObject], JSONObject] = self.success

    def success(self, review: JSONObject) -> JSONObject:
        request = review["request"]
        objects = [converted(each, request["desiredAPIVersion"]) for each in request["objects"]]
        response = {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects}
        return {"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": response}

    async def handle(self, request: web.Request) -> web.Response:
        review = await request.json()
        self.asked.append(review)
        return web.json_response(self.answer(review))

    def conversion(self, **changes: Any) -> JSONObject:
        config = {"url": self.url, "caBundle": self.bundle, **changes}
        webhook = {"conversionReviewVersions": ["v1"], "clientConfig": config}
        return {"strategy": "Webhook", "webhook": webhook}


@asynccontextmanager
async def running_webhook(directory: Path) -> AsyncIterator[Webhook]:
    authority = Authority.make(datetime.now(UTC))
    issued = authority.issue_server(["127.0.0.1", "localhost", "hook.default.svc"], datetime.now(UTC))
    certificate, key = directory / "hook.crt", directory / "hook.key"
    certificate.write_bytes(issued.certificate)
    key.write_bytes(issued.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    webhook, app = Webhook(authority), web.Application()
    app.router.add_post("/convert", webhook.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        port = runner.addresses[0][1]
        webhook.url = f"https://127.0.0.1:{port}/convert"
        yield webhook
    finally:
        await runner.cleanup()
