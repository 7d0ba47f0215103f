"""`kctl rollout status`. Kubernetes: rollout_status.go of both kubectl/pkg/cmd/rollout and polymorphichelpers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch
from localplane.apimachinery.gotext import go_quote

from .finding import FLAGS, find, require_resource

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session

Object = dict[str, Any]

REVISION = "deployment.kubernetes.io/revision"


class Progress(NamedTuple):
    text: str
    done: bool = False


def deployment(obj: Object, revision: int) -> Progress:
    metadata, spec, status = _parts(obj)
    name = go_quote(str(metadata.get("name", "")))
    if revision > 0:
        running = int((metadata.get("annotations") or {}).get(REVISION) or 0)
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


def daemon_set(obj: Object, revision: int) -> Progress:
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


def stateful_set(obj: Object, revision: int) -> Progress:
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


def _parts(obj: Object) -> tuple[Object, Object, Object]:  # the three halves of every object
    return obj.get("metadata") or {}, obj.get("spec") or {}, obj.get("status") or {}


def _require_rolling(spec: Object) -> None:
    if (spec.get("updateStrategy") or {}).get("type") != "RollingUpdate":
        raise KctlError("rollout status is only available for RollingUpdate strategy type")


_VIEWERS: dict[tuple[str, str], Callable[[Object, int], Progress]] = {
    ("apps", "Deployment"): deployment,
    ("apps", "DaemonSet"): daemon_set,
    ("apps", "StatefulSet"): stateful_set,
}


async def run(session: Session, given: Given) -> None:
    require_resource(given)
    revision = given.number("revision")
    if revision < 0:
        raise KctlError(f"revision must be a positive integer: {revision}")
    found = await find(session, given)
    count = 0

    async def show(info: Info) -> None:
        nonlocal count
        count += 1
        try:
            async with asyncio.timeout(given.seconds("timeout") or None):
                await _follow(session, info, revision, watch=given.is_on("watch"))
        except TimeoutError:
            raise KctlError("timed out waiting for the condition") from None

    await found.each(show)
    if not count:
        session.say(f"No resources found in {session.namespace} namespace.\n")


async def _follow(session: Session, info: Info, revision: int, *, watch: bool) -> None:
    from kctl.waiting.following import follow

    kind = info.rest_mapping.kind
    viewer = _VIEWERS.get((kind.group, kind.kind))
    if viewer is None:
        shown = f"{kind.kind}.{kind.group}" if kind.group else kind.kind
        raise KctlError(f"no status viewer has been implemented for {shown}")
    async for event, obj in follow(info):
        if event == "DELETED":
            raise KctlError("object has been deleted")
        if obj is None:
            continue
        progress = viewer(obj, revision)
        session.write(progress.text)
        session.flush()
        if progress.done or not watch:
            return


COMMAND = Command(
    "status",
    "status (TYPE NAME | TYPE/NAME) [flags]",
    "Show the status of the rollout",
    run=run,
    concurrent=True,
    flags=(
        switch("watch", "Watch the status of the rollout until it's done.", short="w", default=True),
        Flag(
            "revision",
            "int",
            0,
            "Pin to a specific revision for showing its status. Defaults to 0 (last revision).",
        ),
        Flag(
            "timeout",
            "duration",
            0.0,
            "The length of time to wait before ending watch, zero means never. Any other values should contain a "
            "corresponding time unit (e.g. 1s, 2m, 3h).",
        ),
        *FLAGS,
    ),
    description="""\
Show the status of the rollout.

By default 'rollout status' will watch the status of the latest rollout until it's done. If you don't want to wait for
the rollout to finish then you can use --watch=false. If you want to pin to a specific revision and abort if it is
rolled over by another revision, use --revision=N where N is the revision you need to watch for.""",
    examples="# Watch the rollout status of a deployment\nkctl rollout status deployment/nginx",
)
