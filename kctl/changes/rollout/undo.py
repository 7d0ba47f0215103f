"""`kctl rollout undo`. Kubernetes: rollout_undo.go and polymorphichelpers/rollback.go."""

from __future__ import annotations

from kctl import program
from kctl.changes import dry_run
from kctl.changes.rollout.revisions import (
    FLAGS,
    applied,
    controller_revisions,
    find,
    not_for,
    replica_sets,
    require_resource,
    revision_of,
    without_hash,
)
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.objects import Info
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from kctl.views.describe import page as describe_page
from kctl.views.describe import pods
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest import resources

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_KEPT = (
    _LAST_APPLIED,
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
)
"""Annotations that belong to the deployment and not to one of its revisions."""
_DONE = "rolled back"


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    require_resource(flags)
    result = await find(session, flags)

    async def undo(info: Info) -> None:
        obj = info.object or {}
        if _LAST_APPLIED in (obj["metadata"].get("annotations") or {}):
            apply = f"'{program.name()} apply'"
            session.say(
                f"Warning: resource {info.shown} was previously managed with {apply}. Rolling back will not "
                f"update the {_LAST_APPLIED} annotation, which may cause unexpected behavior on future {apply} "
                f"operations. Consider using {apply} with your previous configuration file instead.\n"
            )
        outcome = await _rolled_back(info, flags.number("to-revision"), mode)
        typed.printer_for(flags, outcome, dry_run=mode).print(obj, session.write_object)

    await result.each(undo)


async def _rolled_back(info: Info, revision: int, mode: str) -> str:
    """What was done, in words."""
    kind = info.rest_mapping.kind
    if kind.group == "apps" and kind.kind in ("Deployment", "DaemonSet", "StatefulSet"):
        if revision < 0:
            raise _not_found(revision)
        undo = _deployment if kind.kind == "Deployment" else _other_set
        return await undo(info, revision, mode)
    raise not_for(kind, "rollbacker", "rollbacker")


def _not_found(revision: int) -> KctlError:
    return KctlError(f"unable to find specified revision {revision} in history")


async def _deployment(info: Info, revision: int, mode: str) -> str:
    deployment = info.object or {}
    chosen = _replica_set(await replica_sets(info, deployment), revision, info.name)
    template = chosen["spec"]["template"]
    if mode == "client":
        return _shown(template)
    if deployment["spec"].get("paused"):
        raise KctlError(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
        )
    if without_hash(template) == without_hash(deployment["spec"]["template"]):
        return f"skipped rollback (current template already matches revision {revision})"
    own = deployment["metadata"].get("annotations") or {}
    annotations = {key: own[key] for key in _KEPT if key in own}
    told = chosen["metadata"].get("annotations") or {}
    annotations |= {key: value for key, value in told.items() if key not in _KEPT}
    patch = [
        {"op": "replace", "path": "/spec/template", "value": without_hash(template)},
        {"op": "replace", "path": "/metadata/annotations", "value": annotations},
    ]
    await _patch(info, patch, revision, "application/json-patch+json", dry_run=mode == "server")
    return _DONE


def _replica_set(every: list[JSONObject], revision: int, name: str) -> JSONObject:
    """The one with this revision; for 0 the last but one."""
    numbered = [(number, one) for one in every if (number := revision_of(one)) is not None]
    if revision:
        for number, one in numbered:
            if number == revision:
                return one
        raise _not_found(revision)
    latest = sorted(numbered, key=lambda pair: pair[0])
    if len(latest) < 2:
        raise KctlError(f"no rollout history found for deployment {go_quote(name)}")
    return latest[-2][1]


async def _other_set(info: Info, revision: int, mode: str) -> str:
    owner = info.object or {}
    every = await controller_revisions(info, owner)
    if not revision and len(every) <= 1:
        raise KctlError("no last revision to roll back to")
    chosen = every[-2] if not revision else next((one for one in every if one.get("revision") == revision), None)
    if chosen is None:
        raise _not_found(revision)
    template = applied(owner, chosen)["spec"]["template"]
    if mode == "client":
        return f"will roll back to {_shown(template)}"
    if chosen.get("data") == {"spec": {"template": {**owner["spec"]["template"], "$patch": "replace"}}}:
        return f"skipped rollback (current template already matches revision {revision})"
    kind = "application/strategic-merge-patch+json"
    await _patch(info, chosen["data"], revision, kind, dry_run=mode == "server")
    return _DONE


async def _patch(info: Info, patch: object, revision: int, kind: str, *, dry_run: bool) -> None:
    try:
        await info.resource.patch(info.name, patch, resources.PatchType(kind), dry_run=dry_run)
    except APIError as error:
        raise KctlError(f"failed restoring revision {revision}: {error.message}") from error


def _shown(template: JSONObject) -> str:
    page = describe_page.Page()
    pods.pod_template(page, template)
    return page.plain


COMMAND = Command(
    "undo",
    "undo (TYPE NAME | TYPE/NAME) [flags]",
    "Go back to an earlier revision",
    run=run,
    flags=(
        *output_flags(),
        Flag("to-revision", "int", 0, "The revision to go back to. 0 is the one before the current one."),
        standard_flags.DRY_RUN,
        *FLAGS,
    ),
    description="""\
Give a deployment, daemon set or stateful set the pod template of an earlier revision. The controller then rolls it out
like any other change, as a new revision.

'kctl rollout history' lists the revisions. A paused deployment has to be resumed first.""",
    examples="""\
# Back to what ran before
kctl rollout undo deployment/web

# Back to revision 3
kctl rollout undo daemonset/agent --to-revision=3

# See the template of the revision before, and change nothing
kctl rollout undo deployment/web --dry-run=client

# Ask the server whether it would accept it
kctl rollout undo statefulset/db --dry-run=server""",
)
