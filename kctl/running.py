"""A declared command, from its words to its exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kctl.command import Command, find
from kctl.errors import Ended, KctlError, UsageError
from kctl.flags import parse
from kctl.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.session import Session

if TYPE_CHECKING:
    from kctl.flags import Given


def run(command: Command, words: list[str]) -> int:
    """Raises what the user should know; `cli` prints it."""
    path, rest = find(command, words, (*GLOBAL_FLAGS, HELP_FLAG))
    chosen = path[-1]
    title = " ".join(("kctl", *(one.name for one in path)))
    try:
        given = parse(rest, (*chosen.flags, *GLOBAL_FLAGS, HELP_FLAG))
    except KctlError as error:
        usage = UsageError(str(error), hint=f"See '{title} --help' for usage.")
        if chosen.usage_exit_code != 1:
            usage.exit_code, usage.hint = chosen.usage_exit_code, f"See '{title} -h' for help and examples"
        raise usage from error
    if given.is_on("help"):
        from kctl.help import help_text

        sys.stdout.write(help_text(chosen, title))
        return 0
    if chosen.run is None:
        return _without_subcommand(chosen, title, given)
    session = Session(given, command=title, concurrent=chosen.concurrent)
    if chosen.concurrent:
        import asyncio

        return asyncio.run(_run(chosen, session, given))
    from localplane.client.driving import drive

    return drive(lambda: _run(chosen, session, given))


async def _run(command: Command, session: Session, given: Given) -> int:
    assert command.run is not None
    try:
        if given.is_on("match-server-version"):
            await _compare_versions(session)
        code = await command.run(session, given)
    finally:
        await session.close()
    if given.is_on("warnings-as-errors") and session.warnings:
        raise KctlError(f"{session.warnings} warning{'s' if session.warnings > 1 else ''} received")
    return code or 0


async def _compare_versions(session: Session) -> None:
    from kctl import __version__

    server = await session.client.discovery().server_version()
    if (theirs := server.get("gitVersion", "")) != f"v{__version__}":
        raise KctlError(f"server version ({theirs}) differs from client version (v{__version__})")


def _without_subcommand(command: Command, title: str, given: Given) -> int:
    """kubectl shows the help on stderr and fails."""
    if given.arguments:
        raise unknown_subcommand(given.arguments, title)
    from kctl.help import help_text

    sys.stderr.write(help_text(command, title))
    raise Ended(1)


def unknown_subcommand(arguments: list[str], title: str) -> UsageError:
    return UsageError(f'unknown command "{" ".join(arguments)}"', hint=f"See '{title} -h' for help and examples")
