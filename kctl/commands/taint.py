"""`kctl taint`. Kubernetes: kubectl/pkg/cmd/taint/taint.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import switch
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.nodes.taints import Wanted
    from kctl.resolve import Info
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run, field_validation
    from kctl.nodes.taints import already_there, changed
    from kctl.printers.typed import printer_for
    from kctl.resolve import Query, resolve
    from localplane.client.resources import PatchType

    mode = dry_run(session)
    validation = field_validation(given)
    resources, wanted = _words(session, given)
    await _check(session, given, resources, wanted)
    everything = given.is_on("all") or bool(given.text("selector"))
    query = Query.of(given, ["node"] if everything else ["node", *resources[1:]])._replace(
        select_all=given.is_on("all"), latest=True, flatten=True, keep_going=True
    )
    found = await resolve(session, query)

    async def taint(info: Info) -> None:
        node = info.object or {}
        old = (node.get("spec") or {}).get("taints") or []
        overwrite = given.is_on("overwrite")
        if not overwrite and (there := already_there(old, wanted)):
            raise KctlError(
                f"node {info.name} already has {there} taint(s) with same effect(s) and --overwrite is false"
            )
        operation, new = changed(old, wanted, overwrite=overwrite)
        if mode == "client":
            answer = {**node, "spec": {**(node.get("spec") or {}), "taints": new}}
        else:
            patch = {"spec": {"taints": new or None}} if new != old else {}
            answer = await info.resource.patch(
                info.name,
                patch,
                PatchType.STRATEGIC,
                dry_run=mode == "server",
                field_manager=given.text("field-manager"),
                field_validation=validation,
            )
        printer_for(given, operation, dry_run=mode).print(answer, session.write)

    await found.each(taint)


def _words(session: Session, given: Given) -> tuple[list[str], Wanted]:
    from kctl.nodes.taints import read

    resources: list[str] = []
    taints: list[str] = []
    for word in given.arguments:
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
        return resources, read(taints)
    except KctlError as error:
        raise UsageError(str(error), hint=f"See '{session.command} -h' for help and examples") from error


async def _check(session: Session, given: Given, resources: list[str], wanted: Wanted) -> None:
    from kctl.nodes.taints import conflicts

    kind = (await session.discovery.mapping_for(resources[0].lower())).kind
    if kind.kind != "Node":
        raise KctlError(f"invalid resource type {resources[0].lower()}, only node types are supported")
    if both := conflicts(wanted):
        raise KctlError(f"can not both modify and remove the following taint(s) in the same command: {', '.join(both)}")
    if given.is_on("all") and given.text("selector"):
        raise KctlError("setting 'all' parameter with a non empty selector is prohibited")
    if not given.is_on("all") and not given.text("selector") and len(resources) < 2:
        raise KctlError("at least one resource name must be specified since 'all' parameter is not set")


COMMAND = Command(
    "taint",
    "taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    "Update the taints on one or more nodes",
    run=run,
    flags=(
        *output_flags(),
        standard_flags.DRY_RUN,
        standard_flags.VALIDATE,
        standard_flags.SELECTOR,
        switch(
            "overwrite",
            "If true, allow taints to be overwritten, otherwise reject taint updates that overwrite existing taints.",
        ),
        switch("all", "Select all nodes in the cluster"),
        standard_flags.field_manager("kctl-taint"),
    ),
    description="""\
Update the taints on one or more nodes.

A taint consists of a key, value, and effect. As an argument here, it is expressed as key=value:effect. The effect
must be NoSchedule, PreferNoSchedule or NoExecute. Currently taint can only apply to node.""",
    examples="""\
# Update node 'foo' with a taint with key 'dedicated' and value 'special-user' and effect 'NoSchedule'
kctl taint nodes foo dedicated=special-user:NoSchedule

# Remove from node 'foo' the taint with key 'dedicated' and effect 'NoSchedule' if one exists
kctl taint nodes foo dedicated:NoSchedule-

# Remove from node 'foo' all the taints with key 'dedicated'
kctl taint nodes foo dedicated-""",
)
