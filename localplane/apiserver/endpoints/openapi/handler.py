"""Answers OpenAPI requests: an index, a document for each group version, and one for old clients.

Nothing is built before someone asks for it. Kubernetes: kube-openapi's handler and handler3, and the aggregator's
index, which has no media type of its own and is sent as text.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final
from urllib.parse import quote

from localplane import __version__
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.serializers import to_json
from localplane.apimachinery.serializers.media_types import parse_accept
from localplane.apiserver.endpoints.discovery.model import InstalledGroup, InstalledResource, InstalledSubresource
from localplane.apiserver.endpoints.discovery.priority import merged
from localplane.apiserver.request import Answer, Request, Response

from . import gnostic
from .descriptions import Descriptions
from .documents import Documented, DocumentedVersion, document_v2, document_v3
from .roots import RootPath, of_groups

Groups = Callable[[], Sequence[InstalledGroup]]

_INDEX: Final = "/openapi/v3"
_JSON: Final = "application/json"
_IMMUTABLE: Final = timedelta(days=365)

# What may be asked for, and what it is then called: a name without the @, which is not allowed in media types.
_FORMS_V3: Final = {"json": _JSON}
_FORMS_V2: Final = {
    "json": _JSON,
    "com.github.proto-openapi.spec.v2@v1.0+protobuf": gnostic.MEDIA_TYPE,
    "com.github.proto-openapi.spec.v2.v1.0+protobuf": gnostic.MEDIA_TYPE,
}


class OpenAPI:
    """`groups` is asked again after `changed`, when the next request comes. Documents whose content can't have changed
    stay: one new definition rebuilds its own version, and not the others.

    `others` are documents that other servers answer for, at which URL: the index lists them, and no more than that
    happens to them here. `descriptions` is asked each time a document is made. `beside` is what has a document, and is
    no group's."""

    def __init__(
        self,
        groups: Groups,
        *,
        title: str = "localplane",
        release: str = __version__,
        others: Callable[[], Mapping[str, str]] = dict,
        descriptions: Callable[[], Descriptions] = dict,
        beside: Sequence[RootPath] = (),
    ) -> None:
        self._groups = groups
        self._descriptions = descriptions
        self._others = others
        self._beside = beside
        self._info = {"title": title, "version": release}
        self._served: dict[str, tuple[Documented, str]] | None = None
        self._built_in: Sequence[GroupVersion] = ()
        self._memo = Memo()

    def changed(self) -> None:
        self._served = None

    async def handle(self, request: Request) -> Answer | None:
        """None: the path is none of ours. Any method is a GET here, as it is in Kubernetes."""
        path = request.path
        if path == "/openapi/v2":
            return await self._answer_v2(request)
        if path == _INDEX:
            return self._answer_index(request)
        if path.startswith(f"{_INDEX}/"):
            return await self._answer_v3(request, path.removeprefix(f"{_INDEX}/"))
        return None

    def _answer_index(self, request: Request) -> Response:
        others = self._others()
        urls = {**{path: _url(path, found) for path, (_, found) in self._all().items()}, **others}
        current = combined([self._combined(), *others.values()]) if others else self._combined()
        index = {path: {"serverRelativeURL": url} for path, url in sorted(urls.items())}
        known = _unchanged(request, current, {})
        return known or Response(200, to_json({"paths": index}), "text/plain; charset=utf-8", {"ETag": _etag(current)})

    async def _answer_v3(self, request: Request, path: str) -> Response:
        if path not in self._all():
            return Response(404, content_type="")
        served, current = self._all()[path]
        headers = {"Vary": "Accept"}
        if (form := _form(request, _FORMS_V3)) is None:
            return Response(406, content_type="", headers=headers)
        if asked := request.query.get("hash"):
            if asked != current:
                headers |= {"ETag": _etag(current), "Location": _url(path, current)}
                return Response(301, content_type=form, headers=headers)
            expires = format_datetime(datetime.now(UTC) + _IMMUTABLE, usegmt=True)
            headers |= {"Cache-Control": "public, immutable", "Expires": expires}
        if (known := _unchanged(request, current, headers)) is not None:
            return known
        registered = self._registered(served)
        body = await self._memo.get(
            path, current, lambda: document_v3(served, self._info, self._descriptions(), registered=registered)
        )
        return Response(200, body, form, {**headers, "ETag": _etag(current)})

    async def _answer_v2(self, request: Request) -> Response:
        headers = {"Vary": "Accept"}
        if (form := _form(request, _FORMS_V2)) is None:
            return Response(406, content_type="", headers=headers)
        current = self._combined()
        if (known := _unchanged(request, current, headers)) is not None:
            return known
        served = [each for each, _ in self._all().values()]

        async def build() -> bytes:
            document = await document_v2(served, self._info, self._descriptions())
            return to_json(document) if form == _JSON else await gnostic.encoded(document)

        body = await self._memo.get(form, current, build)
        return Response(200, body, form, {**headers, "ETag": _etag(current)})

    def _all(self) -> dict[str, tuple[Documented, str]]:
        """Every group version and every root with its hash, by its name in the index."""
        if self._served is None:
            groups = merged(self._groups())
            versions = [DocumentedVersion(group, version) for group in groups for version in group.versions]
            self._built_in = tuple(each.group_version for each in versions if not each.version.custom)
            about = tuple(self._info.values())
            found: dict[str, tuple[Documented, str]] = {}
            for each in versions:
                found[each.path] = (each, fingerprint(each, *about, *map(str, self._registered(each))))
            for root in (*of_groups(groups), *self._beside):
                found[root.path] = (root, _hash(repr((*about, root))))
            self._served = found
            self._memo.keep({*self._served, *_FORMS_V2.values()})
        return self._served

    def _registered(self, served: Documented) -> Sequence[GroupVersion]:
        """The versions that shared kinds belong to, as a document says it: a built-in version names itself, and the
        document of a definition all built-in ones."""
        if isinstance(served, RootPath):
            return ()
        return self._built_in if served.version.custom else (served.group_version,)

    def _combined(self) -> str:
        return combined(found for _, found in self._all().values())


