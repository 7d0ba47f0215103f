"""Files, from below a kustomization's directory or from an HTTP server, and other kustomizations from there.

Kubernetes: api/internal/loader, FileLoader.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from urllib.parse import urlsplit

from kctl.kustomize.errors import HTTPStatus, KustomizeError
from localplane.apimachinery.golang.text import go_quote
from localplane.client.transport import downloads

from . import repositories
from .repositories import Repository

_LARGEST = 64 * 1024 * 1024


class Loader:
    """Reads relative to `root`, an absolute path without links. `restricted`: only what is in or below it."""

    def __init__(
        self, root: str, *, restricted: bool, referrer: Loader | None = None, repository: Repository | None = None
    ) -> None:
        self.root = root
        self.repository = repository
        self._restricted = restricted
        self.referrer = referrer

    def load(self, path: str) -> bytes:
        """Raises KustomizeError."""
        if is_remote(path):
            return _download(path)
        absolute = os.path.normpath(os.path.join(self.root, path))  # noqa: PTH118 - as Go joins it
        if self._restricted:
            directory, name = cleaned(absolute)
            if not name:
                raise KustomizeError(f"'{absolute}' must resolve to a file")
            if not is_below(directory, self.root):
                raise KustomizeError(f"security; file '{absolute}' is not in or below '{self.root}'")
            absolute = os.path.join(directory, name)  # noqa: PTH118 - see above
        return _read(absolute)

    def enter(self, path: str) -> Loader:
        """A loader for another kustomization: a directory, or what a repository has. Raises KustomizeError."""
        if not path:
            raise KustomizeError("new root cannot be empty")
        repository = repositories.parse(path)
        if repository is not None:
            self.refuse_repeated(repository)
            self._refuse_local(repository)
            return _cloned(repository, self)
        if path.startswith("/"):
            raise KustomizeError(f"new root '{path}' cannot be absolute")
        root = _directory(os.path.normpath(os.path.join(self.root, path)))  # noqa: PTH118 - as Go joins it
        containing = self.containing_repository()
        if containing is not None and not is_below(root, containing.directory):
            raise KustomizeError(
                "security; bases in kustomizations found in cloned git repos must be within the repo, "
                f"but base '{root}' is outside '{containing.directory}'"
            )
        self.refuse_cycle(root)
        return Loader(root, restricted=self._restricted, referrer=self)

    def _refuse_local(self, repository: Repository) -> None:
        """Raises KustomizeError if what came from another machine names a repository of this one."""
        containing = self.containing_repository()
        if repository.is_local and containing is not None and not containing.is_local:
            raise KustomizeError(
                f"security; '{repository.address}' is a repository of this machine, "
                f"but the kustomization that names it was cloned from '{containing.address}'"
            )

    def clean_up(self) -> None:
        if self.repository is not None:
            self.repository.remove()

    def containing_repository(self) -> Repository | None:
        """Whose clone this is in, if it is in one."""
        if self.repository is not None or self.referrer is None:
            return self.repository
        return self.referrer.containing_repository()

    def refuse_cycle(self, root: str) -> None:
        """Raises KustomizeError for a directory that is being read already, or that contains one."""
        if is_below(self.root, root):
            raise KustomizeError(f"cycle detected: candidate root '{root}' contains visited root '{self.root}'")
        if self.referrer is not None:
            self.referrer.refuse_cycle(root)

    def refuse_repeated(self, repository: Repository) -> None:
        """Raises KustomizeError for a repository that is being read already."""
        if self.repository is not None and self.repository.address.startswith(repository.address):
            raise KustomizeError(
                f"cycle detected: URI '{repository.address}' referenced by previous URI '{self.repository.address}'"
            )
        if self.referrer is not None:
            self.referrer.refuse_repeated(repository)


def open_target(path: str, *, restricted: bool) -> Loader:
    """The loader of the outermost kustomization: a directory, or the address of a repository."""
    repository = repositories.parse(path)
    if repository is not None:
        return _cloned(repository, None)
    return Loader(_directory(path), restricted=restricted)


def is_remote(path: str) -> bool:
    try:
        return urlsplit(path).scheme in ("http", "https")
    except ValueError:
        return False


def is_below(directory: str, other: str) -> bool:
    """In it or below it."""
    return other in ("/", directory) or directory.startswith(f"{other}/")


def cleaned(path: str) -> tuple[str, str]:
    """An absolute path without links: the directory, and the name if it is no directory. Raises KustomizeError."""
    absolute = os.path.abspath(path)  # noqa: PTH100 - Path.resolve follows links, which may not be there
    try:
        real = _without_links(absolute)
    except OSError as error:
        said = str(error) if error.filename is None else f"lstat {error.filename}: {_reason(error)}"
        raise KustomizeError(f"evalsymlink failure on '{path}' : {said}") from error
    if Path(real).is_dir():
        return real, ""
    return os.path.split(real)


def _without_links(path: str) -> str:
    """Kubernetes: Go's filepath.EvalSymlinks, which names the part that is not there."""
    current, rest = "/", [part for part in path.split("/") if part]
    links = 0
    while rest:
        part = rest.pop(0)
        if part == "..":
            current = os.path.dirname(current)  # noqa: PTH120 - text
            continue
        found = os.path.join(current, part)  # noqa: PTH118 - text
        mode = os.lstat(found).st_mode
        if stat.S_ISLNK(mode):
            links += 1
            if links > 255:
                raise OSError("EvalSymlinks: too many links")
            target = os.readlink(found)  # noqa: PTH115 - text
            current = "/" if target.startswith("/") else current
            rest = [one for one in target.split("/") if one not in ("", ".")] + rest
            continue
        if rest and not stat.S_ISDIR(mode):
            raise OSError("not a directory")
        current = found
    return current


