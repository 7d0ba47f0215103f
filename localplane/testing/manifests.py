"""What is to be applied, as people have it: a file, a folder, a text of YAML or JSON, an object, or several of these.

Read as kubectl reads them: several documents in a file, lists taken apart, a folder's own files but not its
subfolders'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.yaml_documents import parse_yaml_documents

Manifests = str | Path | Mapping[str, Any] | Iterable["str | Path | Mapping[str, Any]"]
"""A text is YAML if it has a colon or a line's end in it that no path has, and a path otherwise."""

_SUFFIXES: Final = (".json", ".yaml", ".yml")
_FIRST: Final = ("Namespace", "CustomResourceDefinition")


class BadManifest(ValueError):
    """A file that can't be read, or what stands in it is no object."""


def objects_in(manifests: Manifests) -> list[JSONObject]:
    """All objects, those that others stand on first, the rest in the order in which they stand. Raises BadManifest."""
    return sorted(_objects(manifests), key=_order)


def _objects(manifests: Manifests) -> Iterator[JSONObject]:
    if isinstance(manifests, Mapping):
        yield from _checked(manifests, "the object")
    elif isinstance(manifests, Path):
        yield from _in_path(manifests)
    elif isinstance(manifests, str):
        yield from _in_text(manifests, "the text") if _is_yaml(manifests) else _in_path(Path(manifests))
    else:
        for each in manifests:
            yield from _objects(each)


def _is_yaml(text: str) -> bool:
    return "\n" in text or ": " in text or text.lstrip().startswith("{")


def _in_path(path: Path) -> Iterator[JSONObject]:
    try:
        files = [path]
        if path.is_dir():
            files = sorted(each for each in path.iterdir() if each.suffix in _SUFFIXES and each.is_file())
            if not files:
                raise BadManifest(f"the folder {path} has no file that ends in {', '.join(_SUFFIXES)}")
        for file in files:
            yield from _in_text(file.read_text("utf-8"), str(file))
    except OSError as error:
        raise BadManifest(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadManifest(f"{path} is no text: {error}") from error


def _in_text(text: str, source: str) -> Iterator[JSONObject]:
    try:
        for document in parse_yaml_documents(_without_margin(text)):
            yield from _checked(document.value, source)
    except SerializationError as error:
        raise BadManifest(f"{source} can't be read: {error}") from error


def _without_margin(text: str) -> str:
    """A text that is indented as the code around it is."""
    lines = text.splitlines()
    margins = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip() and not line.startswith("---")]
    margin = min(margins, default=0)
    return "\n".join(line[margin:] if line[:margin].isspace() else line for line in lines) + "\n" if margin else text


def _checked(value: Any, source: str) -> Iterator[JSONObject]:
    if not isinstance(value, Mapping):
        raise BadManifest(f"{source} is no object")
    kind = value.get("kind")
    if str(kind or "").endswith("List") and isinstance(value.get("items"), list):
        for item in value["items"]:
            yield from _checked(item, source)
        return
    metadata = value.get("metadata")
    for field, is_there in (
        ("apiVersion", bool(value.get("apiVersion"))),
        ("kind", bool(kind)),
        ("metadata.name", isinstance(metadata, Mapping) and bool(metadata.get("name") or metadata.get("generateName"))),
    ):
        if not is_there:
            raise BadManifest(f"{source}: {field} is not set")
    yield dict(value)


def _order(obj: JSONObject) -> int:
    return _FIRST.index(obj["kind"]) if obj["kind"] in _FIRST else len(_FIRST)
