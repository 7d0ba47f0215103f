"""Files to and from containers, as tar streams through a tar that has to be there.

Kubernetes: kubectl/pkg/cmd/cp. What a container sends is not trusted: nothing is written outside of the place that was
named, and links are left out.
"""

from __future__ import annotations

import os
import posixpath
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.streaming.pods import container_of, path_of, refuse_completed
from kctl.streaming.remote import Streams, run_remote
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.client.rest.names import GroupVersionResource

Write = Callable[[bytes], object]
_PIECE = 32 * 1024
_TEST_WITHIN = 30.0


class Place(NamedTuple):
    """`pod` is empty for our own machine."""

    namespace: str
    pod: str
    file: str


def place(text: str) -> Place:
    """`[[namespace/]pod:]file/path`. Raises KctlError."""
    before, colon, file = text.partition(":")
    if not colon:
        return Place("", "", _without_slash(text))
    parts = before.split("/")
    if not before or len(parts) > 2:
        raise KctlError("filespec must match the canonical format: [[namespace/]pod:]file/path")
    return Place(parts[0] if len(parts) == 2 else "", parts[-1], _without_slash(file.replace("\\", "/")))


def _without_slash(path: str) -> str:
    return path[:-1] if path != "/" and path.endswith("/") else path


def _base(path: str) -> str:
    """As Go's path.Base."""
    return posixpath.basename(path.rstrip("/")) or ("/" if path else ".")


def _directory(path: str) -> str:
    """As Go's path.Dir."""
    return _clean(posixpath.dirname(path))


def _clean(path: str) -> str:
    """As Go's path.Clean, which makes one of two slashes."""
    cleaned = posixpath.normpath(path)
    return cleaned[1:] if cleaned.startswith("//") else cleaned


class Remote:
    """One container, in which commands are run."""

    def __init__(self, session: Session, there: Place, container: str) -> None:
        self._session = session
        self._namespace = there.namespace or session.namespace
        self._pod = there.pod
        self._container = container

    async def run(self, *command: str, out: Write, err: Write, read: Callable[[], bytes] | None = None) -> int:
        """Its exit code. Raises APIError, KctlError, ConnectionFailed."""
        pods = self._session.client.resource(GroupVersionResource("", "v1", "pods"), self._namespace)
        pod = await pods.get(self._pod)
        refuse_completed(pod, "exec into")
        container = container_of(self._session, pod, self._container, say=lambda text: _write_text(err, text))
        query = [*(("command", word) for word in command), ("container", container["name"])]
        return await run_remote(self._session, path_of(pod, "exec"), query, Streams(read, out, err))


def _write_text(write: Write, text: str) -> None:
    write(text.encode())


async def upload(remote: Remote, source: str, target: str, *, no_preserve: bool, out: Write, err: Write) -> int:
    """tar's exit code. Raises KctlError."""
    local = Path(source)
    if not local.exists():
        raise KctlError(f"{source} doesn't exist in local filesystem")
    if await _is_directory(remote, target):
        target = _clean(posixpath.join(target, _base(os.path.normpath(source) if source != "." else source)))
    command = ["tar", *(["--no-same-permissions", "--no-same-owner"] if no_preserve else []), "-xmf", "-"]
    command += ["-C", _directory(target)]
    reading, writing = os.pipe()
    packing = _Packing(local, _base(_clean(target)), writing)
    try:
        code = await remote.run(*command, read=lambda: os.read(reading, _PIECE), out=out, err=err)
    finally:
        os.close(reading)
    packing.check()
    return code


async def _is_directory(remote: Remote, target: str) -> bool:
    """Whatever goes wrong here goes wrong again, and is told then."""
    import asyncio

    try:
        async with asyncio.timeout(_TEST_WITHIN):
            return await remote.run("test", "-d", target, out=_forget, err=_forget) == 0
    except TimeoutError:
        raise KctlError("context deadline exceeded") from None
    except (APIError, KctlError):
        return False


def _forget(data: bytes) -> None:
    del data


class _Packing:
    """A tar stream, made in a thread while it is read."""

    def __init__(self, local: Path, name: str, descriptor: int) -> None:
        self._error: OSError | tarfile.TarError | None = None
        threading.Thread(target=self._run, args=(local, name, descriptor), daemon=True).start()

    def check(self) -> None:
        if self._error is not None:
            raise KctlError(str(self._error)) from self._error

    def _run(self, local: Path, name: str, descriptor: int) -> None:
        try:
            with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w|") as archive:
                _pack(archive, local, name)
        except BrokenPipeError:
            return  # the other side has ended, and will say why
        except (OSError, tarfile.TarError) as error:
            self._error = error


def _pack(archive: tarfile.TarFile, path: Path, name: str) -> None:
    """Directories are made by what is in them; only an empty one is named."""
    if path.is_dir() and not path.is_symlink():
        inside = sorted(path.iterdir())
        for one in inside:
            _pack(archive, one, f"{name}/{one.name}")
        if inside:
            return
    member = archive.gettarinfo(path, arcname=name)
    member.mtime = int(member.mtime)
    if not member.isfile():
        archive.addfile(member)
        return
    with path.open("rb") as content:
        archive.addfile(member, content)


