"""`kctl options`: the flags that every verb has."""

from __future__ import annotations

from kctl.command_line import help_pages
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.command_line.global_flags import GLOBAL_FLAGS
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    del flags
    session.write(help_pages.options_text(GLOBAL_FLAGS))


COMMAND = Command(
    "options",
    "options",
    "Show the flags that every command has",
    run=run,
    usage_hint="Run 'kctl options' without flags.",
    description="Show the flags that every command has, and what exit codes mean with --error-format=json.",
    examples="# Which flags can I always use?\nkctl options",
)
