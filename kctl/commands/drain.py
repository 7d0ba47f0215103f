"""`kctl drain`. Kubernetes: kubectl/pkg/cmd/drain/drain.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.nodes import cordon, drain
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, SeveralErrors, raise_all
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote


async def run(session: Session, flags: FlagSet) -> None:
    cordon.check(session, flags, "drain NODE")
    mode = dry_run.dry_run(session)
    if flags.text("pod-selector"):
        cordon.require_selector(flags.text("pod-selector"))
    infos = await cordon.find(session, flags)
    await cordon.mark(session, infos, mode, unschedulable=True)
    errors: list[Exception] = []
    remaining = []
    for info in infos:
        try:
            await _drain(session, flags, mode, info.name)
        except (KctlError, APIError) as error:
            session.flush()
            session.say(
                f"error: unable to drain node {go_quote(info.name)} due to error: {_shown(error)}, continuing "
                "command...\n"
            )
            errors.append(error)
            remaining.append(info.name)
            continue
        cordon.print_node(session, info, "drained", mode)
    if remaining:
        session.say("There are pending nodes to be drained:\n" + "".join(f" {name}\n" for name in remaining))
    listed = any(isinstance(error, SeveralErrors) for error in errors)
    raise_all([KctlError(_shown(error)) for error in errors], listed=listed)


async def _drain(session: Session, flags: FlagSet, mode: str, node: str) -> None:
    choosing = drain.Choosing(session, flags)
    try:
        chosen = await choosing.choose(node)
    except APIError as error:
        raise SeveralErrors([error]) from error
    raise_all(chosen.problems, listed=True)
    if chosen.warning:
        session.warn(chosen.warning)
    if mode == "client":
        for pod in chosen.pods:
            session.write(f"evicting pod {drain.place(pod)} (dry run)\n")
        return
    try:
        await drain.Evicting(session, flags, mode).move(chosen.pods)
    except (KctlError, APIError) as error:
        session.flush()
        pending = await choosing.choose(node)
        if pending.pods:
            session.say(f"There are pending pods in node {go_quote(node)} when an error occurred: {_shown(error)}\n")
            session.say("".join(f"pod/{pod['metadata']['name']}\n" for pod in pending.pods))
        if pending.problems:
            why = _shown(SeveralErrors(pending.problems))
            session.say(f"Following errors occurred while getting the list of pods to delete:\n{why}")
        raise


def _shown(error: Exception) -> str:
    """Go's text of several errors: in brackets, the same one only once."""
    if not isinstance(error, SeveralErrors):
        return str(error)
    texts = list(dict.fromkeys(map(str, error.errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


COMMAND = Command(
    "drain",
    "drain NODE",
    "Move all pods off nodes",
    run=run,
    concurrent=True,
    flags=(
        switch("force", "Also pods that no controller would start elsewhere: they are gone for good."),
        switch("ignore-daemonsets", "Leave the pods of daemon sets where they are. Without it, they are an error."),
        switch("delete-emptydir-data", "Also pods with emptyDir volumes: what is in them is lost."),
        Flag("grace-period", "int", -1, "Seconds that each pod has to end. Less than 0 is what the pod itself says."),
        Flag("timeout", "duration", 0.0, "How long to try, such as 5m. 0 is for ever."),
        Flag("pod-selector", usage="Only pods with these labels."),
        switch("disable-eviction", "Delete instead of evicting: disruption budgets are not asked."),
        Flag(
            "skip-wait-for-delete-timeout",
            "int",
            0,
            "Don't wait for pods that have been terminating for more than this many seconds. 0 waits.",
        ),
        standard_flags.CHUNK_SIZE,
        standard_flags.DRY_RUN,
        standard_flags.SELECTOR,
    ),
    description="""\
Empty nodes for maintenance: cordon them, then evict their pods and wait until they are gone. Evictions that a
PodDisruptionBudget forbids are tried again.

Nothing is evicted while there are pods that need your word first: those of daemon sets, which would come back at once
(--ignore-daemonsets), those with local data (--delete-emptydir-data), and those without a controller (--force). Mirror
pods stay. 'kctl uncordon' takes the node back into service.""",
    examples="""\
# See what would go
kctl drain worker-1 --ignore-daemonsets --dry-run=client

# The usual way
kctl drain worker-1 --ignore-daemonsets --delete-emptydir-data

# A rack, giving up after ten minutes
kctl drain -l rack=r7 --ignore-daemonsets --timeout=10m

# Only some pods, with a minute each
kctl drain worker-1 --pod-selector=app=web --grace-period=60

# Even what nobody will start again
kctl drain worker-1 --ignore-daemonsets --force""",
)
