"""`kctl undo`: let an object be again what it was."""

from __future__ import annotations

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError, UsageError
from kctl.objects import Info, resolve
from kctl.objects.arguments import Query
from kctl.session.session import Session
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject

_OF_THE_SERVER = ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields")
_IDENTITY = ("resourceVersion", "uid")


async def run(session: Session, flags: FlagSet) -> None:
    moment = flags.text("to")
    if not moment:
        raise UsageError(
            f"say to when: --to REVISION, as `{program.name()} history` shows them, a time, or how long ago"
        )
    result = await resolve(session, Query.of(flags)._replace(needs_object=False))
    infos = await result.infos()
    if len(infos) != 1 or not infos[0].name:
        raise UsageError("name one object: TYPE/NAME")
    info = infos[0]
    old = await _as_it_was(session, info, moment)
    try:
        now = await info.resource.get(info.name)
    except NotFound:
        await info.resource.create(_without(old, *_OF_THE_SERVER, *_IDENTITY))
        session.write(f"{info.shown} is there again, as it was at {moment}\n")
        return
    wanted = _without(old, *_OF_THE_SERVER, *_IDENTITY)
    identity = {key: now["metadata"][key] for key in _IDENTITY}
    wanted["metadata"] = {**wanted["metadata"], **identity}
    changed = await info.resource.update(wanted)
    same = changed["metadata"]["resourceVersion"] == identity["resourceVersion"]
    session.write(f"{info.shown} is {'still' if same else 'again'} as it was at {moment}\n")


async def _as_it_was(session: Session, info: Info, moment: str) -> JSONObject:
    past = session.another()
    past.look_back(moment)
    try:
        return await past.client.resource(info.rest_mapping.resource, info.resource.namespace).get(info.name)
    except NotFound as error:
        raise KctlError(
            f"{info.shown} was not there at {moment}: see `{program.name()} history {info.shown}`"
        ) from error
    finally:
        await past.close()


def _without(obj: JSONObject, *fields: str) -> JSONObject:
    """What a client may write: no status, and of the metadata not these fields."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in fields}
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}


COMMAND = Command(
    "undo",
    "undo TYPE/NAME --to REVISION",
    "Let an object be again what it was",
    run=run,
    flags=(Flag("to", usage="When it was so: a revision of 'kctl history', a time, or how long ago: 5m."),),
    description="""\
Write an object as it was at some moment, through the API like any other update: labels, annotations and spec become
again what they were, and what must not change is refused. One that was deleted is made again. The status is not
written: it follows from the rest. For a plane of 'kctl up', as far as it remembers.""",
    examples="""\
# What was it like, and back to it
kctl history deploy/web
kctl undo deploy/web --to 1234

# As it was ten minutes ago
kctl undo cm/settings --to 10m""",
)
