"""Lines with levels and tabs. Kubernetes: describe.PrefixWriter, tabbedString.

Labels, annotations, times and owners, as every kind shows them.

Other objects that a description needs: what happened to this one, who uses it, what is behind it.

What happened to an object. Kubernetes: DescribeEvents, searchEvents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kctl.printers.table import TabWriter
from kctl.printers.terminal import escape
from kctl.session.session import Session
from localplane.apimachinery import times
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest import options as rest_options
from localplane.client.rest.names import GroupVersionResource


class Page:
    """`indent` is added to every level: a page within a page."""

    def __init__(self, blocks: list[list[str]] | None = None, *, indent: int = 0) -> None:
        self._blocks: list[list[str]] = [[]] if blocks is None else blocks
        self._indent = indent

    def write(self, text: str, *, level: int = 0) -> None:
        """As it is: a line ends with its own end."""
        self._blocks[-1].append("  " * (level + self._indent) + escape(text))

    def line(self, text: str, *, level: int = 0) -> None:
        self.write(f"{text}\n", level=level)

    def field(self, name: str, value: object, *, level: int = 0) -> None:
        self.write(f"{name}:\t{value}\n", level=level)

    def end_columns(self) -> None:
        """What follows is aligned by itself."""
        self._blocks.append([])

    def nested(self, levels: int) -> Page:
        return Page(self._blocks, indent=self._indent + levels)

    @property
    def plain(self) -> str:
        """With its tabs."""
        return "".join(part for block in self._blocks for part in block)

    @property
    def text(self) -> str:
        """In columns."""
        written: list[str] = []
        for block in self._blocks:
            tabs = TabWriter(written.append, narrowest=0, padding=2, remembers=False)
            tabs.write("".join(block))
            tabs.flush()
        return "".join(written)


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
    return times.parse_micro_time(timestamp) if "." in timestamp else times.parse_time(timestamp)


def since(timestamp: str | None) -> str:
    if not timestamp:
        return "<unknown>"
    return times.human_duration(datetime.now(UTC) - moment(timestamp))


def controller(obj: JSONObject) -> str:
    """`ReplicaSet/web-1`, or nothing."""
    for owner in of(obj, "metadata").get("ownerReferences") or ():
        if owner.get("controller"):
            return f"{owner.get('kind')}/{owner.get('name')}"
    return ""


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


class Source:
    """`with_events` is whether they are to be shown at all."""

    def __init__(self, session: Session, *, with_events: bool, chunk_size: int) -> None:
        self._session = session
        self._with_events = with_events
        self._chunk_size = chunk_size

    async def events(
        self, obj: JSONObject, *, kind: str | None = None, uid: str | None = None
    ) -> list[JSONObject] | None:
        """None where nobody wants them. `kind` and `uid` ask for another than the object's own; empty for any."""
        if not self._with_events:
            return None
        metadata = obj.get("metadata") or {}
        namespace = str(metadata.get("namespace") or "")
        wanted = {
            "involvedObject.kind": str(obj.get("kind", "")) if kind is None else kind,
            "involvedObject.name": str(metadata.get("name", "")),
            "involvedObject.namespace": namespace,
            "involvedObject.uid": str(metadata.get("uid", "")) if uid is None else uid,
        }
        always = ("involvedObject.name", "involvedObject.namespace")
        selector = ",".join(f"{key}={value}" for key, value in wanted.items() if value or key in always)
        try:
            return await self.list("", "v1", "events", namespace, field_selector=selector)
        except APIError:
            return None

    async def list(
        self,
        group: str,
        version: str,
        resource: str,
        namespace: str,
        *,
        label_selector: str = "",
        field_selector: str = "",
        whole: bool = False,
    ) -> list[JSONObject]:
        """All pages, or all at once with `whole`. Raises APIError."""
        client = self._session.client.resource(GroupVersionResource(group, version, resource), namespace)
        found: list[JSONObject] = []
        token = ""
        while True:
            options = rest_options.ListOptions(
                label_selector=label_selector,
                field_selector=field_selector,
                limit=0 if whole else self._chunk_size,
                continue_token=token,
            )
            page = await client.list(options)
            found += page.get("items") or []
            token = str((page.get("metadata") or {}).get("continue") or "")
            if not token:
                return found

    async def get(self, group: str, version: str, resource: str, namespace: str, name: str) -> JSONObject:
        """Raises APIError."""
        client = self._session.client.resource(GroupVersionResource(group, version, resource), namespace)
        return await client.get(name)

    async def pod_counts(self, obj: JSONObject, selector: str) -> str:
        """`1 Running / 0 Waiting / 0 Succeeded / 0 Failed`, of the pods that it controls."""
        metadata = obj.get("metadata") or {}
        pods = await self.list("", "v1", "pods", metadata.get("namespace", ""), label_selector=selector)
        phases = [
            (pod.get("status") or {}).get("phase")
            for pod in pods
            if any(
                owner.get("controller") and owner.get("uid") == metadata.get("uid")
                for owner in (pod.get("metadata") or {}).get("ownerReferences") or ()
            )
        ]
        shown = (("Running", "Running"), ("Pending", "Waiting"), ("Succeeded", "Succeeded"), ("Failed", "Failed"))
        return " / ".join(f"{phases.count(phase)} {title}" for phase, title in shown)


def events(page: Page, found: Sequence[JSONObject] | None) -> None:
    """None where nobody asked for them."""
    if found is None:
        return
    if not found:
        page.line("Events:\t<none>")
        return
    page.end_columns()
    page.line("Events:\n  Type\tReason\tAge\tFrom\tMessage")
    page.line("----\t------\t----\t----\t-------", level=1)
    for event in sorted(found, key=lambda one: str(one.get("lastTimestamp") or "")):
        message = str(event.get("message") or "").strip()
        if path := (event.get("involvedObject") or {}).get("fieldPath"):
            message = f"{path}: {message}"
        source = (event.get("source") or {}).get("component") or event.get("reportingComponent") or ""
        cells = (event.get("type") or "", event.get("reason") or "", interval(event), source, message)
        page.line("\t".join(map(str, cells)), level=1)


def interval(event: JSONObject) -> str:
    """How long ago, how often, over how long."""
    first = since(event.get("eventTime") or event.get("firstTimestamp"))
    if series := event.get("series"):
        return f"{since(series.get('lastObservedTime'))} (x{series.get('count', 0)} over {first})"
    count = event.get("count") or 0
    return f"{since(event.get('lastTimestamp'))} (x{count} over {first})" if count > 1 else first
