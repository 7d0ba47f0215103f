"""Files with several objects, split as kubectl splits them: at lines with three dashes, or JSON after JSON.

Kubernetes: apimachinery/pkg/util/yaml, YAMLOrJSONDecoder and YAMLReader.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .errors import BadSeparator, JSONSyntaxError, SerializationError
from .json import parse_json, parse_json_stream
from .utf8 import decode
from .yaml import parse_yaml

_SEPARATOR = "---"


@dataclass(frozen=True, slots=True)
class Document:
    """`line` is where it starts in the file, counted from one; lines in a fault are counted from there.

    `text` is how it is written, if it is JSON.
    """

    value: Any
    line: int
    duplicates: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    text: str = field(default="", compare=False)


def parse_yaml_documents(data: bytes | str, *, find_duplicates: bool = False) -> Iterator[Document]:
    """The objects of a file, in order, without empty documents. What stands before a fault comes first.

    A file that begins with a brace is read as JSON, and as YAML if it turns out to be none.
    Raises YAMLError, JSONSyntaxError, JSONValueError.
    """
    text = decode_file(data) if isinstance(data, bytes) else data
    if text.lstrip().startswith("{"):
        yield from _json_documents(text, find_duplicates=find_duplicates)
    else:
        yield from _yaml_documents(text, 1, find_duplicates=find_duplicates)


def decode_file(data: bytes) -> str:
    """A file's text: UTF-8, or what its byte order mark says."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return decode(data.removeprefix(codecs.BOM_UTF8))


def _json_documents(text: str, *, find_duplicates: bool) -> Iterator[Document]:
    body = text.encode("utf-8", "replace")
    try:
        parsed = parse_json(body, find_duplicates=find_duplicates)
    except JSONSyntaxError:
        yield from _json_stream(body, find_duplicates=find_duplicates)
    else:
        yield Document(parsed.value, _line_at(body, 0), parsed.duplicates, parsed.strict, text.strip())


def _json_stream(body: bytes, *, find_duplicates: bool) -> Iterator[Document]:
    end = count = 0
    try:
        for value, position in parse_json_stream(body):
            start, end = end, position
            count += 1
            parsed = parse_json(body[start:end], find_duplicates=find_duplicates)
            written = body[start:end].decode("utf-8", "replace").strip()
            yield Document(value, _line_at(body, start), parsed.duplicates, parsed.strict, written)
    except JSONSyntaxError as error:
        ended = str(error) == "unexpected end of JSON input"
        fault = JSONSyntaxError("unexpected EOF" if ended else f"json: offset {error.offset}: {error}", error.offset)
        if count > 1:
            raise fault from None
        yield from _as_yaml(body, end, fault, find_duplicates=find_duplicates)


def _as_yaml(body: bytes, end: int, fault: JSONSyntaxError, *, find_duplicates: bool) -> Iterator[Document]:
    """What follows the JSON, if it can be read as YAML; else JSON's fault."""
    rest = decode(body[end:])
    blank = len(rest) - len(rest.lstrip())
    first_line_end = rest.find("\n", 0, blank)
    rest = rest[blank if first_line_end < 0 else first_line_end + 1 :]
    line = 1 + body.count(b"\n", 0, len(body) - len(rest.encode()))
    try:
        documents = list(_yaml_documents(rest, line, find_duplicates=find_duplicates))
    except SerializationError:
        raise fault from None
    yield from documents


def _line_at(body: bytes, start: int) -> int:
    rest = body[start:]
    return 1 + body.count(b"\n", 0, start + len(rest) - len(rest.lstrip()))


def _yaml_documents(text: str, line: int, *, find_duplicates: bool) -> Iterator[Document]:
    for first, chunk in split_yaml(text):
        parsed = parse_yaml(chunk, find_duplicates=find_duplicates)
        if parsed.value is not None:
            yield Document(parsed.value, line + first - 1, parsed.duplicates, parsed.strict)


def split_yaml(text: str) -> Iterator[tuple[int, str]]:
    """The documents of a YAML stream, each with the line it starts at. Raises BadSeparator."""
    chunk: list[str] = []
    start = 1
    for number, raw in enumerate(text.removesuffix("\n").split("\n"), 1):
        line = raw.removesuffix("\r")
        if line.startswith(_SEPARATOR):
            trailing = line.removeprefix(_SEPARATOR).strip()
            if trailing and not trailing.startswith("#"):
                raise BadSeparator(f"invalid Yaml document separator: {trailing}")
            if chunk:
                yield start, "\n".join(chunk) + "\n"
                chunk = []
                start = number + 1
                continue
        chunk.append(line)
    if chunk:
        yield start, "\n".join(chunk) + "\n"
