"""`kctl watch`: several kinds in one view, live on a terminal, a line for each event in a pipe."""

from __future__ import annotations

import os
import signal

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.printers.choice import GET_FORMATS, output_flags
from kctl.session.session import Session
from kctl.views.watch import changes, feed, rows, screen, sources
from localplane.apimachinery.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


async def run(session: Session, flags: FlagSet) -> int:
    import asyncio

    scope = sources.Scope.of(session, flags)
    wanted = await sources.sources(session, scope, flags.arguments)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    received: list[int] = []

    def end(number: int) -> None:
        received.append(number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end, number)
    by_table = flags.text("output") in ("", "wide") and not flags.text("template")
    must_exist = not flags.is_on("ignore-not-found")
    if by_table and session.is_terminal and flags.is_on("live") and not _is_dumb():
        live = screen.LiveView(session, flags, scope, wanted)
        await _live(live, stop, must_exist=must_exist)
        if signal.SIGHUP not in received:
            live.leave_behind()
    else:
        view = _plain_view(session, flags, by_table=by_table)
        await feed.follow(session, wanted, view, stop, as_rows=by_table, must_exist=must_exist)
    if signal.SIGHUP in received:
        _leave_quietly()
    return next((128 + number for number in (signal.SIGTERM, signal.SIGHUP) if number in received), 0)


def _is_dumb() -> bool:
    return os.environ.get("TERM", "") in ("", "dumb")


def _plain_view(session: Session, flags: FlagSet, *, by_table: bool) -> changes.View:
    return rows.Lines(session, flags) if by_table else rows.Documents(session, flags)


async def _live(view: screen.LiveView, stop: asyncio.Event, *, must_exist: bool) -> None:
    import asyncio

    async def end() -> None:
        await stop.wait()
        view.end()

    async with asyncio.TaskGroup() as group:
        others = [group.create_task(view.run()), group.create_task(end())]
        await view.follow(must_exist=must_exist)
        for task in others:
            task.cancel()


def _leave_quietly() -> None:
    """The terminal is gone: whatever is still to be written has no reader, which is no error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


COMMAND = Command(
    "watch",
    "watch (TYPE[.VERSION][.GROUP][,TYPE...] [NAME ... | -l label] | TYPE/NAME ...) [flags] [options]",
    "Watch several kinds of objects in one view",
    run=run,
    concurrent=True,
    flags=(
        *output_flags(GET_FORMATS),
        standard_flags.ALL_NAMESPACES,
        standard_flags.SELECTOR,
        standard_flags.FIELD_SELECTOR,
        switch("ignore-not-found", "Wait for an object that is named and not there yet."),
        switch(
            "live",
            "On a terminal, show a table that updates in place. Without it, print a line for each event, as in a pipe.",
            default=True,
        ),
        switch("watch-only", "Print changes only, not what is there already. The live table always shows both."),
        switch("no-headers", "Don't print headers."),
        switch("show-labels", "Show all labels as the last column."),
        Flag("label-columns", "slice", (), "Labels that are shown as columns, separated by commas.", "L"),
    ),
    description="""\
Watch several kinds of objects in one view.

On a terminal this is a table that updates in place: what is new, has changed or is gone stands out for a moment, and
ages tick. It is a tool as well: move, sort, filter as you type, open an object's YAML, description, events, history or
logs, go to its owner or to what it owns, scale or delete it, go to another kind or namespace; ? shows the keys.

In a pipe every event is a line with kubectl's columns; with -o json it is one JSON document on one line.

Cut connections are taken up where they ended, and a server that has forgotten where that was is asked for everything
again; either way each change is shown once. Ctrl-C (or q) ends it, with exit code 0, and leaves the table behind.""",
    examples="""\
# Deployments and pods of one application, in every namespace
kctl watch deploy,po -A -l app=web

# Everything that goes wrong, as it does
kctl watch po,events -A    # then: / !running !normal

# One object, and wait for it if it is not there yet
kctl watch deploy/web --ignore-not-found

# The names of pods as they are deleted
kctl watch po --watch-only -o json | jq -r 'select(.type == "DELETED") | .object.metadata.name'""",
)
