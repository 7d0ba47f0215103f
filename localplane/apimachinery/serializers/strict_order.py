"""In which order a strict decoder complains of a document's fields: as it meets them.

Go's decoder of structs reads a document once. A field that it does not know is told where it stands and never looked
into, so nothing below it is told, nor that it comes again; one that it knows and meets again is a duplicate.
Kubernetes: sigs.k8s.io/json, internal/golang/encoding/json, decodeState.object.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from localplane.apimachinery.golang.text import go_quote

from .json_scanner import MAX_DUPLICATES


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with every key that was written, in the order in which they were."""

    __slots__ = ()


def complaints_of_json(body: bytes, unknown: Sequence[str], duplicates: Sequence[str] = ()) -> Sequence[str]:
    """Sentences about the fields at these paths, in the document's order, mixed with its duplicates.

    `duplicates` are the sentences about them, if somebody looked for any; the body is valid JSON.
    """
    if not unknown:
        return duplicates
    try:
        tree = json.loads(body.decode("utf-8", "replace"), object_pairs_hook=_Pairs)
    except RecursionError:
        return [*duplicates, *unknown_fields(unknown)]
    return _told(tree, unknown, tells_duplicates=bool(duplicates))


def complaints_in_key_order(value: Any, unknown: Sequence[str]) -> Sequence[str]:
    """The same for a value that had no order of its own when it was decoded: YAML is made JSON with sorted keys."""
    return _told(value, unknown, tells_duplicates=False)


def unknown_fields(paths: Sequence[str]) -> Sequence[str]:
    """A sentence for each, in the order in which they come."""
    return [_unknown(path) for path in paths]


def _told(tree: Any, unknown: Sequence[str], *, tells_duplicates: bool) -> Sequence[str]:
    strangers, sentences = set(unknown), dict[str, None]()
    stack: list[tuple[Iterator[tuple[str, Any]], set[str] | None]] = [(iter([("", tree)]), None)]
    while stack and len(sentences) < MAX_DUPLICATES:
        fields, seen = stack[-1]
        path, value = next(fields, _END)
        if value is _END[1]:
            stack.pop()
            continue
        shown = path.removeprefix(".")
        if shown in strangers and seen is not None:
            sentences[_unknown(shown)] = None
            continue
        if seen is not None:
            if path in seen and tells_duplicates:
                sentences[f"duplicate field {go_quote(shown)}"] = None
            seen.add(path)
        if isinstance(value, (dict, list)):
            stack.append(_fields(value, path))
    return [*sentences, *_left(unknown, sentences)]


_END: tuple[str, Any] = ("", object())


def _fields(value: dict[str, Any] | list[Any], path: str) -> tuple[Iterator[tuple[str, Any]], set[str] | None]:
    """What stands in an object or a list; the set is for the keys of an object that were met."""
    if isinstance(value, _Pairs):
        return ((f"{path}.{key}", item) for key, item in value), set()
    if isinstance(value, dict):
        return ((f"{path}.{key}", value[key]) for key in sorted(value)), set()
    return ((f"{path}[{index}]", item) for index, item in enumerate(value)), None


def _left(unknown: Sequence[str], sentences: Collection[str]) -> Iterator[str]:
    """What no walk of the document met, though the decoder did: nothing that was found is kept back."""
    if len(sentences) < MAX_DUPLICATES:
        yield from (sentence for sentence in map(_unknown, unknown) if sentence not in sentences)


def _unknown(path: str) -> str:
    return f"unknown field {go_quote(path)}"
