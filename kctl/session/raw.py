"""A path of the server's, asked as it stands: --raw of get, create, replace and delete."""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote


async def raw_request(session: Session, method: str, path: str, *, body: bytes | None = None) -> None:
    """Write the answer as it comes. Kubernetes: kubectl/pkg/rawhttp."""
    parts = urlsplit(path)
    query = parse_qsl(parts.query, keep_blank_values=True)
    headers = [("Accept", "application/json, */*")]
    if body is not None:
        headers.append(("Content-Type", "application/json"))
        answer = await session.client.request(method, parts.path, query=query, headers=headers, body=body)
        session.write_object(answer.body.decode("utf-8", "replace"))
        return
    response = await session.client.stream(method, parts.path, query=query, headers=headers)
    async for chunk in response.chunks():
        if session.is_terminal:
            session.write_object(chunk.decode("utf-8", "replace"))
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()


def check_raw(flags: FlagSet, filenames: Sequence[str], *, needs_file: bool = True) -> None:
    """Raises KctlError for what does not go with --raw."""
    if len(filenames) > 1 or (needs_file and not filenames):
        raise KctlError("--raw can only use a single local file or stdin")
    if filenames and filenames[0].startswith(("http://", "https://")):
        raise KctlError("--raw cannot read from a url")
    if flags.is_on("recursive"):
        raise KctlError("--raw and --recursive are mutually exclusive")
    if needs_file and flags.known("selector") and flags.text("selector"):
        raise KctlError("--raw and --selector (-l) are mutually exclusive")
    if flags.text("output"):
        raise KctlError("--raw and --output are mutually exclusive")
    check_path(flags.text("raw"))


def check_path(path: str) -> None:
    """Raises KctlError for what Go would not take for a request's path. Go: url.ParseRequestURI."""
    reason = ""
    if not path.startswith("/") and "://" not in path:
        reason = "invalid URI for request"
    elif found := re.search(r"%(?![0-9A-Fa-f]{2}).{0,2}", path.partition("?")[0]):
        reason = f"invalid URL escape {go_quote(found[0])}"
    if reason:
        raise KctlError(f"--raw must be a valid URL path: parse {go_quote(path)}: {reason}")


def body_of(filename: str) -> bytes:
    """A file's bytes, or those of stdin. Raises KctlError."""
    try:
        return sys.stdin.buffer.read() if filename == "-" else pathlib.Path(filename).read_bytes()
    except OSError as error:
        raise KctlError(f"open {filename}: {(error.strerror or str(error)).lower()}") from error
