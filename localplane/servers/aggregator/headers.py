"""Which headers go through, and in which the other server is told who asks.

Kubernetes: client-go/transport (SetAuthProxyHeaders), net/http/httputil (ReverseProxy).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

from localplane.apiserver.audit import audit_id
from localplane.apiserver.request import Request, User

Pairs = list[tuple[str, str]]

_HOP_BY_HOP: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OURS_TO_SAY: Final = frozenset({"host", "content-length", "authorization", "audit-id", "expect"})
_ABOUT_THE_USER: Final = ("x-remote-", "impersonate-")
_NOT_PASSED_BACK: Final = frozenset({"content-length", "content-type", "date"})
_EXTRA_KEY: Final = "!#$&'*+-.^_`|~"
"""What a header's name may hold; the rest of an extra's key is escaped. Kubernetes: headerKeyEscape."""


def wants_upgrade(request: Request) -> bool:
    return "upgrade" in _listed(request.headers.get("connection", ""))


def identity(user: User) -> Pairs:
    headers = [("X-Remote-User", user.name)]
    if user.uid:
        headers.append(("X-Remote-Uid", user.uid))
    headers += [("X-Remote-Group", group) for group in user.groups]
    for key, values in user.extra.items():
        name = f"X-Remote-Extra-{quote(key, safe=_EXTRA_KEY)}"
        headers += [(name, value) for value in values]
    return headers


def outgoing(request: Request, user: User) -> Pairs:
    """Nothing by which a client could say who it is."""
    left_out = _HOP_BY_HOP | _OURS_TO_SAY | _listed(request.headers.get("connection", ""))
    headers: Pairs = []
    for name, value in request.headers.items():
        if name in left_out or name.replace("_", "-").startswith(_ABOUT_THE_USER):  # to some servers they are the same
            continue
        headers += [(name, each) for each in request.header_values(name) or (value,)]
    headers.append(("Audit-Id", audit_id(request)))
    if request.remote:
        headers.append(("X-Forwarded-For", request.remote))
    return headers + identity(user)


def incoming(headers: Mapping[str, str], all_of: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What the answer has; of a repeated header, all values in one, as HTTP allows."""
    left_out = _HOP_BY_HOP | _NOT_PASSED_BACK | _listed(headers.get("Connection", ""))
    found: dict[str, list[str]] = {}
    for name, value in all_of:
        if name.lower() not in left_out:
            found.setdefault(_canonical(name), []).append(value)
    return {name: ", ".join(values) for name, values in found.items()}


def _listed(value: str) -> frozenset[str]:
    return frozenset(each.strip().lower() for each in value.split(",") if each.strip())


def _canonical(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))
