"""Files and directories -> texts. What can't be read is a finding as any other, so that the rest is looked at. Files
of kustomizations are passed over: they are read by kustomize, and by no server."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from localplane.apimachinery.serializers.yaml_documents import decode_file
from localplane.cli.errors import PlaneError
from localplane.cli.manifests.reader import EXTENSIONS, STDIN

from .findings import Finding, Place, Rule

_LARGEST_FILE = 64 * 1024 * 1024
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


@dataclass(frozen=True, slots=True)
class Source:
    """A text and what it is called. One that was `built`, by kustomize, has no lines that somebody could look up."""

    name: str
    text: str
    built: bool = False


def read_sources(filenames: Iterable[str], *, recursive: bool = False) -> Iterator[Source | Finding]:
    """Each file once, in the order in which they are named; those of a directory by their names. Raises PlaneError for
    a path that is not there and a directory without a manifest: nobody wants to be told that nothing is valid."""
    seen: set[Path] = set()
    for filename in filenames:
        if filename == STDIN:
            yield Source("stdin", decode_file(sys.stdin.buffer.read(_LARGEST_FILE)))
            continue
        if "://" in filename:
            raise PlaneError(f"{filename} is not on this machine: fetch it, and pipe it into `kctl validate -f -`")
        for path in _files(Path(filename), recursive=recursive):
            if (real := path.resolve()) not in seen and path.name not in _KUSTOMIZATIONS:
                seen.add(real)
                yield _read(path)


def _files(path: Path, *, recursive: bool) -> list[Path]:
    try:
        if not path.is_dir():
            path.lstat()
            return [path]
        entries = path.rglob("*") if recursive else path.iterdir()
        files = sorted(entry for entry in entries if entry.suffix in EXTENSIONS and not entry.is_dir())
    except FileNotFoundError:
        raise PlaneError(f'the path "{path}" does not exist') from None
    except (OSError, ValueError) as error:
        raise PlaneError(f'the path "{path}" cannot be accessed: {error}') from error
    if not files:
        deeper = "" if recursive else ", and --recursive looks into its subdirectories"
        raise PlaneError(f"{path} has no manifests: recognized file extensions are {', '.join(EXTENSIONS)}{deeper}")
    if all(file.name in _KUSTOMIZATIONS for file in files):
        raise PlaneError(f"{path} has a kustomization and no manifests: check what it builds with -k {path}")
    return files


def _read(path: Path) -> Source | Finding:
    try:
        found = path.stat()
        if stat.S_ISFIFO(found.st_mode) and path.parts[:2] == ("/", "dev"):
            with path.open("rb") as file:  # what a shell makes of <(...)
                return Source(str(path), decode_file(file.read(_LARGEST_FILE)))
        if not stat.S_ISREG(found.st_mode):
            return _unreadable(path, "this is no ordinary file")
        if found.st_size > _LARGEST_FILE:
            return _unreadable(path, f"too large for a manifest ({found.st_size} bytes)")
        return Source(str(path), decode_file(path.read_bytes()))
    except OSError as error:
        return _unreadable(path, error.strerror or str(error))


def _unreadable(path: Path, why: str) -> Finding:
    return Finding(Place(str(path)), Rule.UNREADABLE, why)
