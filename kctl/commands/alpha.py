"""`kctl alpha`: where verbs that are being tried out would be. Kubernetes: kubectl/pkg/cmd/alpha.go."""

from __future__ import annotations

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    del flags
    session.say(f"No alpha commands are available in this version of {program.name()}\n")


COMMAND = Command("alpha", "alpha", "Nothing yet: what may become a verb", run=run, without_help=True)
