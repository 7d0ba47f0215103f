"""`kctl ctx`: the contexts, and switching between them. `-` is the one before."""

from __future__ import annotations

from kctl.changes.config import files as config_files
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) > 1:
        raise KctlError(f"expected one context, not {len(flags.arguments)}")
    files = config_files.ConfigFiles(session)
    names, current = files.entries("contexts"), files.current_context
    if not flags.arguments:
        session.write("".join(f"{'*' if name == current else ' '} {name}\n" for name in names))
        return
    name = flags.arguments[0]
    if name == "-":
        name = config_files.recall(session, "context")
        if not name:
            raise KctlError("there was no context before this one")
    if name not in names:
        raise KctlError(f'no context exists with the name: "{name}"')
    config_files.remember(session, "context", current)
    files.set_current_context(name)
    session.write(f'Switched to context "{name}".\n')


COMMAND = Command(
    "ctx",
    "ctx [CONTEXT | -]",
    "Show the contexts, or switch to one",
    run=run,
    description="""\
Show the contexts of your kubeconfig, or make one of them the current one. `-` is the one that was current before.""",
    examples="""\
# Which contexts are there, and which is in use?
kctl ctx

# Use another one
kctl ctx staging

# And back
kctl ctx -""",
)
