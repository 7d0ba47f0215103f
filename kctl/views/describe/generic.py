"""Any object at all, field by field. Kubernetes: genericDescriber, smartLabelFor."""

from __future__ import annotations

from itertools import groupby

from kctl.views.describe.page import Page, Source, annotation_lines, events, labels, of
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.objects import JSONObject

_SKIPPED = (
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
)
_ACRONYMS = ("API", "URL", "UID", "GUID")


async def describe(page: Page, obj: JSONObject, source: Source) -> None:
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    _content(page, obj, "", 0)
    events(page, await source.events(obj))


def _content(page: Page, content: JSONObject, prefix: str, level: int) -> None:
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
    return " ".join(_titled(part) for part in _merged(_words(field)))


def _words(field: str) -> list[str]:
    """Runs of one kind of letter; the last capital of a run begins the word after it. Go: fatih/camelcase."""
    runs = ["".join(run) for _, run in groupby(field, key=_kind)]
    for number in range(len(runs) - 1):
        if _kind(runs[number][:1]) == "upper" and _kind(runs[number + 1][:1]) == "lower":
            runs[number], runs[number + 1] = runs[number][:-1], runs[number][-1] + runs[number + 1]
    return [run for run in runs if run]


def _kind(character: str) -> str:
    return "lower" if character.islower() else "upper" if character.isupper() else "other"


def _merged(parts: list[str]) -> list[str]:
    """Capitals before a word belong to it: `CIDRs` and `IPs` are one."""
    found: list[str] = []
    rest = list(parts)
    while rest:
        part = rest.pop(0)
        plain = all(not letter.isalpha() or letter.isupper() for letter in part)
        if len(part.encode()) >= 2 and plain and rest and rest[0][:1].isupper():
            part += rest.pop(0)
        found.append(part)
    return found


def _titled(part: str) -> str:
    if part.upper() in _ACRONYMS:
        return part.upper()
    return part.title() if part.lower() == part else part
