"""Texts -> documents -> objects, each with its place. As kubectl reads them: YAML or JSON, several in a file, lists
taken apart. A document that can't be read keeps none of the others from being looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apimachinery.serializers.yaml_documents import parse_yaml_documents, split_yaml

from .findings import Finding, Level, Place, Rule, Subject
from .positions import Node, find, item, read_tree
from .sources import Source

_LINE = re.compile(r"^(?:yaml: )?line (\d+): ")
_DUPLICATE_KEY = re.compile(r'^key "?(.*?)"? already set in map$')
_KUSTOMIZE = "kustomize.config.k8s.io/"


@dataclass(slots=True)
class Document:
    """One of a text, which begins at `line`. Its marks are read when somebody asks for a place."""

    source: Source
    line: int
    text: str
    value: Any
    duplicates: tuple[str, ...] = ()
    _tree: Node | None = field(default=None, init=False)

    def place(self, path: tuple[int, ...] = (), field_path: str = "") -> Place:
        """Of a field of the object in a list at `path`; of the object itself if no field is told, or there is none."""
        if self.source.built:
            return Place(self.source.name)
        if self._tree is None:
            self._tree = read_tree(self.text)
        node = find(item(self._tree, path), field_path)
        return Place(self.source.name, self.line + node.line, node.column + 1)


@dataclass(frozen=True, slots=True)
class ManifestObject:
    """An object that says of what kind it is. `path` has its indices, if it stands in a list."""

    document: Document
    value: JSONObject
    path: tuple[int, ...] = ()

    @property
    def api_version(self) -> str:
        return str(self.value["apiVersion"])

    @property
    def kind(self) -> str:
        return str(self.value["kind"])

    @property
    def group(self) -> str:
        return self.api_version.rpartition("/")[0]

    @property
    def metadata(self) -> JSONObject:
        """Empty where there is something else in its place: the server says what it thinks of that."""
        metadata = self.value.get("metadata")
        return metadata if isinstance(metadata, dict) else {}

    @property
    def name(self) -> str:
        return str(self.metadata.get("name") or self.metadata.get("generateName") or "")

    @property
    def namespace(self) -> str:
        namespace = self.metadata.get("namespace")
        return namespace if isinstance(namespace, str) else ""

    @property
    def subject(self) -> Subject:
        return Subject(self.api_version, self.kind, self.namespace, self.name)

    def finding(self, rule: Rule, message: str, *, level: Level = Level.ERROR, field_path: str = "") -> Finding:
        place = self.document.place(self.path, field_path)
        return Finding(place, rule, message, level, self.subject, field_path)


def read_objects(source: Source) -> Iterator[ManifestObject | Finding]:
    """All objects of a text in their order, and what is wrong with the text itself."""
    for document in _documents(source):
        if isinstance(document, Finding):
            yield document
            continue
        yield from _duplicates(document)
        yield from _objects(document, document.value, ())


def _documents(source: Source) -> Iterator[Document | Finding]:
    if source.text.lstrip().startswith("{"):
        yield from _json_documents(source)
        return
    try:
        chunks = list(split_yaml(source.text))
    except SerializationError as error:
        yield Finding(Place(source.name), Rule.SYNTAX, str(error))
        return
    for line, chunk in chunks:
        try:
            parsed = parse_yaml(chunk, find_duplicates=True)
        except SerializationError as error:
            yield _syntax(source, line, str(error))
        else:
            if parsed.value is not None:
                yield Document(source, line, chunk, parsed.value, parsed.duplicates)


def _json_documents(source: Source) -> Iterator[Document | Finding]:
    try:
        for found in parse_yaml_documents(source.text, find_duplicates=True):
            yield Document(source, found.line, found.text, found.value, found.duplicates)
    except SerializationError as error:
        yield _syntax(source, 1, str(error))


def _syntax(source: Source, first: int, said: str) -> Finding:
    """Lines in a fault are counted from the document's own beginning."""
    told = _LINE.match(said)
    line = 0 if source.built else first + int(told[1]) - 1 if told else first
    return Finding(Place(source.name, line), Rule.SYNTAX, _LINE.sub("", said).removeprefix("yaml: "))


def _duplicates(document: Document) -> Iterator[Finding]:
    for said in document.duplicates:
        told = _LINE.match(said)
        message = _LINE.sub("", said)
        if key := _DUPLICATE_KEY.match(message):
            message = f'duplicate field "{key[1]}"'
        place = document.place()
        if told is not None and not document.source.built:
            place = Place(place.file, document.line + int(told[1]) - 1)
        yield Finding(place, Rule.DUPLICATE_FIELD, message, subject=_subject(document.value))


def _subject(value: Any) -> Subject:
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        return Subject()
    return ManifestObject(Document(Source("", ""), 0, "", value), {"apiVersion": "", **value}).subject


def _objects(document: Document, value: Any, path: tuple[int, ...]) -> Iterator[ManifestObject | Finding]:
    if not isinstance(value, dict):
        yield Finding(document.place(path), Rule.NOT_AN_OBJECT, "this is no object: it has no apiVersion and no kind")
        return
    missing = [name for name in ("apiVersion", "kind") if not (isinstance(value.get(name), str) and value[name])]
    if missing:
        yield Finding(document.place(path), Rule.NOT_AN_OBJECT, f"{' and '.join(missing)} not set")
        return
    if value["apiVersion"].startswith(_KUSTOMIZE):
        return  # it is read by kustomize, and by no server: see --kustomize
    if value["kind"].endswith("List") and isinstance(value.get("items"), list):
        for index, each in enumerate(value["items"]):
            yield from _objects(document, each, (*path, index))
        return
    yield ManifestObject(document, value, path)
