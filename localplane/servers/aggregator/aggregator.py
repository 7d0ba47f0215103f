"""What stands in front of the built-in kinds: versions of groups that other servers answer for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from localplane.apiserver.endpoints.discovery import InstalledGroup, InstalledVersion
from localplane.apiserver.request import Answer, Request

from .proxy import Proxy
from .remote import Remote, remote_of
from .remote_discovery import RemoteDiscovery

_OPENAPI: Final = "/openapi/v3"


def _is_plain(parts: Sequence[str]) -> bool:
    """Whether every server reads these parts of a path alike: none leads elsewhere, and none is empty but the last."""
    words = (word for part in parts for word in part.replace("\\", ";").split(";"))
    return all(parts[:-1]) and not any(word in (".", "..") for word in words)


class Aggregator:
    """Knows who answers for what, as it was last told; it waits for nothing and asks nobody. A request for what is
    served here costs one look into an empty table."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._remotes: dict[tuple[str, str], Remote] = {}
        self._discovered: dict[str, RemoteDiscovery] = {}
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        """Told when `describe` or `openapi` would say something else."""
        self._listeners.append(listener)

    async def handle(self, request: Request) -> Answer | None:
        """None for what is answered here."""
        if not self._remotes:
            return None
        remote = self._remote_for(request.path)
        return await self._proxy.pass_on(request, remote) if remote else None

    def _remote_for(self, path: str) -> Remote | None:
        """Of OpenAPI there is one document for each version, and nothing below it. What another server could read as
        another path than the one that was authorized is nobody's."""
        is_openapi = path.startswith(_OPENAPI)
        parts = (path[len(_OPENAPI) :] if is_openapi else path).split("/")
        if len(parts) < 4 or parts[0] or parts[1] != "apis" or (is_openapi and len(parts) != 4):
            return None
        remote = self._remotes.get((parts[2], parts[3]))
        return remote if remote and _is_plain(parts[4:]) else None

    def describe(self) -> Sequence[InstalledGroup]:
        """One entry for each version: discovery puts them together, also with versions that are served here."""
        return [
            InstalledGroup(name=remote.group, versions=[self._version(remote)], priority=remote.group_priority)
            for remote in self._remotes.values()
        ]

    def openapi(self) -> Mapping[str, str]:
        """Where the documents are, by their names in the index."""
        found = {
            remote.path[1:]: self._discovered[remote.name].openapi
            for remote in self._remotes.values()
            if remote.available and remote.name in self._discovered
        }
        return {path: url for path, url in found.items() if url}

    def remotes(self) -> Sequence[Remote]:
        return tuple(self._remotes.values())

    def heard(self, obj: Mapping[str, Any]) -> Remote | None:
        """An APIService is there. What it was before is returned, as far as another server answered for it."""
        remote, known = remote_of(obj), self._forget(obj)
        if remote is not None:
            self._remotes[remote.group, remote.version] = remote
        if remote != known:
            self._changed()
        return known

    def gone(self, obj: Mapping[str, Any]) -> None:
        self._discovered.pop(obj["metadata"]["name"], None)
        if self._forget(obj) is not None:
            self._changed()

    def discovered(self, name: str, found: RemoteDiscovery) -> None:
        if self._discovered.get(name) != found:
            self._discovered[name] = found
            self._changed()

    def _forget(self, obj: Mapping[str, Any]) -> Remote | None:
        spec = obj.get("spec") or {}
        return self._remotes.pop((spec.get("group", ""), spec.get("version", "")), None)

    def _changed(self) -> None:
        for listener in self._listeners:
            listener()

    def _version(self, remote: Remote) -> InstalledVersion:
        found = self._discovered.get(remote.name)
        return InstalledVersion(
            version=remote.version,
            resources=found.resources if found else (),
            priority=remote.version_priority,
            custom=True,
            stale=found is None or not remote.available,
        )
