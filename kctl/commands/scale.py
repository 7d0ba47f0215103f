"""`kctl scale`. Kubernetes: kubectl/pkg/cmd/scale/scale.go and kubectl/pkg/scale/scale.go."""

from __future__ import annotations

import time
from contextlib import suppress

from kctl.changes import dry_run
from kctl.changes.change_cause import RECORD, recorded
from kctl.changes.launch.request import require
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, resolve
from kctl.printers import results
from kctl.printers.choice import Printer, output_flags
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, Conflict
from localplane.apimachinery.golang.text import go_quote
from localplane.client.rest import resources
from localplane.client.transport.driver import sleep

_RETRY_FOR = 300.0
_PAUSE = 1.0


async def run(session: Session, flags: FlagSet) -> None:
    require(flags, "replicas")
    mode = dry_run.dry_run(session)
    printer = results.printer_for(flags, "scaled", dry_run=mode)
    if flags.number("replicas") < 0:
        raise KctlError("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    if flags.number("current-replicas") < -1:
        raise KctlError("The --current-replicas must specify an integer of -1 or greater")
    query = Query.of(flags)._replace(types_alone=flags.is_on("all"), keep_going=True, flatten=True)
    result = await resolve(session, query)
    infos = await result.infos()
    if flags.text("resource-version") and len(infos) > 1:
        raise KctlError("cannot use --resource-version with multiple resources")
    if not infos:
        raise_all(result.errors)
        raise KctlError("no objects passed to scale")
    for info in infos:
        await _scale(session, flags, info, printer, mode)
    raise_all(result.errors)


async def _scale(session: Session, flags: FlagSet, info: Info, printer: Printer, mode: str) -> None:
    size = flags.number("replicas")
    if mode != "client":
        size = await _resize(flags, info, dry_run=mode == "server")
        if mode == "none":
            await _wait(flags, info)
            await _record(session, info)
    obj = info.object or {}
    if info.rest_mapping.kind.group in ("apps", ""):
        obj = {**obj, "spec": {**(obj.get("spec") or {}), "replicas": size}}
    printer.print(obj, session.write_object)


async def _resize(flags: FlagSet, info: Info, *, dry_run: bool) -> int:
    """The size that the server answers with. Tried again while others change the same object."""
    deadline = time.monotonic() + _RETRY_FOR
    while True:
        try:
            return await _once(flags, info, dry_run=dry_run)
        except Conflict:
            if time.monotonic() >= deadline:
                raise KctlError("timed out waiting for the condition") from None
        await sleep(_PAUSE)


async def _once(flags: FlagSet, info: Info, *, dry_run: bool) -> int:
    replicas, expected = flags.number("replicas"), flags.number("current-replicas")
    if expected == -1 and not flags.text("resource-version"):
        patch = {"spec": {"replicas": replicas}}
        scale = await info.resource.patch(
            info.name, patch, resources.PatchType.MERGE, subresource="scale", dry_run=dry_run
        )
        return _replicas(scale, "spec")
    scale = await info.resource.get(info.name, subresource="scale")
    _check(flags, scale, expected)
    scale.setdefault("spec", {})["replicas"] = replicas
    return _replicas(await info.resource.update(scale, subresource="scale", dry_run=dry_run), "spec")


def _check(flags: FlagSet, scale: dict[str, dict[str, object]], expected: int) -> None:
    current, version = _replicas(scale, "spec"), str(scale["metadata"].get("resourceVersion", ""))
    if expected not in (-1, current):
        raise KctlError(f"Expected replicas to be {expected}, was {current}")
    if flags.text("resource-version") not in ("", version):
        raise KctlError(f"Expected resource version to be {flags.text('resource-version')}, was {version}")


def _replicas(scale: dict[str, dict[str, object]], where: str) -> int:
    return int(str((scale.get(where) or {}).get("replicas") or 0))


async def _wait(flags: FlagSet, info: Info) -> None:
    if not flags.seconds("timeout"):
        return
    wanted = flags.number("replicas")
    deadline = time.monotonic() + flags.seconds("timeout")
    while True:
        scale = await info.resource.get(info.name, subresource="scale")
        if _replicas(scale, "spec") != wanted or _replicas(scale, "status") == wanted:
            return
        if time.monotonic() + _PAUSE > deadline:
            raise KctlError(f"timed out waiting for {go_quote(info.name)} to be synced")
        await sleep(_PAUSE)


async def _record(session: Session, info: Info) -> None:
    """Scaled is scaled, whether it can be noted or not."""
    if cause := recorded(session):
        with suppress(APIError):
            await info.resource.patch(info.name, {"metadata": {"annotations": cause}}, resources.PatchType.MERGE)


COMMAND = Command(
    "scale",
    "scale [--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
    "Set how many pods a workload has",
    run=run,
    flags=(
        *output_flags(),
        switch("all", "All objects of these types in the namespace."),
        Flag("resource-version", usage="Only if this is still the object's resource version."),
        Flag("current-replicas", "int", -1, "Only if this is the size now. -1 is any."),
        Flag("replicas", "int", 0, "The new size. Required."),
        Flag("timeout", "duration", 0.0, "Wait so long for the new size, such as 30s or 5m. 0 does not wait."),
        standard_flags.DRY_RUN,
        standard_flags.SELECTOR,
        *standard_flags.filename_flags("that name the objects to scale."),
        RECORD,
    ),
    description="""\
Set how many pods a deployment, stateful set, replica set or replication controller should have, or the size of anything
else that has a scale, such as a custom resource.

With --current-replicas or --resource-version nothing is changed unless the object is still as you think it is.""",
    examples="""\
# Five of them
kctl scale deployment/web --replicas=5

# Several at once
kctl scale deployment/web statefulset/db --replicas=0

# All deployments with a label
kctl scale deployments -l app=shop --replicas=2

# From two to three, but only from two
kctl scale deployment/web --current-replicas=2 --replicas=3

# Wait until they are there
kctl scale deployment/web --replicas=5 --timeout=2m""",
)
