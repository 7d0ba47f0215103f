"""`kctl requests`: who asked a local control plane what, and what came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime

import orjson

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import UsageError
from kctl.printers.terminal import escape
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml
from localplane.apimachinery.times import parse_micro_time
from localplane.client.errors import ConnectionLost

_FORMATS = ("wide", "json", "yaml")
_FIRST = 20  # of those that were there before, if one follows
_USUAL_WIDTHS = (12, 20, 6, 24, 11, 20, 6, 8, 6, 0, 0, 0, 0)  # nobody knows what comes
_NO_WIDTHS = (0,) * len(_USUAL_WIDTHS)


async def run(session: Session, flags: FlagSet) -> None:
    output = flags.text("output")
    if output and output not in _FORMATS:
        raise UsageError(f'there is no output format "{output}" here: it is one of {", ".join(_FORMATS)}')
    if flags.is_on("follow"):
        await _follow(session, flags)
        return
    told = await instruments.ask(session, "GET", "requests", query=_query(flags))
    _show(session, flags, told["requests"])


def _query(flags: FlagSet) -> list[tuple[str, str]]:
    parameters = [(name, text) for name in ("user", "verb", "resource", "status") for text in flags.texts(name)]
    if flags.changed("namespace"):
        parameters.append(("namespace", flags.text("namespace")))
    if flags.text("since"):
        parameters.append(("since", flags.text("since")))
    if flags.is_on("internal"):
        parameters.append(("internal", "true"))
    if flags.number("tail") >= 0:
        parameters.append(("tail", str(flags.number("tail"))))
    elif flags.is_on("follow"):
        parameters.append(("tail", str(_FIRST)))
    return parameters


def _show(session: Session, flags: FlagSet, requests: list[JSONObject]) -> None:
    output = flags.text("output")
    if output in ("json", "yaml"):
        listed = {"apiVersion": "localplane/v1", "kind": "RequestList", "items": requests}
        text = orjson.dumps(listed, option=orjson.OPT_INDENT_2) + b"\n" if output == "json" else to_yaml(listed)
        session.write_object(text.decode())
    elif not requests:
        session.say("No requests found.\n")
    else:
        _Rows(session, flags).show(requests)


async def _follow(session: Session, flags: FlagSet) -> None:
    rows = _Rows(session, flags)
    output = flags.text("output")
    stream = await instruments.follow(session, "requests", query=[("follow", "true"), *_query(flags)])
    try:
        async for lines in _lines(stream.chunks()):
            documents = [orjson.loads(line) for line in lines]
            for document in documents:
                if "missed" in document:
                    session.warn(f"{document['missed']} requests came faster than they could be shown")
            requests = [document for document in documents if "missed" not in document]
            if output == "json":
                session.write_object("".join(f"{orjson.dumps(request).decode()}\n" for request in requests))
            elif output == "yaml":
                session.write_object("".join(f"---\n{to_yaml(request).decode()}" for request in requests))
            else:
                rows.show(requests)
            session.flush()
    except ConnectionLost:
        return
    finally:
        await stream.close()


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """Whole ones, as many as there are at a time."""
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            yield lines


class _Rows:
    """Headers once, however often rows come."""

    def __init__(self, session: Session, flags: FlagSet) -> None:
        self._out = session.columns()
        self._wide = flags.text("output") == "wide"
        self._headers = not flags.is_on("no-headers")
        self._widths = _USUAL_WIDTHS if flags.is_on("follow") else _NO_WIDTHS

    def show(self, requests: list[JSONObject]) -> None:
        if self._headers and requests:
            self._headers = False
            wide = ["BY", "URI", "USER AGENT", "REQUEST ID"] if self._wide else []
            headers = ["TIME", "USER", "VERB", "RESOURCE", "NAMESPACE", "NAME", "STATUS", "TOOK", "BYTES", *wide]
            self._out.write("\t".join(headers) + "\n")
        for request in requests:
            cells = (escape(cell).ljust(width) for cell, width in zip(self._cells(request), self._widths, strict=False))
            self._out.write("\t".join(cells) + "\n")
        self._out.flush()

    def _cells(self, request: JSONObject) -> list[str]:
        cells = [
            _time(request["time"]),
            request.get("user") or "<nobody>",
            request.get("verb") or request["method"].lower(),
            _resource(request),
            request.get("namespace", ""),
            request.get("name", ""),
            str(request["status"]) if request["status"] else "gone",
            _took(request.get("durationSeconds")),
            str(request["bytes"]),
        ]
        if self._wide:
            cells += [request.get(name, "") for name in ("impersonator", "uri", "userAgent", "requestID")]
        return cells


def _time(text: str) -> str:
    """On the clock here; with its day, unless that is today."""
    moment = parse_micro_time(text).astimezone()
    shown = moment.strftime("%H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
    return shown if moment.date() == datetime.now().astimezone().date() else f"{moment:%Y-%m-%d} {shown}"


def _resource(request: JSONObject) -> str:
    """With its group and subresource; or the path of what is no resource."""
    if "resource" not in request:
        return str(request["uri"]).partition("?")[0]
    group, subresource = request.get("apiGroup"), request.get("subresource")
    return str(request["resource"]) + (f".{group}" if group else "") + (f"/{subresource}" if subresource else "")


def _took(seconds: float | None) -> str:
    if seconds is None:
        return "open"
    if seconds < 1:
        return f"{seconds * 1000:.1f}ms"
    return f"{seconds:.1f}s" if seconds < 600 else f"{seconds / 60:.0f}m"


COMMAND = Command(
    "requests",
    "requests [--follow] [--user=NAME] [--verb=VERB] [--resource=RESOURCE] [--status=4xx] [--since=5m]",
    "Show who asked the control plane what, and what came of it",
    run=run,
    flags=(
        switch("follow", "Go on, and show requests as they are answered.", short="f"),
        Flag("user", "array", (), "Only those of this user; NAME* for all that begin so. May be repeated."),
        Flag("verb", "slice", (), "Only with these verbs: get, list, watch, create, update, patch, delete ..."),
        Flag("resource", "slice", (), "Only for these resources: pods, deployments.apps, pods/status, pods/*."),
        Flag("status", "slice", (), "Only with these answers: 404, or 4xx for all that begin so."),
        Flag("since", usage="Only since then: how long ago (30s, 5m, 2h), or a time (2006-01-02T15:04:05Z)."),
        Flag(
            "tail",
            "int",
            -1,
            f"Only the last so many. -1 is all, and with --follow {_FIRST} of those that were before.",
        ),
        switch("internal", "With what controllers and other parts of the control plane itself asked."),
        switch("no-headers", "Leave the line of headers out."),
        Flag("output", usage="Output format, one of: wide, json, yaml.", short="o"),
    ),
    description="""\
Show the requests that a control plane of 'kctl up' has answered: when, who, what, what came of it, how long it took
and how many bytes were sent. A watch is shown when it begins and when it ends. The last 10,000 are kept, in memory,
and need not be switched on. With -n only those in a namespace are shown.

'kctl rbac minimal' makes of them the roles that a user needs.""",
    examples="""\
# What is my operator doing?
kctl requests --follow --user system:serviceaccount:default:operator

# Which requests were refused in the last five minutes?
kctl requests --status 4xx,5xx --since 5m

# Who writes the status of deployments, and with which program?
kctl requests --resource deployments.apps/status --verb update,patch -o wide

# How often was each object written, for a script
kctl requests --verb update,patch -o json""",
)
