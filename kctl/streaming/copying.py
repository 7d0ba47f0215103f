"""Files to and from containers, as tar streams through a tar that has to be there.

Kubernetes: kubectl/pkg/cmd/cp/cp.go. What a container sends is not trusted: nothing is written outside of the place
that was named, and links are left out.
"""

from __future__ import annotations

import io
import os
import posixpath
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kctl.errors import KctlError

from .pods import path_of
from .remote import Streams, run_remote

if TYPE_CHECKING:
    from kctl.session import Session

Object = dict[str, Any]


class Place(NamedTuple):
    """`pod` is empty for our own machine."""

    namespace: str
    pod: str
    file: str


def place(text: str) -> Place:
    """`[[namespace/]pod:]file/path`. Raises KctlError."""
    before, colon, file = text.partition(":")
    if not colon:
        return Place("", "", text)
    if not before:
        raise KctlError("filespec must match the canonical format: [[namespace/]pod:]file/path")
    parts = before.split("/")
    if len(parts) == 1:
        return Place("", parts[0], file)
    if len(parts) == 2:
        return Place(parts[0], parts[1], file)
    raise KctlError("filespec must match the canonical format: [[namespace/]pod:]file/path")


class Remote:
    """One container, in which commands are run."""

    def __init__(self, session: Session, pod: Object, container: str) -> None:
        self._session = session
        self._path = path_of(pod, "exec")
        self._container = container

    async def run(self, *command: str, stdin: Any = None, out: Any = None) -> int:
        query = [*(("command", word) for word in command), ("container", self._container)]
        said = io.BytesIO()
        read = None if stdin is None else lambda: stdin.read(32 * 1024)
        write = said.write if out is None else out
        return await run_remote(self._session, self._path, query, Streams(read, write, self._say))

    def _say(self, data: bytes) -> None:
        self._session.say(data.decode("utf-8", "replace"))


async def upload(session: Session, remote: Remote, source: str, target: str, *, no_preserve: bool) -> int:
    local = Path(source)
    if not local.exists() and not local.is_symlink():
        raise KctlError(f"{source} doesn't exist in local filesystem")
    if not target:
        raise KctlError("filepath can not be empty")
    target = target.rstrip("/") or "/"
    if await remote.run("test", "-d", target) == 0:
        target = posixpath.join(target, local.resolve().name)
    command = ["tar", *(["--no-same-permissions", "--no-same-owner"] if no_preserve else []), "-xmf", "-"]
    if directory := posixpath.dirname(target):
        command += ["-C", directory]
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(local, arcname=posixpath.basename(target), filter=_without_owner)
        packed.seek(0)
        return await remote.run(*command, stdin=packed, out=_shown(session))


def _shown(session: Session) -> Any:
    return lambda data: session.write(data.decode("utf-8", "replace"))


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Ours mean nothing over there."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


async def download(session: Session, remote: Remote, source: str, target: str) -> int:
    if not source:
        raise KctlError("filepath can not be empty")
    source = posixpath.normpath(source)
    if source.startswith("/"):
        session.say("tar: Removing leading `/' from member names\n")
    with tempfile.TemporaryFile() as packed:
        code = await remote.run("tar", "cf", "-", source, out=packed.write)
        if code:
            return code
        packed.seek(0)
        prefix = posixpath.relpath(source, "/") if source.startswith("/") else source
        local = Path(target)
        place_in = local / posixpath.basename(source) if local.is_dir() else local
        with tarfile.open(fileobj=packed, mode="r|") as archive:
            _unpack(session, archive, prefix.lstrip("./") or ".", place_in)
    return 0


def _unpack(session: Session, archive: tarfile.TarFile, prefix: str, target: Path) -> None:
    for member in archive:
        name = posixpath.normpath(member.name).lstrip("/")
        inner = posixpath.relpath(name, prefix) if prefix != "." else name
        if inner.startswith("../") or inner == ".." or posixpath.isabs(inner):
            session.say(f"warning: file {member.name!r} is outside target destination, skipping\n")
            continue
        path = target if inner == "." else target.joinpath(*inner.split("/"))
        if member.isdir():
            path.mkdir(mode=0o755, parents=True, exist_ok=True)
        elif member.issym() or member.islnk():
            session.say(f'warning: skipping symlink: "{path}" -> "{member.linkname}"\n')
        elif member.isfile():
            _write(archive, member, path)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    content = archive.extractfile(member)
    assert content is not None  # it is a file
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        while piece := content.read(1 << 20):
            file.write(piece)
