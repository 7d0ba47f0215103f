"""Manifests: files, directories, patterns, URLs, stdin. Kubernetes: Builder.FilenameParam and its visitors."""

from __future__ import annotations

import os
import re
import socket
import stat
import sys
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kctl.errors import KctlError, raise_all
from kctl.objects.arguments import BadPattern, matching
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.serializers.errors import BadSeparator, SerializationError, YAMLError
from localplane.apimachinery.serializers.yaml_documents import parse_yaml_documents
from localplane.client.errors import ConnectionFailed, ConnectionRefused
from localplane.client.transport import downloads

_EXTENSIONS = (".json", ".yaml", ".yml")
_LARGEST = 64 * 1024 * 1024
STDIN = "STDIN"


class Manifest(NamedTuple):
    """One document. `line` is where it begins, `text` how it is written if it is JSON."""

    source: str
    line: int
    value: Any
    text: str = ""


class Sources(NamedTuple):
    """Where documents come from. `single` if it is one file, so one object may be meant."""

    names: tuple[str, ...]
    single: bool


def sources(filenames: Sequence[str], *, recursive: bool) -> Sources:
    """Every file that is to be read, in order; `-` and URLs as they are. Raises all that is wrong with them."""
    found: list[str] = []
    errors: list[Exception] = []
    has_directory = has_stream = False
    for name in filenames:
        if problem := _bad_url(name):
            errors.append(KctlError(problem))
            continue
        if name == "-" or name.startswith(("http://", "https://")):
            has_stream = has_stream or name == "-"
            if name == "-" and "-" in found:
                errors.append(KctlError("standard input cannot be used for multiple arguments"))
            found.append(name)
            continue
        try:
            paths = [path for pattern in _expanded(name) for path in _walked(pattern, recursive=recursive)]
        except KctlError as error:
            errors.append(error)
            continue
        has_directory = has_directory or len(paths) > 1
        found += paths
        if not found and not errors:
            errors.append(
                KctlError(f"error reading [{name}]: recognized file extensions are [{' '.join(_EXTENSIONS)}]")
            )
    raise_all(errors)
    return Sources(tuple(found), single=len(found) == 1 and not has_directory and not has_stream)


def read(name: str) -> Iterator[Manifest]:
    """The documents of one source, up to the first that can't be read."""
    return documents(*_content(name))


def documents(shown: str, data: bytes) -> Iterator[Manifest]:
    """The documents of a text; `shown` is where it came from."""
    try:
        for document in parse_yaml_documents(data):
            if document.value is not None:
                yield Manifest(shown, document.line, document.value, document.text)
    except BadSeparator as error:
        raise KctlError(f"error parsing {shown}: {error}") from error
    except YAMLError as error:
        raise KctlError(f"error parsing {shown}: error converting YAML to JSON: {error}") from error
    except SerializationError as error:
        raise KctlError(f"error parsing {shown}: {error}") from error


def _content(name: str) -> tuple[str, bytes]:
    if name == "-":
        return STDIN, b"" if sys.stdin is None else sys.stdin.buffer.read()
    if name.startswith(("http://", "https://")):
        return name, _download(name)
    try:
        with Path(name).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise KctlError(f"open {name}: {(error.strerror or str(error)).lower()}") from error
    if len(data) > _LARGEST:
        raise KctlError(f"error parsing {name}: it is larger than {_LARGEST} bytes")
    return name, data


def _expanded(name: str) -> list[str]:
    if Path(name).exists() or Path(name).is_symlink():
        return [name]
    try:
        matches = matching(name)
    except BadPattern as error:
        raise KctlError(f"pattern {go_quote(name)} is not valid: {error}") from error
    if not matches:
        raise KctlError(f"the path {go_quote(name)} does not exist")
    return matches


def _walked(name: str, *, recursive: bool) -> list[str]:
    """A file, whatever it is called; of a directory those with the right endings, in order."""
    path = Path(name)
    try:
        if not stat.S_ISDIR(path.stat().st_mode):
            return [name]
    except FileNotFoundError as error:
        raise KctlError(f"the path {go_quote(name)} does not exist") from error
    except OSError as error:
        why = f"stat {name}: {(error.strerror or str(error)).lower()}"
        raise KctlError(f"the path {go_quote(name)} cannot be accessed: {why}") from error
    found = []
    for entry in sorted(os.listdir(name)):  # noqa: PTH208 - names, not paths
        inner = os.path.normpath(os.path.join(name, entry))  # noqa: PTH118 - as Go joins it
        if Path(inner).is_dir() and not Path(inner).is_symlink():
            found += _walked(inner, recursive=True) if recursive else []
        elif entry.endswith(_EXTENSIONS):
            found.append(inner)
    return found


def _bad_url(name: str) -> str:
    """What Go says of a URL that it can't read; nothing for those it can, and for everything else."""
    if not name.startswith(("http://", "https://")):
        return ""
    escape = re.search(r"%(?![0-9A-Fa-f]{2}).{0,2}", name.partition("?")[0])
    why = f"invalid URL escape {go_quote(escape[0])}" if escape else ""
    if any(ord(character) < 0x20 or ord(character) == 0x7F for character in name):
        why = "net/url: invalid control character in URL"
    return f"the URL passed to filename {go_quote(name)} is not valid: parse {go_quote(name)}: {why}" if why else ""


def _download(url: str) -> bytes:
    """Tries again what may be better in a second. Raises KctlError, ConnectionFailed."""
    import urllib.error

    problem: Exception = KctlError("")
    for attempt in range(3):
        if attempt:
            time.sleep(1)
        try:
            return downloads.download(url, limit=_LARGEST)
        except urllib.error.HTTPError as error:
            status = f"{error.code} {error.reason}"
            problem = KctlError(
                f"unable to read URL {go_quote(url)}, server reported {status}, status code={error.code}"
            )
            if error.code < 500:
                break
        except urllib.error.URLError as error:
            problem = _unreachable(url, error.reason)
    raise problem


def _unreachable(url: str, reason: object) -> Exception:
    parts = urllib.parse.urlsplit(url)
    address = f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
    if isinstance(reason, ConnectionRefusedError):
        return ConnectionRefused(str(reason), address=address)
    if isinstance(reason, socket.gaierror):
        return ConnectionFailed(str(reason), reason=f"dial tcp: lookup {parts.hostname}: no such host")
    why = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
    return ConnectionFailed(str(reason), reason=f"Get {go_quote(url)}: {why}")