async def download(
    session: Session, remote: Remote, source: Place, target: str, *, retries: int, out: Write, program: str
) -> int:
    """tar's exit code. What tar says goes to our output, as kubectl has it. Raises KctlError."""
    reading, writing = os.pipe()
    unpacking = _Unpacking(session, source, target, reading, program)
    received, tries = 0, 0
    try:
        while True:
            with os.fdopen(os.dup(writing), "wb", buffering=0) as pipe:
                counting = _Counting(pipe)
                code = await remote.run(*_packed(source.file, retries, received), out=counting.write, err=out)
            received += counting.count
            if code or unpacking.is_satisfied(counting.tail):
                break
            if 0 <= retries <= tries:
                out(f"Dropping out copy after {tries} retries\n".encode())
                break
            tries += 1
            out(f"Resuming copy at {received} bytes, retry {tries}/{retries}\n".encode())
    finally:
        os.close(writing)
        unpacking.join()
    if not code:
        unpacking.check()
    return code


def _packed(file: str, retries: int, received: int) -> tuple[str, ...]:
    if not retries:
        return "tar", "cf", "-", file
    quoted = file.replace("'", "'\\''")
    return "sh", "-c", f"tar cf - '{quoted}' | tail -c+{received + 1 if received else 0}"


class _Counting:
    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self.count = 0
        self.tail = b""

    def write(self, data: bytes) -> None:
        self.count += len(data)
        self.tail = (self.tail + data)[-1024:]
        try:
            self._pipe.write(data)
        except BrokenPipeError:
            return  # whoever reads has seen enough


class _Unpacking:
    """A tar stream, unpacked in a thread while it comes."""

    def __init__(self, session: Session, source: Place, target: str, descriptor: int, program: str) -> None:
        self._session = session
        self._source = source
        self._target = target
        self._program = program
        self._warned = False
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(descriptor,), daemon=True)
        self._thread.start()

    @staticmethod
    def is_satisfied(tail: bytes) -> bool:
        """An archive ends with two blocks of nothing."""
        return len(tail) == 1024 and not any(tail)

    def join(self) -> None:
        self._thread.join()

    def check(self) -> None:
        if self._error is not None:
            raise KctlError(str(self._error)) from self._error

    def _run(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as file:
            try:
                with tarfile.open(fileobj=file, mode="r|") as archive:
                    self._unpack(archive)
            except tarfile.ReadError:
                self._error = KctlError("unexpected EOF")
            except (OSError, KctlError, tarfile.TarError) as error:
                self._error = KctlError(_words(error)) if isinstance(error, OSError) else error
            while file.read(_PIECE):
                pass  # so that whoever writes comes to its end

    def _unpack(self, archive: tarfile.TarFile) -> None:
        prefix = _without_shortcuts(_clean(self._source.file.lstrip("/\\") or "."))
        for member in archive:
            name = f"{member.name}/" if member.isdir() else member.name
            if not name.startswith(prefix):
                raise KctlError("tar contents corrupted")
            inner = _without_slash(name[len(prefix) :].replace("\\", "/"))
            path = os.path.normpath(f"{self._target}/{inner}")
            if not _is_below(self._target, path):
                self._session.say(f"warning: file {go_quote(path)} is outside target destination, skipping\n")
                continue
            Path(path).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            if member.isdir():
                Path(path).mkdir(mode=0o755, parents=True, exist_ok=True)
            elif member.issym():
                self._skip(path, member.linkname)
            else:
                _write(archive, member, path)

    def _skip(self, path: str, target: str) -> None:
        said = f"warning: skipping symlink: {go_quote(path)} -> {go_quote(target)}"
        if not self._warned:
            self._warned = True
            source = self._source
            where = f"-n {go_quote(source.namespace)} {go_quote(source.pod)}"
            said += f' (consider using "{self._program} exec {where} -- tar cf - {go_quote(source.file)} | tar xf -")'
        self._session.say(f"{said}\n")


def _without_shortcuts(path: str) -> str:
    """What would lead out of a directory, if it stood at its beginning. Kubernetes: stripPathShortcuts."""
    while path.startswith("../"):
        path = path.removeprefix("../")
    while path.startswith("..\\"):
        path = path.removeprefix("..\\")
    return "" if path in (".", "..") else path[1:] if path[:1] in ("/", "\\") else path


def _is_below(base: str, path: str) -> bool:
    relative = os.path.relpath(path, base or ".")
    return relative == "." or relative == _without_shortcuts(relative)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
    content = archive.extractfile(member) if member.isreg() else None
    with Path(path).open("wb") as file:
        while content is not None and (piece := content.read(1 << 20)):
            file.write(piece)


def _words(error: OSError) -> str:
    """As Go says it: `open x: is a directory`."""
    return f"open {error.filename}: {(error.strerror or '').lower()}" if error.filename else str(error)
