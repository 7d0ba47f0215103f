"""URLs without urllib, as long as they are plain: importing it costs a command as much as asking the server.

What is not plain (a percent sign, a user, an IPv6 address, a letter that must be escaped) is left to urllib.
"""

from __future__ import annotations

import urllib.parse

from localplane.apimachinery.light_typing import TYPE_CHECKING, Final
from localplane.apimachinery.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from urllib.parse import SplitResult

_HIGHEST_PORT: Final = 65535


@record
class ServerURL:
    """`address` is the host with its port, as it was written. `port` is None where the scheme's is meant."""

    scheme: str
    address: str
    host: str
    port: int | None
    path: str


def server_url(url: str) -> ServerURL | None:
    """None for one that is not plain: ask `split` about it."""
    scheme, _, rest = url.partition("://")
    address, slash, path = rest.partition("/")
    host, colon, port = address.partition(":")
    if scheme not in ("http", "https") or not _is_plain(host) or host != host.lower():
        return None
    if colon and not (port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT):
        return None
    if slash and not all(_is_plain(segment) for segment in path.split("/") if segment):
        return None
    return ServerURL(scheme, address, host, int(port) if port else None, f"{slash}{path}")


def split(url: str) -> SplitResult:
    return urllib.parse.urlsplit(url)


def escaped(text: str) -> str:
    """For a segment of a path."""
    if _is_plain(text):
        return text
    return urllib.parse.quote(text, safe="")


def query_of(pairs: Iterable[tuple[str, str]]) -> str:
    pairs = list(pairs)
    if all(_is_plain(name) and _is_plain(value) for name, value in pairs):
        return "&".join(f"{name}={value}" for name, value in pairs)
    return urllib.parse.urlencode(pairs)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("-", "").replace(".", "").replace("_", "").isalnum()
