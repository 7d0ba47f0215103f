"""Lines of a given width, broken between words, as github.com/mitchellh/go-wordwrap breaks them.

Text in lines of a given width: lines that belong together are joined, lists and code stay as they are.

Kubernetes: kubectl/pkg/explain/formatter.go.

What is known about a field, as text. Kubernetes: kubectl/pkg/explain/v2/templates/plaintext.tmpl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kctl.views.explain.documents import resolved
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.objects import JSONObject

_NBSP = "\xa0"


def wrap(width: int, text: str) -> str:
    """What is broken loses the spaces there; ends of lines that were in the text stay."""
    written: list[str] = []
    current = 0
    word = spaces = ""
    for character in text:
        if character == "\n":
            if word or current + len(spaces) <= width:
                written += (spaces, word)
            written.append("\n")
            current, word, spaces = 0, "", ""
        elif character.isspace() and character != _NBSP:
            if not spaces or word:
                current += len(spaces) + len(word)
                written += (spaces, word)
                word = spaces = ""
            spaces += character
        else:
            word += character
            if current + len(word) + len(spaces) > width and len(word) < width:
                written.append("\n")
                current, spaces = 0, ""
    if word or current + len(spaces) <= width:
        written += (spaces, word)
    return "".join(written)


def indent(amount: int, text: str) -> str:
    pad = " " * amount
    return pad + text.replace("\n", f"\n{pad}")


_BULLET = re.compile(r"^(\d+\.?|-|\*)[\t\n\f\r ]")
_CODE = "    "


def paragraphs(text: str, width: int) -> list[str]:
    """Words are joined by one space. An empty line stays, unless nothing has been said before it."""
    lines: list[str] = []
    words: list[str] = []

    def flush() -> None:
        if words:
            lines.append(" ".join(words))
            words.clear()

    for line in text.split("\n"):
        is_empty = not line.strip()
        if line.startswith(_CODE):
            flush()
            lines.append(line)
        elif is_empty and lines:
            flush()
            lines.append("")
        else:
            if is_empty or _begins_anew(line, after=words[-1] if words else ""):
                flush()
            for word in line.split():
                if words and len(" ".join((*words, word)).encode()) > width:
                    flush()
                words.append(word)
    flush()
    return lines


def _begins_anew(line: str, *, after: str) -> bool:
    return after.endswith(":") or _BULLET.match(line.strip()) is not None


_ENUMS_IN_A_LIST = 4


class Options(NamedTuple):
    """`max_depth` 0 means no limit."""

    recursive: bool = False
    max_depth: int = 0


def explain(document: JSONObject, schema: JSONObject, path: Sequence[str], options: Options) -> str:
    """Empty if there is no such field."""
    return _Rendering(document, options).output(schema, tuple(path), frozenset())


class _Rendering:
    def __init__(self, document: JSONObject, options: Options) -> None:
        self._document = document
        self._options = options

    def output(self, schema: JSONObject, path: tuple[str, ...], seen: frozenset[str]) -> str:
        reference = str(schema.get("$ref") or "")
        found = resolved(self._document, schema)
        if not path:
            return self._described(found)
        if reference and reference in seen:
            return ""
        deeper = seen | {reference}
        properties = found.get("properties") or {}
        if inner := properties.get(path[0]):
            header = self._field_header(path[0], inner) if len(path) == 1 else ""
            rest = self.output(inner, path[1:], frozenset())
            return header + rest
        if found.get("items"):
            return self.output(found["items"], path, deeper)
        if isinstance(found.get("additionalProperties"), dict):
            return self.output(found["additionalProperties"], path, deeper)
        candidates = (self.output(one, path, deeper) for one in found.get("allOf") or ())
        return next(filter(None, candidates), "")

    def _field_header(self, name: str, schema: JSONObject) -> str:
        return f"FIELD: {name} <{self._type(schema)}>\n{_long_enum(schema)}\n\n"

    def _described(self, schema: JSONObject) -> str:
        text = "".join(self._descriptions(schema)) or "<empty>"
        sections = ["DESCRIPTION:\n", indent(4, wrap(76, text)), "\n"]
        if docs := _external_docs(schema.get("externalDocs"), 0, 76):
            sections += ["\n", docs]
        if fields := "".join(self._fields(schema, 1, frozenset())):
            sections += ["FIELDS:\n", fields]
        return "".join(sections)

    def _descriptions(self, schema: JSONObject) -> Iterator[str]:
        found = resolved(self._document, schema)
        if found.get("description"):
            yield f"{found['description']}\n"
        for one in _parts(found):
            yield from self._descriptions(one)

    def _fields(self, schema: JSONObject, level: int, seen: frozenset[str]) -> Iterator[str]:
        reference = str(schema.get("$ref") or "")
        if reference and reference in seen:
            return
        deeper = seen | {reference}
        found = resolved(self._document, schema)
        properties: dict[str, Any] = found.get("properties") or {}
        for name in sorted(properties):
            yield self._field(found, name, level)
            if self._options.recursive and (not self._options.max_depth or level < self._options.max_depth):
                yield from self._fields(properties[name], level + 1, deeper)
        for one in _parts(found):
            yield from self._fields(one, level, deeper)

    def _field(self, parent: JSONObject, name: str, level: int) -> str:
        margin = level * 2
        schema = parent["properties"][name]
        required = " -required-" if name in (parent.get("required") or ()) else ""
        line = f"{indent(margin, name)}\t<{self._type(schema)}>{required}{_short_enum(schema, margin)}\n"
        if self._options.recursive:
            return line
        text = schema.get("description") or "<no description>"
        line += indent(margin + 2, wrap(78 - margin, text)) + "\n"
        if docs := _external_docs(schema.get("externalDocs"), margin + 2, 76 - margin):
            line += "\n" + docs
        return line + "\n"

    def _type(self, schema: JSONObject) -> str:
        if schema.get("items"):
            return f"[]{self._type(schema['items'])}"
        if isinstance(schema.get("additionalProperties"), dict):
            return f"map[string]{self._type(schema['additionalProperties'])}"
        alternatives: list[JSONObject] = schema.get("allOf") or []
        if len(alternatives) == 1 and not schema.get("properties"):
            return self._type(alternatives[0])
        reference = schema.get("$ref")
        if not reference:
            kind = schema.get("type") or "Object"
            return "Object" if kind == "object" else str(kind)
        kind = resolved(self._document, schema).get("type")
        if kind and kind != "object":
            return str(kind)
        return str(reference).rpartition("/")[2].rpartition(".")[2] or "Object"


def _parts(schema: JSONObject) -> list[JSONObject]:
    """The schemas that say more about the same field."""
    parts = list(schema.get("allOf") or ())
    parts += [schema["items"]] if schema.get("items") else []
    return parts + ([schema["additionalProperties"]] if isinstance(schema.get("additionalProperties"), dict) else [])


def _shown(value: Any) -> str:
    return '""' if value == "" else go_plain(value)


def _long_enum(schema: JSONObject) -> str:
    values = schema.get("enum") or ()
    return "ENUM:" + "".join(f"\n    {_shown(value)}" for value in values) if values else ""


def _short_enum(schema: JSONObject, margin: int) -> str:
    values = schema.get("enum") or ()
    if not values:
        return ""
    listed = ", ".join(map(_shown, values[:_ENUMS_IN_A_LIST]))
    more = ", ...." if len(values) > _ENUMS_IN_A_LIST else ""
    return f"\n{' ' * margin}enum: {listed}{more}"


def _external_docs(docs: Any, margin: int, width: int) -> str:
    if not isinstance(docs, dict):
        return ""
    text = indent(margin, "EXTERNAL DOCS:") + "\n"
    if docs.get("description"):
        text += indent(margin + (4 if not margin else 2), wrap(width, docs["description"])) + "\n"
    if docs.get("url"):
        text += indent(margin + (4 if not margin else 2), f"URL: {docs['url']}") + "\n"
    return text
