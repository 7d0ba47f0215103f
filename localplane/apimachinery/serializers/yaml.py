"""YAML bodies in, read as kubectl and the API server read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from localplane.apimachinery.golang.text import json_float
from localplane.apimachinery.light_typing import Any, Final, NoReturn

from .errors import YAMLError
from .json_scanner import MAX_DUPLICATES, number
from .parsed import Parsed
from .yaml_events import events
from .yaml_scalars import MERGE, Key, go_syntax, key_of, plain, resolve

# From YAML events to JSON values: aliases, merge keys, keys that are no text, keys that come twice.
#
# The first document of the stream counts. Nothing here recurses. Kubernetes: vendor/go.yaml.in/yaml/v2, decode, and
# vendor/sigs.k8s.io/yaml, convertToJSONableObject.

_NO_KEY: Final = object()
_DOCUMENT_END: Final = "DocumentEndEvent"

MAX_DEPTH = 1000
"""Kubernetes goes ten times as deep. libyaml looks at all open brackets for each token, which there would take a minute
for a body of the size that is allowed; nothing that deep can be stored."""


class _Frame:
    """A mapping or sequence that is open."""

    __slots__ = ("anchor", "container", "count", "duplicates", "key", "line", "merging")

    def __init__(self, container: dict[str, Any] | list[Any], line: int, anchor: str | None) -> None:
        self.container = container
        self.line = line
        self.anchor = anchor
        self.key: Any = _NO_KEY
        self.merging = False
        self.count = 0
        self.duplicates = 0


class _Anchored:
    """A finished node that aliases may repeat; `count` is how many nodes it stands for."""

    __slots__ = ("count", "duplicates", "value")

    def __init__(self, value: Any, count: int, duplicates: list[str]) -> None:
        self.value = value
        self.count = count
        self.duplicates = duplicates


class Builder:
    def __init__(self, events: Iterator[Any], *, find_duplicates: bool = False) -> None:
        self.duplicates: list[str] = []
        self._events = events
        self._lines: dict[int, dict[str, int]] | None = {} if find_duplicates else None
        self._kinds: dict[int, dict[str, type]] = {}
        self._stack: list[_Frame] = []
        self._root: Any = None
        self._anchors: dict[str, _Frame | _Anchored] = {}
        self._count = 1
        self._aliased = 0
        self._bad_key = ""
        self._bad_value = ""

    def build(self) -> Any:
        """The value of the first document; None if there is none. Raises YAMLError."""
        handlers: dict[str, Callable[[Any], None]] = {
            "ScalarEvent": self._scalar,
            "MappingStartEvent": self._start_mapping,
            "SequenceStartEvent": self._start_sequence,
            "MappingEndEvent": self._end,
            "SequenceEndEvent": self._end,
            "AliasEvent": self._alias,
            "DocumentStartEvent": _check_version,
        }
        for event in self._events:
            name = type(event).__name__
            handler = handlers.get(name)
            if handler is not None:
                handler(event)
            elif name == _DOCUMENT_END:
                break
        self._check_aliasing()
        if self._bad_key or self._bad_value:
            raise YAMLError(self._bad_key or self._bad_value)
        return self._root

    def _scalar(self, event: Any) -> None:
        frame = self._stack[-1] if self._stack else None
        at_key = frame is not None and frame.key is _NO_KEY and type(frame.container) is dict
        text, tag, implicit = event.value, event.tag, event.implicit[0]
        if at_key and text == "<<" and (implicit or tag == MERGE):
            assert frame is not None
            frame.merging = True
            frame.key = None
            return
        self._count += 1
        value: Any = text
        if tag is not None:
            value = self._tagged(tag, text)
        elif implicit:
            value = plain(text)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, 1, [])
        self._add(value, event.start_mark.line)

    def _tagged(self, tag: str, text: str) -> Any:
        try:
            return resolve(tag, text)[1]
        except YAMLError as error:
            self._fail(str(error))

    def _start_mapping(self, event: Any) -> None:
        self._open({}, event)

    def _start_sequence(self, event: Any) -> None:
        self._open([], event)

    def _open(self, container: dict[str, Any] | list[Any], event: Any) -> None:
        frame = _Frame(container, event.start_mark.line, event.anchor)
        if len(self._stack) >= MAX_DEPTH:
            place = f"line {frame.line + 1}: " if frame.line else ""
            raise YAMLError(f"yaml: {place}exceeded max depth of {MAX_DEPTH}")
        frame.count = self._count
        frame.duplicates = len(self.duplicates)
        self._count += 1
        self._stack.append(frame)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = frame

    def _end(self, _: Any) -> None:
        frame = self._stack.pop()
        if frame.anchor is not None and self._anchors[frame.anchor] is frame:
            repeated = self.duplicates[frame.duplicates :]
            self._anchors[frame.anchor] = _Anchored(frame.container, self._count - frame.count, repeated)
        self._add(frame.container, frame.line)

    def _alias(self, event: Any) -> None:
        target = self._anchors.get(event.anchor)
        if target is None:
            raise YAMLError(f"yaml: unknown anchor '{event.anchor}' referenced")
        if isinstance(target, _Frame):
            self._fail(f"yaml: anchor '{event.anchor}' value contains itself")
        self._count += 1 + target.count
        self._aliased += target.count
        self._check_aliasing()
        self._report(*target.duplicates)
        self._add(self._copy(target.value), event.start_mark.line, aliased=True)

    def _check_aliasing(self) -> None:
        """The more nodes a document has, the fewer of them may be repetitions."""
        if self._aliased > 100 and self._count > 1000 and self._aliased / self._count > _allowed_ratio(self._count):
            self._fail("yaml: document contains excessive aliasing")

    def _add(self, value: Any, line: int, *, aliased: bool = False) -> None:
        if not self._stack:
            self._root = self._json_value(value)
            return
        frame = self._stack[-1]
        container = frame.container
        if type(container) is list:
            container.append(self._json_value(value))
        elif frame.key is _NO_KEY:
            if isinstance(value, (dict, list)):
                self._fail(f"yaml: invalid map key: {go_syntax(value)}")
            frame.key = value
        elif frame.merging:
            self._merge(frame, value, line, aliased=aliased)
        else:
            self._set(frame, value, line)

    def _set(self, frame: _Frame, value: Any, line: int) -> None:
        container, raw = frame.container, frame.key
        assert isinstance(container, dict)
        frame.key = _NO_KEY
        value = self._json_value(value)
        if type(raw) is str:
            if self._lines is not None:
                self._note(container, Key(raw, raw), line)
            container[raw] = value
            return
        key = key_of(raw)
        if key is None:
            self._bad_key = self._bad_key or _unsupported_key(raw, value)
            return
        if self._lines is not None:
            self._note(container, key, line)
        container[key.text] = value

    def _note(self, container: dict[str, Any], key: Key, line: int) -> None:
        """Remember where a key was set, and report one that was set before; 1 and "1" are two keys."""
        assert self._lines is not None
        kind = type(key.raw)
        if kind is not str:
            self._kinds.setdefault(id(container), {})[key.text] = kind
        lines = self._lines.setdefault(id(container), {})
        if key.text in container and self._kinds.get(id(container), {}).get(key.text, str) is kind:
            self._report(f"line {line + 1}: key {go_syntax(key.raw)} already set in map")
        lines[key.text] = line

    def _report(self, *duplicates: str) -> None:
        """Go reports all; a limit keeps a body of nothing else from filling memory."""
        self.duplicates.extend(duplicates[: MAX_DUPLICATES - len(self.duplicates)])

    def _merge(self, frame: _Frame, value: Any, line: int, *, aliased: bool) -> None:
        """Set the keys of other mappings here; of a list of mappings the first counts, so it comes last."""
        frame.merging = False
        frame.key = _NO_KEY
        container = frame.container
        assert isinstance(container, dict)
        sources = value[::-1] if isinstance(value, list) and not aliased else [value]
        if not all(isinstance(source, dict) for source in sources):
            self._fail("yaml: map merge requires map or sequence of maps as the value")
        for source in sources:
            if self._lines is not None:
                lines = self._lines.get(id(source), {})
                for key in source:
                    self._note(container, Key(key, key), lines.get(key, line))
            container.update(source)

    def _json_value(self, value: Any) -> Any:
        """A float as JSON has it: 1.0 is written 1, and what is not finite can't be written."""
        if type(value) is not float:
            return value
        if math.isfinite(value):
            return number(json_float(value))
        name = "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
        self._bad_value = self._bad_value or f"json: unsupported value: {name}"
        return None

    def _copy(self, value: Any) -> Any:
        """An alias gets values of its own: what is parsed may be changed."""
        top = [value]
        pending: list[Any] = [top]
        while pending:
            container = pending.pop()
            for key, item in container.items() if type(container) is dict else enumerate(container):
                if isinstance(item, (dict, list)):
                    container[key] = duplicate = item.copy()
                    pending.append(duplicate)
                    if self._lines is not None and id(item) in self._lines:
                        self._lines[id(duplicate)] = self._lines[id(item)]
        return top[0]

    def _fail(self, message: str) -> NoReturn:
        """Raise, unless the rest of the document is no YAML at all: that would have been seen first."""
        for event in self._events:
            if type(event).__name__ == _DOCUMENT_END:
                break
        raise YAMLError(message)


