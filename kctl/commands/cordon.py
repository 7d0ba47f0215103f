"""`kctl cordon`. Kubernetes: kubectl/pkg/cmd/drain/drain.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.nodes import cordon
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    cordon.check(session, flags, "cordon NODE")
    mode = dry_run.dry_run(session)
    await cordon.mark(session, await cordon.find(session, flags), mode, unschedulable=True)


COMMAND = Command(
    "cordon",
    "cordon NODE",
    "Let no new pods onto nodes",
    run=run,
    flags=(standard_flags.SELECTOR, standard_flags.DRY_RUN),
    description="""\
Mark nodes as unschedulable. Pods that run there stay; new ones go elsewhere until 'kctl uncordon'. To move the pods
away as well, use 'kctl drain'.""",
    examples="""\
# No new pods for a node
kctl cordon worker-1

# For all nodes with a label
kctl cordon -l rack=r7

# See which ones that would be
kctl cordon -l rack=r7 --dry-run=client""",
)
