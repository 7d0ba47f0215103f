"""Replacements within JSON or YAML that is itself the text of a field, such as a file in a config map.

Kubernetes: api/filters/replacement, setValueInStructuredData.
"""

from __future__ import annotations

import re
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.fields.paths import Created, FieldLocation, field_locations, lookup
from kctl.kustomize.nodes.conversion import json_value
from kctl.kustomize.nodes.emitter import emitted
from kctl.kustomize.nodes.node import Node, Scalar, copied, raw_text
from kctl.kustomize.nodes.parser import parse
from localplane.apimachinery.golang.text import go_json, json_string
from localplane.apimachinery.objects import sorted_keys

_COMMENT = re.compile(r"(^|[ \t])#")


def replace_within(node: Node, parts: list[str], value: Node, created: Created | None) -> bool:
    """Whether the path led into such a text, and the value is there now. Raises KustomizeError only for a text that
    can't be written again as kustomize writes it."""
    holder = _holder(node, parts)
    if holder is None:
        return False
    scalar, rest = holder
    try:
        document = parse(scalar.text)
        found = field_locations(document, rest, created) if document is not None else []
    except KustomizeError:
        return False
    if not found or document is None:
        return False
    before = copied(document)
    for location in found:
        _put(location, value)
    scalar.text = _written(document, before, scalar.text)
    return True


def _holder(node: Node, parts: list[str]) -> tuple[Scalar, list[str]] | None:
    """The first text on the way that is YAML, and what is left of the path."""
    for end in range(1, len(parts)):
        try:
            found = lookup(node, parts[:end])
            if isinstance(found, Scalar):
                parse(found.text)
                return found, parts[end:]
        except KustomizeError:
            continue
    return None


def _put(location: FieldLocation, value: Node) -> None:
    node = location.node
    if isinstance(node, Scalar):
        node.text = raw_text(value)
    else:
        location.put(copied(value))


def _written(document: Node, before: Node, original: str) -> str:
    if original.strip()[:1] in ("{", "["):
        return _as_json(json_value(document), pretty="\n" in original and "  " in original)
    text = emitted(document).strip()
    if not any(_COMMENT.search(line) for line in original.splitlines()):
        return text
    return _with_comments(text, emitted(before).strip(), original)


def _as_json(value: Any, *, pretty: bool) -> str:
    ordered = _sorted(value, sorted_keys)
    return _indented(ordered) if pretty else go_json(ordered)


def _sorted(value: Any, sort: Any) -> Any:
    return (
        sort(value)
        if isinstance(value, dict)
        else [_sorted(one, sort) for one in value]
        if isinstance(value, list)
        else value
    )


def _indented(value: Any, margin: str = "") -> str:
    inner = f"{margin}  "
    if isinstance(value, dict) and value:
        rows = [f"{inner}{json_string(key)}: {_indented(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{margin}}}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(inner + _indented(item, inner) for item in value) + f"\n{margin}]"
    return go_json(value)


def _with_comments(text: str, before: str, original: str) -> str:
    """Comments stay where they were, if the text is laid out as it will be; else it is not clear where they belong."""
    old, new = before.splitlines(), text.splitlines()
    lines = original.strip().splitlines()
    result, index = [], 0
    for line in lines:
        if line.lstrip().startswith("#"):
            result.append(line)
            continue
        known = old[index] if index < len(old) else ""
        comment = line[len(known) :]
        if not line.startswith(known) or (comment and not comment.startswith(" # ")) or len(old) != len(new):
            break
        result.append(new[index] + comment)
        index += 1
    if index != len(old) or len(result) != len(lines):
        raise KustomizeError(
            "replacements in YAML with comments need it in its plainest form: two spaces per level, lists not "
            "indented, no blank lines, one space before a comment"
        )
    return "\n".join(result)