def _check_version(event: Any) -> None:
    if event.version not in (None, (1, 1)):
        place = f"line {event.start_mark.line}: " if event.start_mark.line else ""
        raise YAMLError(f"yaml: {place}found incompatible YAML document")


def _allowed_ratio(count: int) -> float:
    low, high = 400_000, 4_000_000
    if count <= low:
        return 0.99
    return 0.10 if count >= high else 0.99 - 0.89 * (count - low) / (high - low)


def _unsupported_key(raw: Any, value: Any) -> str:
    kind = "%!s(<nil>)" if raw is None else "uint64"
    key = "<nil>" if raw is None else hex(raw)
    return f"unsupported map key of type: {kind}, key: {key}, value: {go_syntax(value)}"


def parse_yaml(body: bytes | str, *, find_duplicates: bool = False) -> Parsed:
    """The first document of a body as a JSON value; an empty one is None.

    Numbers are what they would be if the document had been JSON. Of a key that comes twice the last counts;
    `find_duplicates` reports the others. Raises YAMLError.
    """
    builder = Builder(events(body), find_duplicates=find_duplicates)
    value = builder.build()
    duplicates = tuple(builder.duplicates)
    if not duplicates:
        return Parsed(value)
    return Parsed(value, duplicates, ("yaml: unmarshal errors:\n  " + "\n  ".join(duplicates),))
