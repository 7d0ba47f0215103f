"""From bytes to nodes, as kustomize reads resources: documents, lists, anchors and merge keys.

Kubernetes: sigs.k8s.io/kustomize/kyaml/kio, ByteReader; kyaml/yaml, RNode.DeAnchor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from kctl.kustomize.errors import KustomizeError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.serializers.yaml_events import parser_of, problem_of

from .node import MERGE, STR, Map, Node, Scalar, Seq, copied, is_null, text_of
from .scalars import resolve

_SEPARATOR = re.compile(r"\n---[^\n]*\n")
_SCHEMA_COMMENT = re.compile(r"(?:^|\s)#++\s*+(\{.*)")
_PREFIX = "tag:yaml.org,2002:"
_DEEPEST = 400
"""Levels of nesting: what is deeper is no configuration, and everything here recurses."""


def read_nodes(data: bytes) -> list[Node]:
    """The documents of a file; of a `List` that stands alone its items. Raises KustomizeError."""
    text = _decoded(data).replace("\r\n", "\n")
    documents = _split(text)
    nodes: list[Node] = []
    for index, document in enumerate(documents):
        try:
            node = parse(document if index == len(documents) - 1 else document + "\n")
        except KustomizeError as error:
            raise error.within("MalformedYAMLError") from error
        if node is None or is_null(node):
            continue
        if len(documents) == 1 and isinstance(node, Map) and _is_list(node):
            items = node.get("items")
            nodes += items if isinstance(items, Seq) else []
            continue
        nodes.append(node)
    return nodes


def parse(text: str) -> Node | None:
    """The first document; None if there is none. Raises KustomizeError, in go-yaml's words."""
    return _Composer(text).document()


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        trailing = error.reason in ("invalid continuation byte", "unexpected end of data")
        reason = "invalid trailing UTF-8 octet" if trailing else "invalid leading UTF-8 octet"
        raise KustomizeError(f"MalformedYAMLError: yaml: {reason}") from error


def _split(text: str) -> list[str]:
    documents, start = [], 0
    for match in _SEPARATOR.finditer(text):
        rest = match[0][4:].strip()
        if rest and not rest.startswith("#"):
            raise KustomizeError(f"invalid document separator: {match[0].strip()}")
        documents.append(text[start : match.start()])
        start = match.end()
    return [*documents, text[start:]] if text else []


def _is_list(node: Map) -> bool:
    return text_of(node.get("kind")) in ("List", "ResourceList") and ("items" in node or "functionConfig" in node)


class _Composer:
    """Events to nodes. Aliases get copies of their own, and merge keys are merged."""

    def __init__(self, text: str) -> None:
        self._events = _events(text)
        self._comments = _schema_comments(text)
        self._anchors: dict[str, Node] = {}
        self._first_line = 0

    def document(self) -> Node | None:
        for event in self._events:
            match type(event).__name__:
                case "DocumentStartEvent":
                    root = next(self._events)
                    self._first_line = root.start_mark.line
                    node = self._node(root, 0)
                    next(self._events, None)
                    return node
                case "StreamEndEvent":
                    return None
        return None

    def _node(self, event: Any, depth: int) -> Node:
        if depth > _DEEPEST:
            raise KustomizeError(f"yaml: exceeded max depth of {_DEEPEST}")
        match type(event).__name__:
            case "AliasEvent":
                known = self._anchors.get(event.anchor)
                if known is None:
                    raise KustomizeError(f"yaml: unknown anchor '{event.anchor}' referenced")
                return copied(known)
            case "ScalarEvent":
                node: Node = _scalar(event)
            case "SequenceStartEvent":
                node = self._sequence(event, depth)
            case _:
                node = self._mapping(event, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _sequence(self, start: Any, depth: int) -> Seq:
        sequence = Seq()
        sequence.flow = bool(start.flow_style)
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            sequence.append(self._node(event, depth + 1))
        return sequence

    def _mapping(self, start: Any, depth: int) -> Map:
        mapping = Map()
        mapping.flow = bool(start.flow_style)
        merged: list[Node] = []
        lines: dict[str, int] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            key = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            if not isinstance(key, Scalar):
                raise KustomizeError("yaml: invalid map key")
            if key.tag == MERGE:
                merged.append(value)
                continue
            line = event.start_mark.line - self._first_line + 1
            if key.text in mapping:
                said = f"line {line}: mapping key {go_quote(key.text)} already defined at line {lines[key.text]}"
                mapping.repeated = (*mapping.repeated, said)
                continue
            lines[key.text] = line
            if self._comments and not isinstance(value, Scalar):
                value.schema = self._comments.get(event.start_mark.line)
            if key.tag != STR:
                mapping.odd = mapping.odd | {key.text}
            mapping[key.text] = value
        if len(merged) > 1:
            raise KustomizeError("duplicate merge key")
        for source in _sources(merged[0]) if merged else ():
            for name, value in source.items():
                mapping.setdefault(name, copied(value))
        return mapping


def _schema_comments(text: str) -> dict[int, dict[str, Any]]:
    """JSON objects in comments behind a key or in the line above it, which kustomize takes for the field's schema."""
    if "{" not in text or "#" not in text:
        return {}
    lines = text.split("\n")
    found: dict[int, dict[str, Any]] = {}
    for number, line in enumerate(lines):
        stripped = line.rstrip()
        match = _SCHEMA_COMMENT.search(stripped) if stripped.endswith("}") else None
        schema = _json_object(match[1]) if match else None
        if schema:
            alone = line.lstrip().startswith("#")
            found.setdefault(number + 1 if alone else number, schema)
    return found


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _sources(value: Node) -> list[Map]:
    """What is merged into a mapping, that which counts first."""
    if isinstance(value, Map):
        return [value]
    if isinstance(value, Scalar):
        raise KustomizeError("map merge requires map or sequence of maps as the value")
    found = []
    for item in value:
        if isinstance(item, Seq):
            raise KustomizeError("invalid map merge: received a nested sequence")
        found += _sources(item)
    return found


def _scalar(event: Any) -> Scalar:
    style = event.style if event.style in ("'", '"', "|", ">") else ""
    written = event.tag
    if written and written != "!":
        short = f"!!{written.removeprefix(_PREFIX)}" if written.startswith(_PREFIX) else written
        return Scalar(event.value, short, f"!{style}")
    if style or written == "!":
        return Scalar(event.value, STR, style)
    return Scalar(event.value, MERGE if event.value == "<<" else resolve(event.value)[0])


def _events(text: str) -> Iterator[Any]:
    import yaml

    try:
        parser = parser_of(text)
        while (event := parser.get_event()) is not None:
            yield event
    except yaml.reader.ReaderError as error:
        raise KustomizeError(f"yaml: {problem_of(error.reason)}") from None
    except yaml.MarkedYAMLError as error:
        raise KustomizeError(f"yaml: {_place(error)}{problem_of(error.problem)}") from None


def _place(error: Any) -> str:
    """v3 looks at the context first, where v2 looks at the problem."""
    from yaml.scanner import ScannerError

    for mark in (error.context_mark, error.problem_mark):
        if mark is not None and mark.line:
            return f"line {mark.line + isinstance(error, ScannerError)}: "
    return ""
