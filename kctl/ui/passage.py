"""Which requests to the API are passed on, and what of them.

Only what the page needs: objects and lists of them, the subresources status, scale and log, and a plane's instruments
that look. Nothing that runs commands in containers, opens ports or leads on to another server; no tokens; no deleting
of many at once. A path is read as the server will read it, and one that could be read in two ways is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

from kctl.ui.gate import Refused

_SUBRESOURCES: Final = {"status": ("GET", "PUT", "PATCH"), "scale": ("GET", "PUT", "PATCH"), "log": ("GET",)}
_READS: Final = ("GET",)
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_INSTRUMENTS: Final = {
    ("history", "object"): ("GET",),
    ("history", "changes"): ("GET",),
    ("requests",): ("GET",),
    ("rbac", "users"): ("GET",),
    ("rbac", "minimal"): ("GET",),
    ("faults",): ("GET", "POST", "DELETE"),
}
_SENT: Final = ("accept", "content-type")
_TOLD: Final = ("content-type", "warning", "retry-after")

Pairs = Sequence[tuple[str, str]]


def check(method: str, raw_path: str, *, read_only: bool) -> None:
    """`raw_path` is as it came, percent-encoded. Raises Refused for what is not passed on."""
    if method not in _METHODS:
        raise Refused(405, f"the console does not pass on {method}")
    if read_only and method not in _READS:
        raise Refused(403, "this console only reads: it was started with --read-only")
    segments = _segments(raw_path)
    match segments:
        case ["version"] | ["api"] | ["apis"]:
            _allow(method, _READS)
        case ["api", "v1", *rest] | ["apis", _, _, *rest] if rest:
            _check_resource(method, rest)
        case ["api", _] | ["apis", _] | ["apis", _, _]:
            _allow(method, _READS)
        case ["localplane", "v1", *rest]:
            _check_instrument(method, rest)
        case _:
            raise Refused(403, f"the console does not pass on {raw_path}")


def _segments(raw_path: str) -> list[str]:
    """Decoded. Raises Refused where a server might see other ones."""
    if not raw_path.startswith("/"):
        raise Refused(400, "a path begins with a slash")
    try:
        segments = [unquote(part, errors="strict") if part.isascii() else "" for part in raw_path[1:].split("/")]
    except UnicodeDecodeError:
        segments = [""]
    for segment in segments:
        if segment in ("", ".", "..") or not segment.isprintable() or not {*segment}.isdisjoint("/\\%?#;"):
            raise Refused(400, "a path that can be read in two ways is not passed on")
    return segments


def _check_resource(method: str, rest: Sequence[str]) -> None:
    """[namespaces NS] RESOURCE [NAME [SUBRESOURCE]]"""
    match rest:
        case ["watch" | "proxy", *_]:
            raise Refused(403, f"the console does not pass on {rest[0]}")
        case ["namespaces", _, "status" | "finalize" as subresource]:
            _check_subresource(method, subresource)
        case ["namespaces", _, _] | [_]:
            _allow(method, ("GET", "POST"))
        case ["namespaces", _, _, _] | [_, _]:
            _allow(method, ("GET", "PUT", "PATCH", "DELETE"))
        case ["namespaces", _, _, _, subresource] | [_, _, subresource]:
            _check_subresource(method, subresource)
        case _:
            raise Refused(403, "the console passes on objects, and no paths below them")


def _check_subresource(method: str, subresource: str) -> None:
    if subresource not in _SUBRESOURCES:
        raise Refused(403, f"the console does not pass on {subresource}")
    _allow(method, _SUBRESOURCES[subresource])


def _check_instrument(method: str, rest: Sequence[str]) -> None:
    match rest:
        case ["history", "at", _, "api" | "apis", *_]:
            _allow(method, _READS)
            check(method, "/" + "/".join(rest[3:]), read_only=True)
        case ["faults", _]:
            _allow(method, ("DELETE",))
        case _ if tuple(rest) in _INSTRUMENTS:
            _allow(method, _INSTRUMENTS[tuple(rest)])
        case _:
            raise Refused(403, f"the console does not pass on the instrument {'/'.join(rest)}")


def _allow(method: str, methods: Sequence[str]) -> None:
    if method not in methods:
        raise Refused(405, f"the console does not pass on {method} here")


def sent(headers: Pairs) -> list[tuple[str, str]]:
    """What the server hears of a request's headers: neither cookies nor whom to act as."""
    return [(name, value) for name, value in headers if name.lower() in _SENT]


def told(headers: Pairs) -> list[tuple[str, str]]:
    """What the page hears of the answer's."""
    return [(name, value) for name, value in headers if name.lower() in _TOLD]
