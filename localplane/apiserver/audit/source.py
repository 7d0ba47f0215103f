"""Where a request came from, what it asked for, and the id it is known by."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import quote, urlencode

from localplane.apimachinery.names import generate_uid
from localplane.apiserver.request import Request

_ID = "audit_id"


def audit_id(request: Request) -> str:
    """The client's own id, or a new one: the same for the request's whole life."""
    found: str | None = request.notes.get(_ID)
    if found is None:
        found = request.headers.get("audit-id", "")
        if not found or not (found.isascii() and found.isprintable()):
            found = generate_uid()
        request.notes[_ID] = found
    return found


def request_uri(request: Request) -> str:
    """Path and query, written as a client could have sent them."""
    path = quote(request.path, safe="/:@!$&'()*+,;=~", errors="replace")
    pairs = [(name, value) for name in request.query for value in request.query.all(name)]
    return f"{path}?{urlencode(pairs, errors='replace')}" if pairs else path


def source_ips(request: Request) -> list[str]:
    """All but the last are what the client says. Kubernetes: apimachinery/pkg/util/net SourceIPs."""
    found: list[str] = []
    for part in request.headers.get("x-forwarded-for", "").split(","):
        found += _address(part.strip())
    real = _address(request.headers.get("x-real-ip", ""))
    found += [address for address in real if address not in found]
    remote = _address(_host(request.remote)) or _address(request.remote)
    return found + remote if remote != found[-1:] else found


def _address(text: str) -> list[str]:
    if text:
        with suppress(ValueError):
            return [str(ip_address(text))]
    return []


def _host(remote: str) -> str:
    """127.0.0.1:5000 and [::1]:5000 have a port, 127.0.0.1 and ::1 have none."""
    host, _, _ = remote.rpartition(":")
    return host.strip("[]") if host.endswith("]") or ":" not in host else ""
