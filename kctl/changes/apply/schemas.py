"""Which of a kind's lists merge and by which key, from the server's OpenAPI documents, reduced and kept on disk."""

from __future__ import annotations

import os
import pathlib
import re
from typing import Any

from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.patch.strategic.openapi import node_of, reduced
from localplane.apimachinery.schema import Node


class PatchSchemas:
    """One index of documents is asked for in each command, and a document only if it has changed since it was kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._index: dict[str, str] | None = None
        self._kept: dict[str, dict[str, Any] | None] = {}

    async def lookup(self, kind: GroupVersionKind) -> Node | None:
        """None for kinds that the server does not merge strategically, and from servers without documents."""
        where = f"apis/{kind.group}/{kind.version}" if kind.group else f"api/{kind.version}"
        if where not in self._kept:
            self._kept[where] = await self._load(where, kind)
        kept = self._kept[where]
        return None if kept is None else node_of(kept, kind.kind)

    def forget(self) -> None:
        """There may be new kinds."""
        self._index = None
        self._kept.clear()

    async def _load(self, where: str, kind: GroupVersionKind) -> dict[str, Any] | None:
        import orjson

        address = (await self._documents()).get(where)
        if address is None:
            return None
        path, _, query = address.partition("?")
        version = query.partition("hash=")[2].partition("&")[0]
        file = self._file(where, version)
        if version and (kept := _read(file)) is not None:
            return kept
        parameters = [("hash", version)] if version else []
        answer = await self._session.client.request(
            "GET", path, query=parameters, headers=[("Accept", "application/json")]
        )
        kept = reduced(answer.json(), kind.group, kind.version)
        if version:
            _write(file, orjson.dumps(kept))
        return kept

    async def _documents(self) -> dict[str, str]:
        if self._index is None:
            try:
                answer = await self._session.client.request(
                    "GET", "/openapi/v3", headers=[("Accept", "application/json, */*")]
                )
            except APIError:
                self._index = {}
            else:
                paths = answer.json().get("paths") or {}
                self._index = {name: str(each.get("serverRelativeURL") or "") for name, each in paths.items()}
        return self._index

    def _file(self, where: str, version: str) -> pathlib.Path:
        name = re.sub(r"[^\w.]", "_", f"{where}-{version[:40]}")
        return pathlib.Path(self._session.cache_directory, "kctl", "patch-schemas", f"{name}.json")


def _read(file: pathlib.Path) -> dict[str, Any] | None:
    import orjson

    try:
        with file.open("rb") as opened:
            if os.fstat(opened.fileno()).st_uid != os.getuid():
                return None
            kept = orjson.loads(opened.read())
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) and "kinds" in kept and "schemas" in kept else None


def _write(file: pathlib.Path, data: bytes) -> None:
    """A cache that can't be written is none."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o660)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
        temporary.replace(file)
    except OSError:
        return
