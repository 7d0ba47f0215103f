"""Warning headers: `299 - "text"`, several in a header or several headers. Kubernetes: ParseWarningHeaders."""

from __future__ import annotations

import re
from collections.abc import Iterable

from localplane.apimachinery.records import record


@record
class ServerWarning:
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
