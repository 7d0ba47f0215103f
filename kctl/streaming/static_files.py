"""Files of a directory over HTTP, for `kctl proxy --www`. Nothing outside of the directory is read."""

from __future__ import annotations

import html
import mimetypes
from email.utils import formatdate
from typing import TYPE_CHECKING
from urllib.parse import quote

from aiohttp import web

if TYPE_CHECKING:
    from pathlib import Path

_INDEX = "index.html"
_PLAIN = "$&+,/:;=@!'()*~"


def serve_file(directory: Path, name: str) -> web.StreamResponse:
    """`name` is below the directory, with a slash at its end where a directory is meant."""
    if name.endswith(f"/{_INDEX}") or name == _INDEX:
        return web.Response(status=301, headers={"Location": "./"})
    parts = [part for part in name.split("/") if part]
    file = directory.joinpath(*parts)
    if ".." in parts or not file.exists() or (file.is_file() and name.endswith("/")):
        headers = {"X-Content-Type-Options": "nosniff"}
        return web.Response(status=404, text="404 page not found\n", headers=headers)
    if file.is_dir():
        if name and not name.endswith("/"):
            return web.Response(status=301, headers={"Location": f"{parts[-1]}/"})
        if not (file / _INDEX).is_file():
            return _listing(file)
        file /= _INDEX
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    kind += "; charset=utf-8" if kind.startswith("text/") else ""
    return web.FileResponse(file, headers={"Content-Type": kind, "Last-Modified": formatdate(usegmt=True)})


def _listing(directory: Path) -> web.Response:
    names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in directory.iterdir())
    links = "".join(f'<a href="{quote(name, safe=_PLAIN)}">{html.escape(name)}</a>\n' for name in names)
    page = f'<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n{links}</pre>\n'
    return web.Response(text=page, content_type="text/html")
