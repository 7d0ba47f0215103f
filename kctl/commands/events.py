"""`kctl events`. Kubernetes: kubectl/pkg/cmd/events."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.printers import typed
from kctl.printers.choice import OBJECT_FORMATS, Printer, output_flags
from kctl.printers.sorting import go_sort
from kctl.printers.table import TabWriter
from kctl.printers.terminal import escape
from kctl.session.session import Session
from kctl.views.describe import page
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionLost, NoMatch, RequestTimedOut
from localplane.client.rest import options, resources
from localplane.client.rest.names import GroupVersionResource

_TYPES = ("normal", "warning")
_CHUNK = 500


async def run(session: Session, flags: FlagSet) -> None:
    everywhere = flags.is_on("all-namespaces")
    selector = await _selector(session, flags)
    printer = typed.printer_for(flags, "events") if flags.text("output") else None
    if any(one.lower() not in _TYPES for one in flags.texts("types")):
        raise KctlError("valid --types are Normal or Warning")
    events = session.client.resource(GroupVersionResource("", "v1", "events"), "" if everywhere else session.namespace)
    if flags.is_on("watch"):
        await _watch(session, flags, events, selector, printer)
        return
    found = [event for event in await _listed(flags, events, selector) if _is_wanted(flags, event)]
    if not found:
        where = "" if everywhere else f" in {session.namespace} namespace"
        session.say(f"No events found{where}.\n")
        return
    go_sort(found, lambda a, b: _moment(a) < _moment(b))
    out = session.columns()
    if printer is None:
        _Rows(out, flags).show(found)
    elif flags.text("output") != "name":
        _print({"kind": "EventList", "apiVersion": "v1", "metadata": {}, "items": found}, printer, out)
    out.flush()


def _print(obj: JSONObject, printer: Printer, out: TabWriter) -> None:
    """In columns where there are tabs; what a template can't find is not told. Kubernetes: EventsOptions.Run."""
    with suppress(KctlError):
        printer.print(obj, out.write)


async def _selector(session: Session, flags: FlagSet) -> str:
    wanted = flags.text("for")
    if not wanted:
        return ""
    if "/" not in wanted:
        raise KctlError("--for must be in resource/name form")
    parts = wanted.split("/")
    if len(parts) != 2:
        raise KctlError("arguments in resource/name form may not have more than one slash")
    if not parts[0]:
        raise KctlError("a resource must be present, got: /, Resource=")
    try:
        kind = (await session.discovery.mapping_for(parts[0].lower())).kind
    except NoMatch as error:
        raise KctlError(str(error), verbatim=True) from error
    if not parts[1]:
        return ""
    return (
        f"involvedObject.kind={kind.kind},involvedObject.apiVersion={kind.group_version},involvedObject.name={parts[1]}"
    )


async def _listed(flags: FlagSet, events: resources.ResourceClient, selector: str) -> list[JSONObject]:
    found: list[JSONObject] = []
    token = ""
    while True:
        limit = flags.number("chunk-size") if flags.changed("chunk-size") else _CHUNK
        page = await events.list(options.ListOptions(field_selector=selector, limit=limit, continue_token=token))
        found += page.get("items") or []
        token = str((page.get("metadata") or {}).get("continue") or "")
        if not token:
            return found


def _is_wanted(flags: FlagSet, event: JSONObject) -> bool:
    types = [one.lower() for one in flags.texts("types")]
    return not types or str(event.get("type", "")).lower() in types


def _moment(event: JSONObject) -> datetime:
    series = event.get("series")
    if series is not None:
        told = series.get("lastObservedTime")
    else:
        told = event.get("lastTimestamp") or event.get("eventTime")
    return page.moment(told) if told else datetime.min.replace(tzinfo=UTC)


class _Rows:
    """Headers once, however often rows come."""

    def __init__(self, out: TabWriter, flags: FlagSet) -> None:
        self._out = out
        self._headers = not flags.is_on("no-headers")
        self._namespaces = flags.is_on("all-namespaces")

    def show(self, events: list[JSONObject]) -> None:
        if self._headers:
            self._headers = False
            self._out.write(("NAMESPACE\t" if self._namespaces else "") + "LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n")
        for event in events:
            about = event.get("involvedObject") or {}
            cells = [
                page.interval(event),
                event.get("type", ""),
                event.get("reason", ""),
                f"{about.get('kind', '')}/{about.get('name', '')}",
                str(event.get("message") or "").strip(),
            ]
            if self._namespaces:
                cells.insert(0, (event.get("metadata") or {}).get("namespace", ""))
            self._out.write("\t".join(escape(str(cell)) for cell in cells) + "\n")


async def _watch(
    session: Session, flags: FlagSet, events: resources.ResourceClient, selector: str, printer: Printer | None
) -> None:
    out = session.columns()
    rows = _Rows(out, flags)
    try:
        async with events.watch(options.ListOptions(field_selector=selector, limit=_CHUNK)) as stream:
            async for event in stream:
                if event.type in ("DELETED", "BOOKMARK") or not _is_wanted(flags, event.object):
                    continue
                if printer is not None:
                    _print(event.object, printer, out)
                else:
                    rows.show([event.object])
                out.flush()
                session.flush()
    except (ConnectionLost, RequestTimedOut):
        return


COMMAND = Command(
    "events",
    f"events [(-o|--output=){'|'.join(OBJECT_FORMATS)}] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]",
    "Show what has happened lately",
    run=run,
    flags=(
        *output_flags(),
        switch("watch", "Go on, and show events as they come.", short="w"),
        Flag("for", usage="Only events about this object: pod/web-0."),
        Flag("types", "slice", (), "Only events of these types: Normal, Warning."),
        switch("no-headers", "Leave the line of headers out."),
        standard_flags.ALL_NAMESPACES,
        standard_flags.CHUNK_SIZE,
    ),
    description="""\
Show what happened in a namespace, the latest last: when, how often, to which object, and what was said about it.

A server keeps events for an hour or so.""",
    examples="""\
# What happened here lately?
kctl events

# What went wrong, anywhere?
kctl events -A --types=Warning

# Follow what happens to one object
kctl events --for deployment/web --watch

# Reasons and how often, for a script
kctl events -o jsonpath='{range .items[*]}{.reason} {.count}{"\\n"}{end}'""",
)
