"""Labels, annotations, times and owners, as every kind shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from localplane.apimachinery.objects import JSONObject

from .page import Page

NONE = "<none>"
_LONGEST_ANNOTATION = 140
_SKIPPED = ("kubectl.kubernetes.io/last-applied-configuration",)


def of(obj: Mapping[str, Any] | None, *path: str) -> Any:
    """What stands there, or an empty dictionary."""
    found: Any = obj
    for name in path:
        found = (found or {}).get(name)
    return {} if found is None else found


def labels(page: Page, title: str, entries: Mapping[str, Any] | None, *, indent: str = "", inner: str = "\t") -> None:
    lines = [f"{key}={value}" for key, value in sorted((entries or {}).items())]
    several(page, title, lines, indent=indent, inner=inner)


def labels_text(entries: Mapping[str, Any] | None) -> str:
    """All in one line. Kubernetes: labels.FormatLabels."""
    return ",".join(f"{key}={value}" for key, value in sorted((entries or {}).items())) or NONE


def several(page: Page, title: str, lines: Iterable[str], *, indent: str = "", inner: str = "\t") -> None:
    """The first beside the title, the others below it."""
    listed = list(lines)
    page.write(f"{indent}{title}:{inner}")
    page.write((f"\n{indent}{inner}".join(listed) if listed else NONE) + "\n")


def annotation_lines(page: Page, title: str, entries: Mapping[str, Any] | None) -> None:
    shown = [(key, str(value)) for key, value in sorted((entries or {}).items()) if key not in _SKIPPED]
    page.write(f"{title}:\t")
    if not shown:
        page.line(NONE)
    for number, (key, whole) in enumerate(shown):
        if number:
            page.write("\t")
        value = whole.removesuffix("\n")
        if _size(value) + _size(key) + 2 <= _LONGEST_ANNOTATION and "\n" not in value:
            page.line(f"{key}: {value}")
            continue
        page.line(f"{key}:")
        for line in value.split("\n"):
            page.line(f"\t  {_shortened(line, _LONGEST_ANNOTATION - 2)}")


def _size(text: str) -> int:
    return len(text.encode())


def _shortened(text: str, limit: int) -> str:
    encoded = text.encode()
    return encoded[:limit].decode(errors="ignore") + "..." if len(encoded) > limit else text


def full_time(timestamp: str | None) -> str:
    """Go's RFC1123Z, in local time."""
    if not timestamp:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    return moment(timestamp).astimezone().strftime("%a, %d %b %Y %H:%M:%S %z")


def go_time(timestamp: str | None) -> str:
    """As Go prints a time that nobody gave a form, in local time."""
    if not timestamp:
        return "0001-01-01 00:00:00 +0000 UTC"
    return moment(timestamp).astimezone().strftime("%Y-%m-%d %H:%M:%S %z %Z")


def moment(timestamp: str) -> datetime:
    from localplane.apimachinery.times import parse_micro_time, parse_time

    return parse_micro_time(timestamp) if "." in timestamp else parse_time(timestamp)


def since(timestamp: str | None) -> str:
    from localplane.apimachinery.times import human_duration

    if not timestamp:
        return "<unknown>"
    return human_duration(datetime.now(UTC) - moment(timestamp))


def controller(obj: JSONObject) -> str:
    """`ReplicaSet/web-1`, or nothing."""
    for owner in of(obj, "metadata").get("ownerReferences") or ():
        if owner.get("controller"):
            return f"{owner.get('kind')}/{owner.get('name')}"
    return ""


def selector_text(selector: Mapping[str, Any] | None, *, none: str = NONE) -> str:
    """Kubernetes: metav1.FormatLabelSelector."""
    if selector is None:
        return none
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for one in selector.get("matchExpressions") or ():
        key, values = one.get("key"), ",".join(sorted(one.get("values") or ()))
        match one.get("operator"):
            case "In":
                parts.append(f"{key} in ({values})")
            case "NotIn":
                parts.append(f"{key} notin ({values})")
            case "Exists":
                parts.append(f"{key}")
            case "DoesNotExist":
                parts.append(f"!{key}")
    return ",".join(sorted(parts, key=_selector_key)) or none


def _selector_key(text: str) -> str:
    for sign in ("=", " in ", " notin "):
        text = text.partition(sign)[0]
    return text.lstrip("!")


def truth(value: object) -> str:
    return "True" if value else "False"


def named(page: Page, obj: Mapping[str, Any], *, namespaced: bool = True) -> None:
    metadata = obj.get("metadata") or {}
    page.field("Name", metadata.get("name", ""))
    if namespaced:
        page.field("Namespace", metadata.get("namespace", ""))


def told(page: Page, obj: Mapping[str, Any]) -> None:
    metadata = obj.get("metadata") or {}
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))


def condition_rows(page: Page, conditions: Sequence[Mapping[str, Any]]) -> None:
    page.line("Conditions:")
    page.line("Type\tStatus\tLastTransitionTime\tReason\tMessage", level=1)
    page.line("----\t------\t------------------\t------\t-------", level=1)
    for one in conditions:
        cells = (one.get("type", ""), one.get("status", ""), full_time(one.get("lastTransitionTime")))
        page.line("\t".join((*cells, one.get("reason", ""), one.get("message", ""))), level=1)