def _directory(path: str) -> str:
    """Raises KustomizeError."""
    try:
        if not path:
            raise KustomizeError("directory path cannot be empty")
        try:
            directory, name = cleaned(path)
        except KustomizeError as error:
            raise error.within("not a valid directory") from error
        if name:
            raise KustomizeError(f"'{path}': file is not directory")
    except KustomizeError as error:
        raise error.within("must build at directory") from error
    return directory


def _cloned(repository: Repository, referrer: Loader | None) -> Loader:
    repository.clone()
    try:
        directory, name = cleaned(repository.root)
        if name:
            raise KustomizeError(f"'{repository.root}' refers to file '{name}'; expecting directory")
        if not is_below(directory, repository.directory):
            raise KustomizeError(
                f"{go_quote(repository.root)} refers to directory outside of repo {go_quote(repository.directory)}"
            )
    except KustomizeError:
        repository.remove()
        raise
    return Loader(directory, restricted=True, referrer=referrer, repository=repository)


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except IsADirectoryError:
        raise KustomizeError(f"read {path}: is a directory") from None
    except OSError as error:
        raise KustomizeError(f"open {path}: {_reason(error)}") from error
    if len(data) > _LARGEST:
        raise KustomizeError(f"{path} is larger than {_LARGEST} bytes")
    return data


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _download(address: str) -> bytes:
    import urllib.error

    try:
        return downloads.download(address, limit=_LARGEST)
    except urllib.error.HTTPError as error:
        if repositories.parse(address) is not None:
            raise KustomizeError("URL is a git repository") from error
        raise HTTPStatus(f"HTTP Error: status code {error.code} ({_status_text(error.code)})") from error
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise KustomizeError(f"Get {go_quote(address)}: {_connection_problem(address, error)}") from error


def _status_text(code: int) -> str:
    from http import HTTPStatus as Status

    try:
        return Status(code).phrase
    except ValueError:
        return ""


def _connection_problem(address: str, error: Exception) -> str:
    reason = getattr(error, "reason", error)
    parts = urlsplit(address)
    if type(reason).__name__ == "gaierror":
        return f"dial tcp: lookup {parts.hostname}: no such host"
    if isinstance(reason, ConnectionRefusedError):
        return f"dial tcp {parts.hostname}:{parts.port or 80}: connect: connection refused"
    return str(reason)
