"""`kctl drain`. Kubernetes: kubectl/pkg/cmd/drain/drain.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, raise_all
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.nodes.cordoning import find, mark, print_node, require_selector
    from kctl.nodes.evicting import Evicting
    from localplane.apimachinery.errors import APIError
    from localplane.apimachinery.gotext import go_quote

    mode = dry_run(session)
    if given.text("pod-selector"):
        require_selector(given.text("pod-selector"))
    infos = await find(session, given, "drain NODE")
    await mark(session, infos, mode, unschedulable=True)
    evicting = Evicting(session, given, mode)
    errors: list[Exception] = []
    remaining = []
    for info in infos:
        try:
            await evicting.move(await evicting.plan(info.name))
        except (KctlError, APIError) as error:
            session.say(
                f"error: unable to drain node {go_quote(info.name)} due to error: {_shown(error)}, continuing "
                "command...\n"
            )
            errors.append(error)
            remaining.append(info.name)
            continue
        print_node(session, info, "drained", mode)
    if remaining:
        session.say("There are pending nodes to be drained:\n" + "".join(f" {name}\n" for name in remaining))
    raise_all(errors)


def _shown(error: Exception) -> str:
    """Go's text of several errors: in brackets."""
    from kctl.errors import SeveralErrors

    return f"[{', '.join(map(str, error.errors))}]" if isinstance(error, SeveralErrors) else str(error)


COMMAND = Command(
    "drain",
    "drain NODE",
    "Drain node in preparation for maintenance",
    run=run,
    concurrent=True,
    flags=(
        switch("force", "Continue even if there are pods that do not declare a controller."),
        switch("ignore-daemonsets", "Ignore DaemonSet-managed pods."),
        switch(
            "delete-emptydir-data",
            "Continue even if there are pods using emptyDir (local data that will be deleted when the node is "
            "drained).",
        ),
        Flag(
            "grace-period",
            "int",
            -1,
            "Period of time in seconds given to each pod to terminate gracefully. If negative, the default value "
            "specified in the pod will be used.",
        ),
        Flag("timeout", "duration", 0.0, "The length of time to wait before giving up, zero means infinite"),
        Flag("pod-selector", usage="Label selector to filter pods on the node"),
        switch(
            "disable-eviction",
            "Force drain to use delete, even if eviction is supported. This will bypass checking PodDisruptionBudgets, "
            "use with caution.",
        ),
        Flag(
            "skip-wait-for-delete-timeout",
            "int",
            0,
            "If pod DeletionTimestamp older than N seconds, skip waiting for the pod. Seconds must be greater than 0 "
            "to skip.",
        ),
        standard_flags.CHUNK_SIZE,
        standard_flags.DRY_RUN,
        standard_flags.SELECTOR,
    ),
    description="""\
Drain node in preparation for maintenance.

The given node will be marked unschedulable to prevent new pods from arriving, and its pods are evicted. Mirror pods
stay, and so do those of daemon sets, which have to be ignored explicitly: their controller would put them back at
once. Pods that nothing manages are only removed with --force.

'drain' waits for graceful termination. When you are ready to put the node back into service, use kctl uncordon, which
will make the node schedulable again.""",
    examples="""\
# Drain node "foo", even if there are pods not managed by a controller on it
kctl drain foo --force

# As above, but abort if there are such pods, and use a grace period of 15 minutes
kctl drain foo --grace-period=900""",
)
