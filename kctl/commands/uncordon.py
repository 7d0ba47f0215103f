"""`kctl uncordon`. Kubernetes: kubectl/pkg/cmd/drain/drain.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.nodes import cordon
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    cordon.check(session, flags, "uncordon NODE")
    mode = dry_run.dry_run(session)
    await cordon.mark(session, await cordon.find(session, flags), mode, unschedulable=False)


COMMAND = Command(
    "uncordon",
    "uncordon NODE",
    "Let pods onto nodes again",
    run=run,
    flags=(standard_flags.SELECTOR, standard_flags.DRY_RUN),
    description="Mark node as schedulable. This is for nodes after 'kctl cordon' or 'kctl drain'.",
    examples="""\
# The node is back
kctl uncordon worker-1

# All of a rack
kctl uncordon -l rack=r7""",
)
