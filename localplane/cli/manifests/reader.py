"""Files -> objects. As kubectl reads them: YAML or JSON, several documents, lists taken apart, a directory's own files
but not its subdirectories'. Kubernetes: cli-runtime/pkg/resource, Builder.Path and FileVisitorForSTDIN."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.yaml_documents import parse_yaml_documents
from localplane.cli.errors import PlaneError

STDIN = "-"
EXTENSIONS = (".json", ".yaml", ".yml")

_LARGEST_FILE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object, and the file it stands in."""

    object: dict[str, Any]
    source: str

    @property
    def kind(self) -> str:
        return str(self.object["kind"])

    @property
    def name(self) -> str:
        return str(self.object["metadata"]["name"])


def read_manifests(filenames: Iterable[str]) -> list[Manifest]:
    """All objects in the order in which they stand. Raises PlaneError for the first thing that is wrong."""
    found: list[Manifest] = []
    for filename in filenames:
        if filename == STDIN:
            found += _objects(sys.stdin.buffer.read(_LARGEST_FILE), "stdin")
            continue
        for path in files_in(Path(filename)):
            found += read_file(path)
    return found


def read_what_can_be(filenames: Iterable[str]) -> tuple[list[Manifest], list[str]]:
    """The objects of all files that can be read, and a sentence for each that can't: for those who go on."""
    found: list[Manifest] = []
    problems: list[str] = []
    for filename in filenames:
        try:
            files = files_in(Path(filename))
        except PlaneError as error:
            problems.append(str(error))
            continue
        for path in files:
            try:
                found += read_file(path)
            except PlaneError as error:
                problems.append(str(error))
    return found, problems


def files_in(path: Path) -> list[Path]:
    """A file itself, or a directory's manifests in the order of their names."""
    try:
        if not path.is_dir():
            path.stat()
            return [path]
        files = sorted(entry for entry in path.iterdir() if entry.suffix in EXTENSIONS and not entry.is_dir())
    except FileNotFoundError:
        raise PlaneError(f'the path "{path}" does not exist') from None
    except (OSError, ValueError) as error:
        raise PlaneError(f'the path "{path}" cannot be accessed: {error}') from error
    if not files:
        raise PlaneError(f"error reading [{path}]: recognized file extensions are [{' '.join(EXTENSIONS)}]")
    return files


def read_file(path: Path) -> list[Manifest]:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise PlaneError(f"{path} is no ordinary file")
        if found.st_size > _LARGEST_FILE:
            raise PlaneError(f"{path} is too large for a manifest ({found.st_size} bytes)")
        content = path.read_bytes()
    except OSError as error:
        raise PlaneError(f"{path}: {error.strerror}") from error
    return list(_objects(content, str(path)))


def _objects(content: bytes, source: str) -> Iterator[Manifest]:
    try:
        for document in parse_yaml_documents(content):
            for one in _taken_apart(document.value):
                yield Manifest(_checked(one, source), source)
    except SerializationError as error:
        raise PlaneError(f"error parsing {source}: {error}") from error


def _taken_apart(value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and str(value.get("kind", "")).endswith("List") and isinstance(value.get("items"), list):
        for item in value["items"]:
            yield from _taken_apart(item)
    else:
        yield value


def _checked(value: Any, source: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PlaneError(f'error validating "{source}": this is no object')
    for field in ("apiVersion", "kind"):
        if not isinstance(value.get(field), str) or not value[field]:
            raise PlaneError(f'error validating "{source}": {field} not set')
    metadata = value.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        raise PlaneError(f'error validating "{source}": {value["kind"]}: metadata.name not set')
    return value
