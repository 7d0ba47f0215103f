"""`kctl tree`: an object and all that it owns, over every kind that the server has."""

from __future__ import annotations

from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet, switch
from kctl.errors import KctlError, UsageError
from kctl.objects import resolve
from kctl.objects.arguments import Query
from kctl.objects.lookup import listable
from kctl.printers.objects import kind_and_group
from kctl.printers.table import print_rows
from kctl.printers.terminal import escape
from kctl.session.session import Session
from kctl.views import tree
from localplane.apimachinery import times
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client.informers import list_watch
from localplane.client.rest import options, paging
from localplane.client.rest.discovery import APIResource


async def run(session: Session, flags: FlagSet) -> None:
    if not flags.arguments:
        raise UsageError("expected TYPE/NAME or TYPE NAME", hint="See 'kctl tree -h' for help and examples")
    result = await resolve(session, Query(arguments=flags.arguments))
    roots = await result.infos()
    collected = await _metadata(session, cluster_wide=any(not root.is_namespaced for root in roots))
    rows: list[tuple[str, ...]] = [] if flags.is_on("no-headers") else [("NAMESPACE", "NAME", "READY", "STATUS", "AGE")]
    for root in roots:
        for lines, member in tree.tree(root.object or {}, collected):
            rows.append(_row(lines, await _whole(session, member)))
    _print(session, rows)


async def _metadata(session: Session, *, cluster_wide: bool) -> list[JSONObject]:
    """Of every object in the namespace, or in all of them, nothing but its metadata: enough to know who owns it.

    What may not be listed is left out, and said.
    """
    found: list[JSONObject] = []
    for one in await listable(session, cluster_wide=cluster_wide):
        try:
            found += await _list(session, one, everywhere=cluster_wide)
        except APIError as error:
            if error.code not in (404, 405):
                session.warn(f"{one.resource.group_resource} are not shown: {error}")
    return found


async def _list(session: Session, one: APIResource, *, everywhere: bool) -> list[JSONObject]:
    resource = session.client.resource(one.resource, "" if everywhere or not one.namespaced else session.namespace)

    async def page(options: options.ListOptions) -> JSONObject:
        return await resource.list(options, accept=f"{list_watch.METADATA_LIST},application/json")

    named = {"kind": one.kind.kind, "apiVersion": str(one.resource.group_version)}
    items = (await paging.list_all(page, options.ListOptions(limit=500))).items
    return [{**item, **named, "resource": one.resource} for item in items]


async def _whole(session: Session, member: JSONObject) -> JSONObject:
    """With its status. What is gone meanwhile is shown as it was."""
    resource = member.get("resource")
    if resource is None:
        return member
    metadata = member["metadata"]
    try:
        return await session.client.resource(resource, metadata.get("namespace", "")).get(metadata["name"])
    except NotFound:
        return member


def _row(lines: str, obj: JSONObject) -> tuple[str, ...]:
    metadata = obj.get("metadata") or {}
    name = f"{lines}{kind_and_group(obj)}/{metadata.get('name', '')}"
    cells = (
        metadata.get("namespace", ""),
        name,
        tree.readiness(obj),
        tree.condition(obj),
        times.age(metadata.get("creationTimestamp")),
    )
    return tuple(escape(str(cell)) for cell in cells)


def _print(session: Session, rows: list[tuple[str, ...]]) -> None:
    if not rows:
        raise KctlError("nothing was found")
    print_rows(rows, session.columns())


COMMAND = Command(
    "tree",
    "tree (TYPE[.VERSION][.GROUP] NAME | TYPE[.VERSION][.GROUP]/NAME)",
    "Show an object and all that it owns",
    run=run,
    flags=(switch("no-headers", "Don't print headers."),),
    description="""\
Show an object and all that it owns, directly or through others.

Every kind that the server has is looked through, custom resources included, for objects whose ownerReferences lead
here. Of an object without a namespace, objects in every namespace may be owned.""",
    examples="""\
# What belongs to a deployment?
kctl tree deployment web

# And to a custom resource?
kctl tree certificates.cert-manager.io/web -n production""",
)
