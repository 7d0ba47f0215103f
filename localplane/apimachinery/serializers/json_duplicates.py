"""Keys that come twice in one JSON object, found without reading most bodies a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

from localplane.apimachinery.gotext import go_quote

from .json_scanner import MAX_DUPLICATES, Scanner
from .json_writer import escape_html

Pairs = list[tuple[str, Any]]


class _Repeating(list[Any]):
    """The pairs of an object that has a key twice; a list, so that nothing of it is lost."""

    __slots__ = ()


def duplicate_fields(body: bytes, value: Any) -> tuple[str, ...]:
    """A sentence for each key that comes again in its object; `value` is what the body parsed to.

    A body that is the same when it is written anew has none, and most clients send such. The body is valid UTF-8.
    """
    try:
        written, sent = orjson.dumps(value), body.rstrip()
        if written == sent or (b"\\u00" in sent and escape_html(written) == sent):
            return ()
    except orjson.JSONEncodeError:
        pass
    return _found(body)


def _found(body: bytes) -> tuple[str, ...]:
    repeating: list[_Repeating] = []

    def remember(pairs: Pairs) -> Any:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        repeating.append(_Repeating(pairs))
        return repeating[-1]

    try:
        tree = json.loads(body.decode(), object_pairs_hook=remember)
    except RecursionError:
        scanner = Scanner(body)
        scanner.document()
        return scanner.duplicates
    return tuple(f"duplicate field {go_quote(path)}" for path in _paths(tree)) if repeating else ()


def _paths(tree: Any) -> tuple[str, ...]:
    """The paths of repeated keys, in the order in which Go meets them: a key before what it holds."""
    paths: dict[str, None] = {}
    stack: list[tuple[Iterator[tuple[str, Any]], set[str] | None]] = [(iter([("", tree)]), None)]
    while stack and len(paths) < MAX_DUPLICATES:
        items, seen = stack[-1]
        path, value = next(items, ("", _END))
        if value is _END:
            stack.pop()
            continue
        if seen is not None:
            if path in seen:
                paths[path.removeprefix(".")] = None
            seen.add(path)
        if isinstance(value, (dict, list)):
            stack.append(_entries(value, path))
    return tuple(paths)


_END = object()


def _entries(value: dict[str, Any] | list[Any], path: str) -> tuple[Iterator[tuple[str, Any]], set[str] | None]:
    if isinstance(value, dict):
        return ((f"{path}.{key}", item) for key, item in value.items()), None
    if isinstance(value, _Repeating):
        return ((f"{path}.{key}", item) for key, item in value), set()
    return ((f"{path}[{index}]", item) for index, item in enumerate(value)), None
