"""Any object at all, field by field. Kubernetes: genericDescriber, smartLabelFor."""

from __future__ import annotations

import re
from typing import Any

from localplane.apimachinery.gotext import go_plain

from .events import events
from .metadata import annotation_lines, labels, of
from .page import Page
from .source import Source

Object = dict[str, Any]

_SKIPPED = (
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
)
_ACRONYMS = ("API", "URL", "UID", "GUID")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|-+|_+|[^A-Za-z]+")


async def describe(page: Page, obj: Object, source: Source) -> None:
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    _content(page, obj, "", 0)
    events(page, await source.events(obj))


def _content(page: Page, content: Object, prefix: str, level: int) -> None:
    for field in sorted(content):
        path, value = f"{prefix}.{field}", content[field]
        if path in _SKIPPED:
            continue
        title = label_for(field)
        if isinstance(value, dict):
            page.line(f"{title}:", level=level)
            _content(page, value, path, level + 1)
        elif isinstance(value, list):
            page.line(f"{title}:", level=level)
            for child in value:
                if isinstance(child, dict):
                    _content(page, child, path, level + 1)
                else:
                    page.line(go_plain(child), level=level + 1)
        else:
            page.field(title, go_plain(value), level=level)


def label_for(field: str) -> str:
    """`apiVersion` is `API Version`. What is no plain word stays as it is."""
    if not all(character.isalpha() or character == "-" for character in field):
        return field
    parts = _merged(_WORDS.findall(field))
    return " ".join(_titled(part) for part in parts)


def _merged(parts: list[str]) -> list[str]:
    """Capitals before a word belong to it: `CIDRs` and `IPs` are one."""
    found: list[str] = []
    for part in parts:
        if found and len(found[-1]) >= 2 and found[-1].isupper() and part[:1].isupper():
            found[-1] += part
        else:
            found.append(part)
    return found


def _titled(part: str) -> str:
    if part.upper() in _ACRONYMS:
        return part.upper()
    return part.title() if part.lower() == part else part
