"""`kctl taint`. Kubernetes: kubectl/pkg/cmd/taint/taint.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.nodes import taints as nodes_taints
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet, switch
from kctl.errors import KctlError, UsageError
from kctl.objects import Info, Query, resolve
from kctl.objects.arguments import named
from kctl.printers import results, typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.client.errors import NoMatch
from localplane.client.rest import resources as rest_resources


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    validation = dry_run.field_validation(flags)
    resources, wanted = _words(session, flags)
    await _check(session, flags, resources, wanted)
    everything = flags.is_on("all") or bool(flags.text("selector"))
    query = Query.of(flags, ["node"] if everything else named("node", resources[1:]))._replace(
        select_all=flags.is_on("all"), latest=True, flatten=True, keep_going=True
    )
    result = await resolve(session, query)

    async def taint(info: Info) -> None:
        node = info.object or {}
        if (kind := info.rest_mapping.kind).kind != "Node":
            raise KctlError(f"unexpected type *{kind.version}.{kind.kind}, expected Node")
        old = (node.get("spec") or {}).get("taints") or []
        overwrite = flags.is_on("overwrite")
        if not overwrite and (there := nodes_taints.already_there(old, wanted)):
            raise KctlError(
                f"node {info.name} already has {there} taint(s) with same effect(s) and --overwrite is false"
            )
        operation, new = nodes_taints.changed(old, wanted, overwrite=overwrite)
        # kubectl chooses the words before it sends anything, and does not say that it was a dry run.
        printer = (results if mode == "client" else typed).printer_for(flags, operation)
        if mode == "client":
            answer = {**node, "spec": {**(node.get("spec") or {}), "taints": new}}
        else:
            patch = {"spec": {"taints": new or None}} if new != old else {}
            answer = await info.resource.patch(
                info.name,
                patch,
                rest_resources.PatchType.STRATEGIC,
                dry_run=mode == "server",
                field_manager=flags.text("field-manager"),
                field_validation=validation,
            )
        printer.print(answer, session.write_object)

    await result.each(taint)


def _words(session: Session, flags: FlagSet) -> tuple[list[str], nodes_taints.Wanted]:
    resources: list[str] = []
    taints: list[str] = []
    for word in flags.arguments:
        if "=" in word or ":" in word or word.endswith("-"):
            taints.append(word)
        elif taints:
            raise KctlError(f"all resources must be specified before taint changes: {word}")
        else:
            resources.append(word)
    if not resources:
        raise KctlError("one or more resources must be specified as <resource> <name>")
    if not taints:
        raise KctlError("at least one taint update is required")
    try:
        return resources, nodes_taints.read(taints)
    except KctlError as error:
        raise UsageError(str(error), hint=f"See '{session.command} -h' for help and examples") from error


async def _check(session: Session, flags: FlagSet, resources: list[str], wanted: nodes_taints.Wanted) -> None:
    try:
        kind = (await session.discovery.mapping_for(resources[0].lower())).kind
    except NoMatch as error:
        raise KctlError(str(error), verbatim=True) from error
    if kind.kind != "Node":
        raise KctlError(f"invalid resource type {resources[0].lower()}, only node types are supported")
    if both := nodes_taints.conflicts(wanted):
        raise KctlError(f"can not both modify and remove the following taint(s) in the same command: {', '.join(both)}")
    if flags.is_on("all") and flags.text("selector"):
        raise KctlError("setting 'all' parameter with a non empty selector is prohibited")
    if not flags.is_on("all") and not flags.text("selector") and len(resources) < 2:
        raise KctlError("at least one resource name must be specified since 'all' parameter is not set")


COMMAND = Command(
    "taint",
    "taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    "Keep pods off nodes, or let them back",
    run=run,
    flags=(
        *output_flags(),
        standard_flags.DRY_RUN,
        standard_flags.VALIDATE,
        standard_flags.SELECTOR,
        switch("overwrite", "Replace taints that have the same key and effect. Without it, that is an error."),
        switch("all", "All nodes of the cluster."),
        standard_flags.field_manager("kubectl-taint"),
    ),
    description="""\
Add and remove taints. Pods that don't tolerate a node's taints are not put there.

A taint is KEY=VALUE:EFFECT or KEY:EFFECT. The effect is NoSchedule (nothing new), PreferNoSchedule (only if there is no
other place) or NoExecute (what runs has to leave as well). KEY:EFFECT- removes one taint, KEY- all with that key.""",
    examples="""\
# A node for one team only
kctl taint nodes worker-1 dedicated=billing:NoSchedule

# Change the value
kctl taint nodes worker-1 dedicated=shop:NoSchedule --overwrite

# Several nodes, by label
kctl taint nodes -l disk=slow slow:PreferNoSchedule

# Take one taint away, or all with a key
kctl taint nodes worker-1 dedicated:NoSchedule-
kctl taint nodes worker-1 dedicated-""",
)
