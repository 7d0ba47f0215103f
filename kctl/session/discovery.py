"""Which types a server has, kept on disk: asked again with its ETag when it is old, and at once when a type is unknown.

Kubernetes: client-go/discovery/cached/disk. Files are ours alone; what somebody else owns is not believed.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, TypeVar
from localplane.client.errors import NoMatch
from localplane.client.rest import mapper as rest_mapper
from localplane.client.rest.discovery import (
    ACCEPT,
    APIResource,
    Discovered,
    aggregated_groups,
    legacy_groups,
    legacy_version,
    legacy_versions,
    one_by_one,
)
from localplane.client.rest.statuses import Subject, from_answer
from localplane.client.transport.interface import header

if TYPE_CHECKING:
    from kctl.session.session import Session
T = TypeVar("T")

_FRESH_FOR = 6 * 3600.0
"""Seconds during which the server is not asked at all. Kubernetes: cli-runtime, ConfigFlags.toDiscoveryClient."""
_ROOTS = ("/api", "/apis")


class CachedDiscovery:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._discovered: Discovered | None = None
        self._mapper: rest_mapper.RESTMapper | None = None
        self._fresh = False

    async def discover(self, *, fresh: bool = False) -> Discovered:
        """`fresh` asks the server, whatever is on disk."""
        if self._discovered is None or (fresh and not self._fresh):
            self._discovered = await self._load(fresh=fresh)
            self._mapper = None
        return self._discovered

    async def mapper(self) -> rest_mapper.RESTMapper:
        discovered = await self.discover()
        if self._mapper is None:
            self._mapper = rest_mapper.RESTMapper(discovered, warn=self._session.warn)
        return self._mapper

    async def mapping_for(self, argument: str) -> rest_mapper.RESTMapping:
        """What somebody typed. Raises KctlError in kubectl's words."""
        return await self._patiently(lambda mapper: mapper.mapping_for(argument))

    async def mapping(self, kind: GroupKind, *versions: str) -> rest_mapper.RESTMapping:
        """Where a kind is. Raises NoMatch."""
        return await self._patiently(lambda mapper: mapper.mapping(kind, *versions))

    async def expand(self, category: str) -> str:
        """The types of a category, as a comma list; anything else as it is."""
        members = _members(await self.discover(), category)
        return ",".join(str(one.resource.group_resource) for one in members) or category

    async def _patiently(self, ask: Callable[[rest_mapper.RESTMapper], T]) -> T:
        """A type that is unknown may be new."""
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
        try:
            os.unlink(self._file)
        except FileNotFoundError:
            return

    @property
    def _file(self) -> str:
        address = re.sub(r"^https?://", "", self._session.client_config.server)
        address = re.sub(r"[^\w/.]", "_", address)
        address = re.sub(r"(?<![^/])\.+(?![^/])", "_", address)  # whatever it says, it stays in our folder
        return f"{self._session.cache_directory}/kctl/discovery/{address}/groups.json"

    async def _load(self, *, fresh: bool) -> Discovered:
        kept = _read(self._file)
        if fresh or kept is None or not 0 <= time.time() - kept.get("at", 0) < _FRESH_FOR:
            kept = {"at": time.time(), "roots": await self._ask(kept["roots"] if kept is not None else {})}
            self._fresh = True
        documents = [kept["roots"][path]["document"] for path in _ROOTS]
        if all(_is_aggregated(document) for document in documents):
            discovered = aggregated_groups([item for document in documents for item in document.get("items") or ()])
        else:
            discovered = await self._one_by_one(documents, kept.setdefault("versions", {}))
        if self._fresh:
            _write(self._file, kept)
        return discovered

    async def _one_by_one(self, roots: list[dict[str, Any]], known: dict[str, Any]) -> Discovered:
        """From a server that can't answer in one piece. What could be asked is added to `known`."""
        groups, found, failures = legacy_groups(*roots), {}, {}
        for version in (version for group in groups for version in legacy_versions(group)):
            try:
                if str(version) not in known:
                    known[str(version)] = await self._session.client.discovery().resource_list(version)
                found[version] = legacy_version(version, known[str(version)])
            except APIError as error:
                failures[version] = error
        return one_by_one(groups, found, failures)

    async def _ask(self, known: dict[str, Any]) -> dict[str, Any]:
        return {path: await self._ask_root(path, known.get(path) or {}) for path in _ROOTS}

    async def _ask_root(self, path: str, known: dict[str, Any]) -> dict[str, Any]:
        headers = [("Accept", ACCEPT)]
        if known.get("etag"):
            headers.append(("If-None-Match", known["etag"]))
        try:
            answer = await self._session.client.request("GET", path, query=[("timeout", "32s")], headers=headers)
        except APIError as error:
            if error.code == 304:
                return known
            if error.code == 404 and path == "/api":
                return {"document": {"kind": "APIGroupDiscoveryList"}}  # a server need not have the core group
            raise without_message(error) from error
        document = answer.json()
        return {"etag": header(answer.headers, "etag"), "document": document if isinstance(document, dict) else {}}


def without_message(error: APIError) -> APIError:
    """Kubernetes' discovery looks at the code alone, and says what that means."""
    return from_answer(error.code, b"", content_type="application/json", retry_after=0, subject=Subject("GET"))


def _is_aggregated(document: dict[str, Any]) -> bool:
    return document.get("kind") == "APIGroupDiscoveryList"


def _members(discovered: Discovered, category: str) -> list[APIResource]:
    return [one for one in discovered.preferred_resources() if category in one.categories and not one.is_subresource]


def _read(file: str) -> dict[str, Any] | None:
    try:
        with open(file, "rb") as opened:
            if os.fstat(opened.fileno()).st_uid != os.getuid():
                return None
            kept: Any = json.loads(opened.read())
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or not isinstance(kept.get("roots"), dict):
        return None
    return kept if all(_is_root(kept["roots"].get(path)) for path in _ROOTS) else None


def _is_root(kept: Any) -> bool:
    return isinstance(kept, dict) and isinstance(kept.get("document"), dict)


def _write(file: str, kept: dict[str, Any]) -> None:
    """A cache that can't be written is none; nobody has to hear of it."""
    directory, name = os.path.split(file)
    temporary = f"{directory}/.{name}.{os.getpid()}"
    try:
        os.makedirs(directory, mode=0o750, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o660)
        with os.fdopen(descriptor, "w") as opened:
            json.dump(kept, opened, separators=(",", ":"))
        os.replace(temporary, file)
    except OSError:
        return
