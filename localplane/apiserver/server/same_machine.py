"""Who may speak plain HTTP to us: programs on this machine, and no web page.

A browser can be made to send requests to localhost, under any name that resolves there (DNS rebinding), but it can't
help naming the host it believes in, nor the page that asks. Over TLS this isn't needed: a page has no credentials.
Kubernetes: kubectl/pkg/proxy (its default --accept-hosts).
"""

from __future__ import annotations

from collections.abc import Mapping

_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]", ""})


def foreign(headers: Mapping[str, str]) -> bool:
    """Names are in lower case. A client without a Host header is no browser."""
    if "origin" in headers:
        return True
    host = headers.get("host", "")
    name = host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]
    return name.lower() not in _NAMES
