"""Which types a server has, kept on disk: asked again with its ETag when it is old, and at once when a type is unknown.

Kubernetes: client-go/discovery/cached/disk. Files are ours alone; what somebody else owns is not believed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from kctl.session import Session
    from localplane.apimachinery.errors import APIError
    from localplane.apimachinery.groups import GroupKind
    from localplane.client.discovery import APIResource, Discovered
    from localplane.client.mapper import RESTMapper, RESTMapping

T = TypeVar("T")

_FRESH_FOR = 600.0
"""Seconds during which the server is not asked at all."""
_AGGREGATED = "as=APIGroupDiscoveryList"
_ACCEPT = (
    f"application/json;g=apidiscovery.k8s.io;v=v2;{_AGGREGATED},"
    f"application/json;g=apidiscovery.k8s.io;v=v2beta1;{_AGGREGATED},application/json"
)
_ROOTS = ("/api", "/apis")


class CachedDiscovery:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._discovered: Discovered | None = None
        self._mapper: RESTMapper | None = None
        self._fresh = False

    async def discover(self, *, fresh: bool = False) -> Discovered:
        """`fresh` asks the server, whatever is on disk."""
        if self._discovered is None or (fresh and not self._fresh):
            self._discovered = await self._load(fresh=fresh)
            self._mapper = None
        return self._discovered

    async def mapper(self) -> RESTMapper:
        from localplane.client.mapper import RESTMapper

        discovered = await self.discover()
        if self._mapper is None:
            self._mapper = RESTMapper(discovered, warn=self._session.warn)
        return self._mapper

    async def mapping_for(self, argument: str) -> RESTMapping:
        """What somebody typed. Raises KctlError in kubectl's words."""
        return await self._patiently(lambda mapper: mapper.mapping_for(argument))

    async def mapping(self, kind: GroupKind, *versions: str) -> RESTMapping:
        """Where a kind is. Raises NoMatch."""
        return await self._patiently(lambda mapper: mapper.mapping(kind, *versions))

    async def expand(self, category: str) -> str:
        """The types of a category, as a comma list; anything else as it is."""
        members = _members(await self.discover(), category)
        return ",".join(str(one.resource.group_resource) for one in members) or category

    async def _patiently(self, ask: Callable[[RESTMapper], T]) -> T:
        """A type that is unknown may be new."""
        from localplane.client.errors import NoMatch

        try:
            return ask(await self.mapper())
        except NoMatch:
            if self._fresh:
                raise
        await self.discover(fresh=True)
        return ask(await self.mapper())

    def forget(self) -> None:
        """The types have changed: a definition was just made or deleted."""
        self._discovered = None
        self._fresh = False
        self._file.unlink(missing_ok=True)

    @property
    def _file(self) -> Path:
        address = re.sub(r"^https?://", "", self._session.client_config.server)
        return self._session.cache_directory / "kctl" / "discovery" / re.sub(r"[^\w/.]", "_", address) / "groups.json"

    async def _load(self, *, fresh: bool) -> Discovered:
        from localplane.client.discovery import aggregated_groups

        kept = _read(self._file)
        if fresh or kept is None or not 0 <= time.time() - kept.get("at", 0) < _FRESH_FOR:
            roots = kept["roots"] if kept is not None else {}
            kept = await self._ask(roots)
            self._fresh = True
            if kept is None:
                return await self._session.client.discovery().discover(at_once=False)
            _write(self._file, kept)
        items = [item for path in _ROOTS for item in kept["roots"][path]["items"]]
        return aggregated_groups(items)

    async def _ask(self, known: dict[str, Any]) -> dict[str, Any] | None:
        """None from a server that can't answer in one piece."""
        roots = {}
        for path in _ROOTS:
            answer = await self._ask_root(path, known.get(path) or {})
            if answer is None:
                return None
            roots[path] = answer
        return {"at": time.time(), "roots": roots}

    async def _ask_root(self, path: str, known: dict[str, Any]) -> dict[str, Any] | None:
        from localplane.apimachinery.errors import APIError
        from localplane.client.transport import header

        headers = [("Accept", _ACCEPT)]
        if known.get("etag"):
            headers.append(("If-None-Match", known["etag"]))
        try:
            answer = await self._session.client.request("GET", path, query=[("timeout", "32s")], headers=headers)
        except APIError as error:
            if error.code == 304:
                return known
            if error.code == 404 and path == "/api":
                return {"items": []}  # a server need not have the core group
            raise without_message(error) from error
        document = answer.json()
        if not isinstance(document, dict) or document.get("kind") != "APIGroupDiscoveryList":
            return None
        return {"etag": header(answer.headers, "etag"), "items": document.get("items") or []}


def without_message(error: APIError) -> APIError:
    """Kubernetes' discovery looks at the code alone, and says what that means."""
    from localplane.client.statuses import Subject, from_answer

    return from_answer(error.code, b"", content_type="application/json", retry_after=0, subject=Subject("GET"))


def _members(discovered: Discovered, category: str) -> list[APIResource]:
    return [one for one in discovered.preferred_resources() if category in one.categories and not one.is_subresource]


def _read(file: Path) -> dict[str, Any] | None:
    import json

    try:
        with file.open("rb") as opened:
            if os.fstat(opened.fileno()).st_uid != os.getuid():
                return None
            kept = json.loads(opened.read())
    except (OSError, ValueError):
        return None
    is_ours = isinstance(kept, dict) and isinstance(kept.get("roots"), dict) and all(p in kept["roots"] for p in _ROOTS)
    return kept if is_ours else None


def _write(file: Path, kept: dict[str, Any]) -> None:
    """A cache that can't be written is none; nobody has to hear of it."""
    import json

    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o660)
        with os.fdopen(descriptor, "w") as opened:
            json.dump(kept, opened, separators=(",", ":"))
        temporary.replace(file)
    except OSError:
        return
