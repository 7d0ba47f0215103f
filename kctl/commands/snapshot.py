"""`kctl snapshot`: keep what a plane holds, and put it back to it."""

from __future__ import annotations

import datetime as dt
import json
import pathlib

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError, raise_all
from kctl.printers.table import print_rows
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery import times
from localplane.cli import run_file, snapshots
from localplane.cli.errors import PlaneError

_PLANE = Flag("name", usage="Of the plane with this name, also if it is down. Default: that of the current context.")

_COLUMNS = ("NAME", "PLANE", "REVISION", "OBJECTS", "SIZE", "AGE")


async def save(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) > 1:
        raise UsageError("a snapshot has one name, or one file")
    word = flags.arguments[0] if flags.arguments else snapshots.new_name()
    path = snapshots.path_of(word)
    if path.exists() and not flags.is_on("force"):
        raise KctlError(f"{path} is there already: choose another name, or say --force")
    plane = _running(session, flags)
    if plane is None:
        data = snapshots.save_stopped(flags.text("name"))
    else:
        try:
            data = await instruments.fetch(plane, "snapshots")
        finally:
            await plane.close()
    header = snapshots.write(path, data, overwrite=flags.is_on("force"))
    session.write(f"{word} saved: {header.objects} objects at revision {header.revision}, {_size(len(data))}\n")


async def restore(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 1:
        raise UsageError(f"name the snapshot, or its file: see `{program.name()} snapshot list`")
    word = flags.arguments[0]
    data = snapshots.read(word)
    snapshot = snapshots.loaded(data, word)
    plane = _running(session, flags)
    if plane is None:
        revision = snapshots.restore_stopped(flags.text("name"), snapshot)
    else:
        try:
            revision = (await instruments.send(plane, "snapshots", data))["revision"]
        finally:
            await plane.close()
    session.write(f"restored {word}: {len(snapshot.objects)} objects; the plane is at revision {revision}\n")


async def list_saved(session: Session, flags: FlagSet) -> None:
    if flags.arguments:
        raise UsageError(f"unexpected arguments: [{' '.join(flags.arguments)}]")
    output = flags.text("output")
    if output not in ("", "json", "name"):
        raise UsageError(f'there is no --output "{output}" here: it is one of json, name')
    saved = list(snapshots.saved())
    if output == "name":
        session.write("".join(f"{each.name}\n" for each in saved))
    elif output == "json":
        session.write(json.dumps([_document(each) for each in saved], indent=2) + "\n")
    elif saved:
        print_rows([_COLUMNS, *map(_row, saved)], session.columns())
    else:
        session.say("No snapshots are saved.\n")


async def remove(session: Session, flags: FlagSet) -> None:
    if not flags.arguments:
        raise UsageError(f"name at least one snapshot: see `{program.name()} snapshot list`")
    errors: list[Exception] = []
    for name in flags.arguments:
        try:
            snapshots.remove(name)
        except PlaneError as error:
            errors.append(error)
        else:
            session.write(f"{name} removed\n")
    raise_all(errors)


def _running(session: Session, flags: FlagSet) -> Session | None:
    """A session with the plane that is meant; None if it is down."""
    name = flags.text("name")
    if not name:
        return session.another()
    record = run_file.running(name)
    if record is None:
        return None
    if record.phase != run_file.READY:
        raise KctlError(f'plane "{name}" is {record.phase}: try again when it is ready')
    return session.with_kubeconfig(pathlib.Path(record.kubeconfig))


def _document(saved: snapshots.Saved) -> dict[str, object]:
    document: dict[str, object] = {"name": saved.name, "file": str(saved.path), "size": saved.size}
    header = saved.header
    if header is None:
        return {**document, "problem": saved.problem}
    return {
        **document,
        "plane": header.plane,
        "revision": header.revision,
        "objects": header.objects,
        "created": header.created,
        "store": header.store,
        "release": header.release,
    }


def _row(saved: snapshots.Saved) -> tuple[str, ...]:
    header = saved.header
    if header is None:
        return (saved.name, saved.problem, "", "", _size(saved.size), "")
    return (
        saved.name,
        header.plane,
        str(header.revision),
        str(header.objects),
        _size(saved.size),
        _age(header.created),
    )


def _age(created: str) -> str:
    try:
        since = times.parse_time(created)
    except times.InvalidTime:
        return "<unknown>"
    return times.human_duration(dt.datetime.now(dt.UTC) - since)


def _size(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024  # type: ignore[assignment]
    return f"{count:.1f} GiB"


COMMAND = Command(
    "snapshot",
    "snapshot",
    "Keep what a plane holds, and put it back to it",
    description="""\
A snapshot is one file with all objects of a plane at one moment. It is saved under a name, or as a file of yours, which
any other plane can be put back to, or begin with: 'kctl up --from'. Keys and certificates are no part of it: a plane
keeps its own, and so tokens of service accounts are good only where they were made.

To restore one is to change what differs, all or nothing: resourceVersions go on from where they are, and whoever
watches sees what has changed.""",
    examples="""\
# Before something is tried, and after it went wrong
kctl snapshot save before
kctl snapshot restore before

# A file for somebody else
kctl snapshot save ./cluster.snapshot
kctl up --name copy --from ./cluster.snapshot""",
    commands=(
        Command(
            "save",
            "save [NAME|FILE]",
            "Save all objects of a plane",
            run=save,
            flags=(_PLANE, switch("force", "Write over the one that is there.")),
            description="""\
Save all objects of a plane under a name, by default the time, or, if it has a slash in it or ends in .snapshot, as a
file.""",
            examples="""\
kctl snapshot save
kctl snapshot save before-upgrade
kctl snapshot save ./cluster.snapshot --force

# One that is down
kctl snapshot save --name test""",
        ),
        Command(
            "list",
            "list",
            "List the snapshots that are saved under a name",
            run=list_saved,
            flags=(Flag("output", usage="json, or name for their names alone.", short="o"),),
            description="List the snapshots that are saved under a name.",
            examples="""\
kctl snapshot list
kctl snapshot list -o json""",
            aliases=("ls",),
        ),
        Command(
            "restore",
            "restore NAME|FILE",
            "Put a plane back to a snapshot",
            run=restore,
            flags=(_PLANE,),
            description="""\
Let a plane hold exactly what a snapshot has. Everything else in it is deleted, all or nothing. A file that is damaged
is refused, and nothing is changed.""",
            examples="""\
kctl snapshot restore before-upgrade
kctl snapshot restore ./cluster.snapshot --name test""",
        ),
        Command(
            "rm",
            "rm NAME...",
            "Remove snapshots that are saved under a name",
            run=remove,
            description="Remove snapshots that are saved under a name.",
            examples="kctl snapshot rm before-upgrade",
        ),
    ),
)
