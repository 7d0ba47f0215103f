"""One file over HTTP, and the proof that it is the one we meant."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import httpx

from .errors import InstallFailed, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# A host that can't be reached should say so soon: there is another way to try.
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)


def download(url: str, destination: Path, *, on_progress: Callable[[int, int | None], None]) -> None:
    """Write what is at `url` to `destination`; `on_progress` gets the bytes so far and, where known, in all.

    Raises Unreachable if no answer came at all, InstallFailed if it was not the file.
    """
    with httpx.Client(timeout=_TIMEOUT, follow_redirects=True) as client:
        try:
            request = client.build_request("GET", url)
            response = client.send(request, stream=True)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise InstallFailed(f"{url} is no address to download from: {error}") from error
        except httpx.TransportError as error:
            raise Unreachable(f"{url} can't be reached: {_reason(error)}") from error
        try:
            _receive(response, destination, on_progress=on_progress)
        except httpx.HTTPError as error:
            raise InstallFailed(f"the download of {url} broke off: {_reason(error)}") from error
        finally:
            response.close()


def check_sha256(path: Path, expected: str, *, origin: str) -> None:
    """Raises InstallFailed unless the file is the one whose sum is pinned."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise InstallFailed(
            f"{origin} is not the file that was expected, and was thrown away: "
            f"its sha256 is {found} instead of {expected}"
        )


def _receive(response: httpx.Response, destination: Path, *, on_progress: Callable[[int, int | None], None]) -> None:
    if response.status_code != httpx.codes.OK:
        raise InstallFailed(f"{response.url} answered {response.status_code} {response.reason_phrase}")
    length = response.headers.get("Content-Length", "")
    total = int(length) if length.isdecimal() else None
    received = 0
    with destination.open("wb") as file:
        # Raw: a server that labels a .tar.gz as gzip-encoded must not have it unpacked under way.
        for chunk in response.iter_raw(1 << 16):
            file.write(chunk)
            received += len(chunk)
            on_progress(received, total)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
