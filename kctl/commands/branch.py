"""`kctl branch`: another plane that begins as this one is."""

from __future__ import annotations

import subprocess
import sys

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError
from kctl.session import instruments
from kctl.session.session import Session
from localplane.cli import places, run_file


async def run(session: Session, flags: FlagSet) -> int:
    if not flags.arguments:
        raise UsageError(f"name the new plane: {program.name()} branch NAME")
    name, *others = flags.arguments
    places.places(name)
    if run_file.running(name) is not None:
        raise KctlError(
            f'plane "{name}" is up already: choose another name, or stop it with `{program.name()} down --name {name}`'
        )
    snapshot = await instruments.fetch(session, "snapshots")
    session.flush()
    return _start(name, others, snapshot)


def _start(name: str, others: list[str], snapshot: bytes) -> int:
    command = [sys.executable, "-m", "kctl", "up", "--detach", "--name", name, "--from", "-", *others]
    return subprocess.run(command, input=snapshot, check=False).returncode


COMMAND = Command(
    "branch",
    "branch NAME [-- FLAG...]",
    "Start another plane that begins as this one is",
    run=run,
    description="""\
Start a new plane in the background that begins with all objects of this one, as they are now. From then on both go
their own ways. The new one has keys, an address and a context of its own, which becomes the current one. What follows
-- are flags of 'kctl up' for it.""",
    examples="""\
# Try something on a copy, and throw it away
kctl branch trial
kctl delete namespace shop
kctl down --name trial && kctl reset --name trial

# A copy that keeps nothing on the disk, and leaves the current context alone
kctl branch trial -- --storage memory --no-switch-context""",
)
