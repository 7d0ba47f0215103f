"""`kctl rollout status`. Kubernetes: rollout_status.go of both kubectl/pkg/cmd/rollout and polymorphichelpers."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from typing import NamedTuple

from kctl.changes.rollout.revisions import FLAGS, find, require_resource
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.objects import Info
from kctl.session.session import Session
from kctl.views import remarks, wait
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

REVISION = "deployment.kubernetes.io/revision"


class Progress(NamedTuple):
    text: str
    done: bool = False


def deployment(obj: JSONObject, revision: int) -> Progress:
    metadata, spec, status = _parts(obj)
    name = go_quote(str(metadata.get("name", "")))
    if revision > 0:
        running = _revision(name, str((metadata.get("annotations") or {}).get(REVISION, "0")))
        if running != revision:
            raise KctlError(f"desired revision ({revision}) is different from the running revision ({running})")
    if metadata.get("generation", 0) > status.get("observedGeneration", 0):
        return Progress("Waiting for deployment spec update to be observed...\n")
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Progressing" and condition.get("reason") == "ProgressDeadlineExceeded":
            raise KctlError(f"deployment {name} exceeded its progress deadline")
    wanted = spec.get("replicas")
    updated, total = status.get("updatedReplicas", 0), status.get("replicas", 0)
    available = status.get("availableReplicas", 0)
    waiting = f"Waiting for deployment {name} rollout to finish:"
    if wanted is not None and updated < wanted:
        return Progress(f"{waiting} {updated} out of {wanted} new replicas have been updated...\n")
    if total > updated:
        return Progress(f"{waiting} {total - updated} old replicas are pending termination...\n")
    if available < updated:
        return Progress(f"{waiting} {available} of {updated} updated replicas are available...\n")
    return Progress(f"deployment {name} successfully rolled out\n", done=True)


def _revision(name: str, text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        why = f"strconv.ParseInt: parsing {go_quote(text)}: invalid syntax"
        raise KctlError(f"cannot get the revision of deployment {name}: {why}")
    return int(text)


def daemon_set(obj: JSONObject, revision: int) -> Progress:
    del revision
    metadata, spec, status = _parts(obj)
    _require_rolling(spec)
    name = go_quote(str(metadata.get("name", "")))
    if metadata.get("generation", 0) > status.get("observedGeneration", 0):
        return Progress("Waiting for daemon set spec update to be observed...\n")
    wanted, updated = status.get("desiredNumberScheduled", 0), status.get("updatedNumberScheduled", 0)
    available = status.get("numberAvailable", 0)
    waiting = f"Waiting for daemon set {name} rollout to finish:"
    if updated < wanted:
        return Progress(f"{waiting} {updated} out of {wanted} new pods have been updated...\n")
    if available < wanted:
        return Progress(f"{waiting} {available} of {wanted} updated pods are available...\n")
    return Progress(f"daemon set {name} successfully rolled out\n", done=True)


def stateful_set(obj: JSONObject, revision: int) -> Progress:
    del revision
    metadata, spec, status = _parts(obj)
    _require_rolling(spec)
    observed = status.get("observedGeneration", 0)
    if observed == 0 or metadata.get("generation", 0) > observed:
        return Progress("Waiting for statefulset spec update to be observed...\n")
    wanted, ready = spec.get("replicas"), status.get("readyReplicas", 0)
    updated = status.get("updatedReplicas", 0)
    if wanted is not None and ready < wanted:
        return Progress(f"Waiting for {wanted - ready} pods to be ready...\n")
    if (rolling := (spec.get("updateStrategy") or {}).get("rollingUpdate")) is not None:
        partition = rolling.get("partition")
        if wanted is not None and partition is not None and updated < wanted - partition:
            return Progress(
                f"Waiting for partitioned roll out to finish: {updated} out of {wanted - partition} new pods have been "
                "updated...\n"
            )
        return Progress(f"partitioned roll out complete: {updated} new pods have been updated...\n", done=True)
    latest, current = status.get("updateRevision", ""), status.get("currentRevision", "")
    if latest != current:
        return Progress(f"waiting for statefulset rolling update to complete {updated} pods at revision {latest}...\n")
    count = status.get("currentReplicas", 0)
    return Progress(f"statefulset rolling update complete {count} pods at revision {current}...\n", done=True)


def _parts(obj: JSONObject) -> tuple[JSONObject, JSONObject, JSONObject]:  # the three halves of every object
    return obj.get("metadata") or {}, obj.get("spec") or {}, obj.get("status") or {}


def _require_rolling(spec: JSONObject) -> None:
    if (spec.get("updateStrategy") or {}).get("type") != "RollingUpdate":
        raise KctlError("rollout status is only available for RollingUpdate strategy type")


_VIEWERS: dict[tuple[str, str], Callable[[JSONObject, int], Progress]] = {
    ("apps", "Deployment"): deployment,
    ("apps", "DaemonSet"): daemon_set,
    ("apps", "StatefulSet"): stateful_set,
}


_PATIENCE = 3.0


async def run(session: Session, flags: FlagSet) -> None:
    require_resource(flags)
    revision = flags.number("revision")
    if revision < 0:
        raise KctlError(f"revision must be a positive integer: {revision}")
    timeout = flags.seconds("timeout")
    result = await find(session, flags)
    count = 0

    async def show(info: Info) -> None:
        nonlocal count
        count += 1
        try:
            async with asyncio.timeout(timeout if timeout > 0 else None):
                await _follow(session, info, revision, watch=flags.is_on("watch"))
        except TimeoutError:
            raise KctlError("timed out waiting for the condition") from None

    await result.each(show)
    if not count:
        session.say(f"No resources found in {session.namespace} namespace.\n")


async def _follow(session: Session, info: Info, revision: int, *, watch: bool) -> None:
    kind = info.rest_mapping.kind
    viewer = _VIEWERS.get((kind.group, kind.kind))
    if viewer is None:
        shown = f"{kind.kind}.{kind.group}" if kind.group else kind.kind
        raise KctlError(f"no status viewer has been implemented for {shown}")
    note: asyncio.TimerHandle | None = None
    try:
        async for event, obj in wait.follow(info):
            if event == "DELETED":
                raise KctlError("object has been deleted")
            if obj is None:
                continue
            progress = viewer(obj, revision)
            session.write(progress.text)
            session.flush()
            if progress.done or not watch:
                return
            if note is not None:
                note.cancel()
            note = _tell_if_nobody_looks(session, info, obj)
    finally:
        if note is not None:
            note.cancel()


def _tell_if_nobody_looks(session: Session, info: Info, obj: JSONObject) -> asyncio.TimerHandle | None:
    """A person who waits for a controller that does not run would wait for ever."""
    if not sys.stderr.isatty() or not remarks.is_unobserved(obj):
        return None
    kind = info.rest_mapping.kind
    text = remarks.UNOBSERVED.format(name=f"{kind.kind.lower()}.{kind.group}/{info.name}")
    return asyncio.get_running_loop().call_later(_PATIENCE, session.say, text)


COMMAND = Command(
    "status",
    "status (TYPE NAME | TYPE/NAME) [flags]",
    "Follow a rollout until it is done",
    run=run,
    concurrent=True,
    flags=(
        switch("watch", "Wait until the rollout is done; --watch=false tells how far it is.", short="w", default=True),
        Flag(
            "revision",
            "int",
            0,
            "Fail unless the deployment is at this revision. 0 is whatever is the newest.",
        ),
        Flag(
            "timeout",
            "duration",
            0.0,
            "How long to wait, such as 30s or 5m. 0 is for ever.",
        ),
        *FLAGS,
    ),
    description="""\
Tell how far a rollout has come, a line for each step, and end when all pods are new and available. It fails if the
rollout does, if the object is deleted, or after --timeout.

A change that comes in between is followed as well, unless --revision says which one is meant.""",
    examples="""\
# Wait for a deployment, but no longer than five minutes
kctl rollout status deployment/web --timeout=5m

# Where it stands now
kctl rollout status daemonset/agent --watch=false

# Fail as soon as revision 7 is replaced by another
kctl rollout status deployment/web --revision=7

# Several, one after another
kctl rollout status deployments -l app=shop""",
)
