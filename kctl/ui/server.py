"""The paths of the console.

    /?key=KEY               a link of the gate's: sets the cookie, and leads into the room
    /ROOM/                  the page; /ROOM/assets/... is what it consists of
    /ROOM/k8s/...           the API, with the user's credentials; what passes is said in `passage`
    /ROOM/watch             a WebSocket for `watches`
    /ROOM/about             which context and server this is
    /ROOM/kinds, counts, search, family, skeleton      what is asked over every kind (`survey`), and a form to fill in

Everything in the room wants the cookie; everything but the page itself wants a header that only our script sends.
"""

from __future__ import annotations

import pathlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple

import orjson
from aiohttp import web

from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.ui import passage
from kctl.ui.census import Census
from kctl.ui.gate import HEADERS, MARK, Gate, Refused
from kctl.ui.survey import Survey
from kctl.ui.watches import Watches
from kctl.views.explain import documents, skeleton
from kctl.views.explain.text import Options
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ClientError
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.transport.interface import Transport

_ASSETS: Final = pathlib.Path(__file__).parent / "assets"
_TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
_LARGEST_BODY: Final = 3 * 1024 * 1024
_MOST_PIECES: Final = 65536


class About(NamedTuple):
    """What the page says of where it is."""

    context: str
    server: str
    namespace: str
    read_only: bool


class Console:
    """`transport` leads to the API in the user's name; the session is asked for what its discovery and schemas know."""

    def __init__(self, session: Session, transport: Transport, gate: Gate, about: About) -> None:
        self._session = session
        self._transport = transport
        self._client = Client(transport)
        self.census = Census(self._client)
        self._survey = Survey(self._client, self.census)
        self._gate = gate
        self._about = about
        self._assets = {
            str(file.relative_to(_ASSETS).as_posix()): file.read_bytes()
            for file in sorted(_ASSETS.rglob("*"))
            if file.suffix in _TYPES
        }
        self._questions: Mapping[str, Callable[[web.BaseRequest], Awaitable[object]]] = {
            "about": lambda _: self._tell_about(),
            "kinds": lambda _: self._survey.documents(),
            "counts": lambda request: self._survey.counts(request.rel_url.query.get("namespace", "")),
            "search": lambda request: self._survey.search(request.rel_url.query.get("q", "")),
            "family": lambda request: self._survey.family(request.rel_url.query.get("uid", "")),
            "skeleton": self._tell_skeleton,
        }

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Whatever happens, the answer has the gate's headers; nothing that goes wrong ends the console."""
        try:
            return await self._answer(request)
        except Refused as error:
            return _status(error.status, str(error))
        except APIError as error:
            return _json(error.status(), error.code)
        except (ClientError, KctlError) as error:
            return _status(502, str(error), reason="ServerGone")
        except ConnectionError:
            return _status(499, "nobody waits for the answer")

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self._gate.check_origin(request.method, request.headers)
        path = request.rel_url.raw_path
        if path == "/" and request.method == "GET" and "key" in request.rel_url.query:
            return self._enter(request)
        if not path.startswith(self._gate.room):
            self._gate.check_cookie({})
        self._gate.check_cookie(request.headers)
        name = path.removeprefix(self._gate.room)
        if name == "":
            return self._asset(request, "index.html")
        self._gate.check_page(request.headers)
        if name.startswith("assets/"):
            return self._asset(request, name.removeprefix("assets/"))
        if name == "watch":
            if request.headers.get("Origin") is None:
                raise Refused(403, "a WebSocket has to say which page it comes from")
            return await Watches(self._transport, self.census).serve(request)
        if request.headers.get(MARK) != "1":
            raise Refused(403, "only the console's own script may ask this")
        if name.startswith("k8s/"):
            return await self._pass_on(request, name.removeprefix("k8s"))
        if (question := self._questions.get(name)) is None:
            raise Refused(404, "the console has no such page")
        if request.method != "GET":
            raise Refused(405, f"this is read, not changed: {request.method} does nothing here")
        return _json(await question(request))

    def _enter(self, request: web.BaseRequest) -> web.Response:
        """By a page that leads on by itself, and not by a redirection: a browser that comes from a link of another
        page would then leave the cookie out, because it is for our own pages only."""
        if "prefetch" in request.headers.get("Sec-Purpose", "") or "prefetch" in request.headers.get("Purpose", ""):
            raise Refused(403, "a link that lets in once is not to be fetched in advance")
        cookie = self._gate.exchange(request.rel_url.query["key"])
        page = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>kctl</title>'
            f'<meta http-equiv="refresh" content="0;url={self._gate.room}">'
            f'<p><a href="{self._gate.room}">Open the console</a></p></html>'
        )
        headers = {**HEADERS, "Set-Cookie": cookie}
        return web.Response(text=page, content_type="text/html", charset="utf-8", headers=headers)

    def _asset(self, request: web.BaseRequest, name: str) -> web.Response:
        if request.method not in ("GET", "HEAD"):
            raise Refused(405, "a page is read, not changed")
        if (content := self._assets.get(name)) is None:
            raise Refused(404, "the console has no such file")
        kind = _TYPES[pathlib.PurePosixPath(name).suffix]
        return web.Response(body=content, content_type=kind, charset="utf-8", headers=HEADERS)

    async def _pass_on(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        if "upgrade" in request.headers.get("Connection", "").lower():
            raise Refused(403, "the console passes on no streams but its own")
        passage.check(request.method, path, read_only=self._about.read_only)
        query = request.rel_url.raw_query_string
        answer = await self._transport.request(
            request.method,
            f"{path}?{query}" if query else path,
            headers=passage.sent(list(request.headers.items())),
            body=await _body(request),
        )
        try:
            response = web.StreamResponse(status=answer.status, headers=HEADERS)
            for name, value in passage.told(answer.headers):
                response.headers.add(name, value)
            await response.prepare(request)
            async for chunk in answer.chunks():
                await response.write(chunk)
        finally:
            await answer.close()
        return response

    async def _tell_about(self) -> JSONObject:
        version = (await self._client.request("GET", "/version")).json()
        try:
            await self._client.request("GET", "/localplane/v1/rbac/users")
            ours = True
        except APIError:
            ours = False
        about = self._about
        return {
            "context": about.context,
            "server": about.server,
            "namespace": about.namespace,
            "readOnly": about.read_only,
            "version": version.get("gitVersion", ""),
            "ours": ours,
        }

    async def _tell_skeleton(self, request: web.BaseRequest) -> JSONObject:
        query = request.rel_url.query
        resource = GroupVersionResource(query.get("group", ""), query.get("version", ""), query.get("resource", ""))
        paths = await documents.paths_of(self._session)
        found = await documents.document_at(self._session, paths, resource)
        kind = documents.kind_of(found, resource)
        return {"text": skeleton.skeleton(found, kind, (), Options(recursive=False, max_depth=0))}


async def _body(request: web.BaseRequest) -> bytes | None:
    if not request.can_read_body:
        return None
    pieces, size = [], 0
    async for piece in request.content.iter_chunked(_MOST_PIECES):
        size += len(piece)
        if size > _LARGEST_BODY:
            raise Refused(413, f"a request has {_LARGEST_BODY} bytes at most")
        pieces.append(piece)
    return b"".join(pieces)


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(
        status=status, body=orjson.dumps(value), content_type="application/json", charset="utf-8", headers=HEADERS
    )


def _status(code: int, message: str, *, reason: str = "Console") -> web.Response:
    """A refusal of our own, in the API's form."""
    return _json(
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason, "code": code},
        code,
    )
