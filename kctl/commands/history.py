"""`kctl history`: what happened to an object, when, and by whom."""

from __future__ import annotations

import difflib
import json

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError, UsageError
from kctl.objects import Info, resolve
from kctl.objects.arguments import Query
from kctl.printers.objects import without_managed_fields
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml


async def run(session: Session, flags: FlagSet) -> None:
    output = flags.text("output")
    if output not in ("", "json", "yaml"):
        raise UsageError(f'there is no --output "{output}" here: it is one of json, yaml')
    result = await resolve(session, Query.of(flags)._replace(needs_object=False))
    infos = await result.infos()
    if len(infos) != 1 or not infos[0].name:
        raise UsageError("name one object: TYPE/NAME")
    told = await _told(session, infos[0])
    if output:
        revisions = {"apiVersion": "v1", "kind": "List", "items": told["revisions"]}
        session.write_object(_json(revisions) if output == "json" else to_yaml(revisions).decode())
        return
    if not told["revisions"]:
        name = infos[0].shown
        raise KctlError(f"nothing is known of {name}: the history of this plane reaches back to {_reach(told)}")
    before: JSONObject | None = None
    for revision in told["revisions"]:
        session.write(_heading(revision, before) + "\n")
        deleted = revision["type"] == "DELETED"
        after = None if deleted else revision["object"]
        if revision["type"] and not deleted:
            session.write_object("".join(_difference(before, after)))
        before = after


async def _told(session: Session, info: Info) -> Any:
    resource = info.rest_mapping.resource
    query = [
        ("group", resource.group),
        ("resource", resource.resource),
        ("namespace", info.namespace if info.is_namespaced else ""),
        ("name", info.name),
    ]
    return await instruments.ask(session, "GET", "history/object", query=query)


def _reach(told: Any) -> str:
    return f"revision {told['reachesBackTo']['revision']}, {told['reachesBackTo']['time']}"


def _heading(revision: JSONObject, before: JSONObject | None) -> str:
    if not revision["type"]:
        return f"revision {revision['revision']}: as it was before that"
    words = [f"revision {revision['revision']}", revision["time"], revision["type"]]
    if manager := _manager(before, revision["object"]):
        words.append(f"by {manager}")
    if revision.get("user"):
        agent = str(revision.get("userAgent") or "").partition(" ")[0]
        words.append(f"({revision['user']}{', ' + agent if agent else ''})")
    return "  ".join(words)


def _manager(before: JSONObject | None, after: JSONObject | None) -> str:
    """Who wrote, as managedFields have it: whose entry is new, or of another time. One may just have lost a field."""
    known = {_stamp(entry) for entry in _entries(before)}
    written = [entry for entry in _entries(after) if _stamp(entry) not in known]
    written = written or [entry for entry in _entries(after) if entry not in _entries(before)]
    return ", ".join(str(entry.get("manager")) for entry in written)


def _stamp(entry: JSONObject) -> tuple[str, ...]:
    return tuple(str(entry.get(field) or "") for field in ("manager", "operation", "subresource", "time"))


def _entries(obj: JSONObject | None) -> list[JSONObject]:
    return ((obj or {}).get("metadata") or {}).get("managedFields") or []


def _difference(before: JSONObject | None, after: JSONObject | None) -> list[str]:
    lines = list(difflib.unified_diff(_lines(before), _lines(after), n=1))[2:]
    return [f"  {line}" for line in lines if not line.startswith("@@")]


def _lines(obj: JSONObject | None) -> list[str]:
    if obj is None:
        return []
    plain = without_managed_fields(obj)
    metadata = {key: value for key, value in (plain.get("metadata") or {}).items() if key != "resourceVersion"}
    return to_yaml({**plain, "metadata": metadata}).decode().splitlines(keepends=True)


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
