"""What headers say: in whose name a request is made, and what a server warns of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from localplane.apimachinery.records import record
from localplane.client.kubeconfig.model import Impersonation
from localplane.client.urls import escaped

from .interface import Pairs, Response, Transport


def impersonation_headers(impersonate: Impersonation | None) -> list[tuple[str, str]]:
    if impersonate is None:
        return []
    headers = [("Impersonate-User", impersonate.user)]
    if impersonate.uid:
        headers.append(("Impersonate-Uid", impersonate.uid))
    headers += [("Impersonate-Group", group) for group in impersonate.groups]
    for key, values in impersonate.extra.items():
        # A header's name is not free text; the server decodes it.
        headers += [(f"Impersonate-Extra-{escaped(key)}", value) for value in values]
    return headers


class ActingTransport:
    """Requests in somebody else's name, and under a program's own: what a server sees of a controller.

    Sends what it is given through another transport, as `user`. Closing it leaves the other one open.

    `agent` is the User-Agent, whose first word is who the changed fields belong to.
    """

    def __init__(self, transport: Transport, *, user: str, groups: Sequence[str] = (), agent: str = "") -> None:
        self._transport = transport
        self._headers = [("Impersonate-User", user), *(("Impersonate-Group", group) for group in groups)]
        if agent:
            self._headers.append(("User-Agent", agent))

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        return await self._transport.request(method, path, query=query, headers=[*headers, *self._headers], body=body)

    async def close(self) -> None:
        """The transport belongs to the client that this one was made from."""


# Warning headers: `299 - "text"`, several in a header or several headers. Kubernetes: ParseWarningHeaders.


@record
class ServerWarning:
    """A warning that came with an answer: a deprecated version, an unknown field."""

    code: int
    agent: str
    text: str


_WARNING = re.compile(r'\s*([12]\d\d)\s+(\S+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)')
_ESCAPED = re.compile(r"\\(.)")


def parse_warnings(headers: Iterable[str]) -> list[ServerWarning]:
    """What can't be understood is left out, together with what follows it in the same header."""
    found = []
    for header in headers:
        position = 0
        while match := _WARNING.match(header, position):
            code, agent, text = match.groups()
            found.append(ServerWarning(int(code), agent, _ESCAPED.sub(r"\1", text)))
            position = match.end()
    return found
