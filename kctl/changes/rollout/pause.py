"""`kctl rollout pause|resume|restart`. Kubernetes: rollout_pause.go, rollout_resume.go, rollout_restart.go."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from kctl.changes.rollout.revisions import FLAGS, find, require_resource
from kctl.changes.set.patches import patch_of, send_patch
from kctl.command_line import standard_flags
from kctl.command_line.command import Command, Run
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, raise_all
from kctl.objects import Info
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

_RESTARTED = "kubectl.kubernetes.io/restartedAt"


def _pause(obj: JSONObject) -> bool:
    spec = _deployment_spec(obj, "pausing")
    if spec.get("paused"):
        raise KctlError("is already paused")
    spec["paused"] = True
    return True


def _resume(obj: JSONObject) -> bool:
    spec = _deployment_spec(obj, "resuming")
    if not spec.get("paused"):
        raise KctlError("is not paused")
    del spec["paused"]
    return True


def _deployment_spec(obj: JSONObject, what: str) -> JSONObject:
    if (obj.get("apiVersion"), obj.get("kind")) != ("apps/v1", "Deployment"):
        raise KctlError(f"{what} is not supported")
    spec: JSONObject = obj["spec"]
    return spec


def _restart(obj: JSONObject) -> bool:
    kind = obj.get("kind") if obj.get("apiVersion") == "apps/v1" else ""
    if kind not in ("Deployment", "DaemonSet", "StatefulSet"):
        raise KctlError("restarting is not supported")
    if kind == "Deployment" and obj["spec"].get("paused"):
        raise KctlError("can't restart paused deployment (run rollout resume first)")
    metadata = obj["spec"].setdefault("template", {}).setdefault("metadata", {})
    now = dt.datetime.now().astimezone().isoformat(timespec="seconds").replace("+00:00", "Z")
    metadata["annotations"] = {**(metadata.get("annotations") or {}), _RESTARTED: now}
    return True


def _runs(change: Callable[[JSONObject], bool], done: str, if_same: Callable[[Info], str]) -> Run:
    """`if_same` is what is said about an object that is so already."""

    async def run(session: Session, flags: FlagSet) -> None:
        require_resource(flags)
        result = await find(session, flags)
        infos = await result.infos()
        errors = list(result.errors)
        if not infos and not errors:
            session.say(f"No resources found in {session.namespace} namespace.\n")
            return
        planned = [(info, _plan(info, change)) for info in infos]
        for info, patch in planned:
            if isinstance(patch, Exception):
                errors.append(patch)
            elif not patch:
                errors.append(KctlError(if_same(info)))
            elif (problem := await _send(session, flags, info, patch, done)) is not None:
                errors.append(problem)
        raise_all(errors, listed=result.lists_errors and bool(result.errors))

    return run


def _plan(info: Info, change: Callable[[JSONObject], bool]) -> JSONObject | KctlError:
    try:
        return patch_of(info.object or {}, change) or {}
    except KctlError as error:
        resource = info.rest_mapping.resource.group_resource
        return KctlError(f"error: {resource} {go_quote(info.name)} {error}")


async def _send(session: Session, flags: FlagSet, info: Info, patch: JSONObject, done: str) -> KctlError | None:
    try:
        answer = await send_patch(flags, info, patch, dry_run=False)
    except APIError as error:
        return KctlError(f"failed to patch: {error.message}")
    typed.printer_for(flags, done).print(answer, session.write_object)
    return None


_FLAGS = (*output_flags(), standard_flags.field_manager("kubectl-rollout"), *FLAGS)

PAUSE = Command(
    "pause",
    "pause RESOURCE",
    "Hold a deployment's rollout",
    run=_runs(_pause, "paused", lambda info: f"{info.shown} already paused"),
    flags=_FLAGS,
    description="""\
Hold a deployment: what is changed in its template has no effect until 'kctl rollout resume'. Pods that run go on
running. Only deployments can be paused.""",
    examples="""\
# Change several things and roll them out as one
kctl rollout pause deployment/web
kctl set image deployment/web web=nginx:1.29
kctl set resources deployment/web --limits=memory=256Mi
kctl rollout resume deployment/web

# All deployments of a team
kctl rollout pause deployments -l team=shop""",
)
RESUME = Command(
    "resume",
    "resume RESOURCE",
    "Let a paused deployment go on",
    run=_runs(_resume, "resumed", lambda info: f"{info.shown} already resumed"),
    flags=_FLAGS,
    description="Let a paused deployment go on: what was changed in the meantime is rolled out now.",
    examples="""\
# Go on
kctl rollout resume deployment/web

# Go on with what a file names
kctl rollout resume -f web.yaml""",
)
RESTART = Command(
    "restart",
    "restart RESOURCE",
    "Replace all pods of a workload",
    run=_runs(
        _restart,
        "restarted",
        lambda info: (
            f"failed to create patch for {info.name}: if restart has already been triggered within the past "
            "second, please wait before attempting to trigger another"
        ),
    ),
    flags=_FLAGS,
    description="""\
Replace all pods of deployments, daemon sets or stateful sets, a few at a time as in any rollout. The template gets an
annotation with the time, which makes it a new one.""",
    examples="""\
# New pods for a deployment
kctl rollout restart deployment/web

# For all deployments of a namespace
kctl rollout restart deployments -n staging

# For those that read a changed config map
kctl rollout restart deployments,statefulsets -l reads=settings""",
)