def _form(request: Request, forms: dict[str, str]) -> str | None:
    """The media type to answer in; None if there is none that the client takes."""
    for clause in parse_accept(request.headers.get("accept") or "*/*"):
        for subtype, form in forms.items():
            if clause.type in ("application", "*") and clause.subtype in (subtype, "*"):
                return form
    return None


def _url(path: str, current: str) -> str:
    return f"{_INDEX}/{quote(path)}?hash={current}"


def _etag(current: str) -> str:
    return f'"{current}"'


def _unchanged(request: Request, current: str, headers: dict[str, str]) -> Response | None:
    """304, if the client has it already, by HTTP's weak comparison."""
    known = (each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(","))
    if any(each in ("*", _etag(current)) for each in known):
        return Response(304, content_type="", headers={**headers, "ETag": _etag(current)})
    return None


def fingerprint(served: DocumentedVersion, *about: str) -> str:
    """Upper-case hexadecimal, as clients know it. `about` is what else the document says."""
    version = served.version
    said = (*about, served.path, version.custom, [_identity(each) for each in version.resources])
    return _hash(repr(said))


def combined(fingerprints: Iterable[str]) -> str:
    return _hash("".join(fingerprints))


def _hash(text: str) -> str:
    return hashlib.sha512(text.encode()).hexdigest().upper()


def _identity(described: InstalledResource | InstalledSubresource) -> list[Any]:
    """All that is said but the schema itself: only its identity counts."""
    found: list[Any] = []
    for each in fields(described):
        value = getattr(described, each.name)
        if each.name == "subresources":
            value = [_identity(below) for below in value]
        elif each.name == "schema":
            value = value is not None
        found.append(list(value) if isinstance(value, tuple) else value)
    return found


class Memo:
    """Whoever comes while a document is built waits for it. If the builder is cancelled, the next in line builds."""

    def __init__(self) -> None:
        self._documents: dict[str, tuple[str, bytes]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def get(self, name: str, current: str, build: Callable[[], Coroutine[Any, Any, bytes]]) -> bytes:
        """The document with the hash `current`, which `build` makes."""
        found = self._known(name, current)
        if found is not None:
            return found
        async with self._locks.setdefault(name, asyncio.Lock()):
            found = self._known(name, current)
            if found is None:
                found = await build()
                self._documents[name] = (current, found)
        return found

    def keep(self, names: AbstractSet[str]) -> None:
        """Forget all but these."""
        for name in self._documents.keys() - names:
            del self._documents[name]
        self._locks = {name: lock for name, lock in self._locks.items() if name in names or lock.locked()}

    def _known(self, name: str, current: str) -> bytes | None:
        version, document = self._documents.get(name, ("", b""))
        return document if version == current else None
