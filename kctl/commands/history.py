"""`kctl history`: what happened to an object, when, and by whom."""

from __future__ import annotations

import json

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError, UsageError
from kctl.objects import resolve
from kctl.objects.arguments import Query
from kctl.session.session import Session
from kctl.views import history
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.serializers import to_yaml


async def run(session: Session, flags: FlagSet) -> None:
    output = flags.text("output")
    if output not in ("", "json", "yaml"):
        raise UsageError(f'there is no --output "{output}" here: it is one of json, yaml')
    result = await resolve(session, Query.of(flags)._replace(needs_object=False))
    infos = await result.infos()
    if len(infos) != 1 or not infos[0].name:
        raise UsageError("name one object: TYPE/NAME")
    info = infos[0]
    namespace = info.namespace if info.is_namespaced else ""
    told = await history.revisions(session, info.rest_mapping.resource, namespace, info.name)
    if output:
        revisions = {"apiVersion": "v1", "kind": "List", "items": told["revisions"]}
        session.write_object(_json(revisions) if output == "json" else to_yaml(revisions).decode())
        return
    if not told["revisions"]:
        name = info.shown
        raise KctlError(f"nothing is known of {name}: the history of this plane reaches back to {history.reach(told)}")
    for heading, difference in history.parts(told):
        session.write(heading)
        session.write_object(difference)


def _json(value: Any) -> str:
    return json.dumps(value, indent=4) + "\n"


COMMAND = Command(
    "history",
    "history TYPE/NAME",
    "Show what happened to an object, when, and by whom",
    run=run,
    flags=(Flag("output", usage="json or yaml: every revision in whole.", short="o"),),
    description="""\
Show every revision of an object that a plane of 'kctl up' remembers: when it was written, who manages what was written,
who asked for it with which program, and what changed. A plane remembers since its start, as far as 'kctl up --history'
says.""",
    examples="""\
# Who changed my deployment, and what?
kctl history deployment/web

# All of it, for a program
kctl history deploy/web -o json

# As it was then, and back to it
kctl get deploy/web --at 1234 -o yaml
kctl undo deploy/web --to 1234""",
)
