"""What a verb is: its words, its flags, its help, and the function that does it.

    COMMAND = Command(
        "get", "get TYPE [NAME]", "Display one or many resources", run=run, flags=(...), examples='''...''')

    async def run(session: Session, flags: FlagSet) -> int | None: ...

The function is a coroutine because the client's methods are; unless the verb says `concurrent` it is run without an
event loop, on a transport that blocks. It returns an exit code, or nothing for 0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from kctl.command_line.flags import Flag, FlagSet, first_word
from kctl.session.session import Session
from localplane.apimachinery.light_typing import NamedTuple

Run = Callable[["Session", "FlagSet"], Awaitable[int | None]]


class Command(NamedTuple):
    """`usage` follows the program's name. A command that has `commands` of its own does nothing itself, unless it can
    `run` as well (`kctl create -f`, `kctl create configmap`)."""

    name: str
    usage: str
    summary: str
    run: Run | None = None
    flags: tuple[Flag, ...] = ()
    description: str = ""
    examples: str = ""
    commands: tuple[Command, ...] = ()
    aliases: tuple[str, ...] = ()
    concurrent: bool = False
    """Needs an event loop: it does several things at once."""
    without_help: bool = False
    """`--help` does what the command does."""
    alone: str = "stderr"
    """Where its help goes if none of its `commands` is named: `stderr` or `stdout`, which fail, or `help`, which does
    not."""
    usage_exit_code: int = 1
    """Of a wrong flag, where 1 tells something else."""
    usage_hint: str = ""
    """What is said below a wrong flag, where it is not where to find help."""
    passes_on: bool = False
    """What looks like a flag after the first argument belongs to somebody else (`kctl kustomize`, plugins)."""


def find(command: Command, words: list[str], flags: tuple[Flag, ...]) -> tuple[tuple[Command, ...], list[str]]:
    """The commands that the words name, outermost first, and the words that are left: flags may stand in between."""
    path, rest = [command], list(words)
    while path[-1].commands:
        position = first_word(rest, (*flags, *path[-1].flags))
        named = None if position is None else _called(path[-1], rest[position])
        if position is None or named is None:
            break
        path.append(named)
        del rest[position]
    return tuple(path), rest


def _called(command: Command, word: str) -> Command | None:
    return next((one for one in command.commands if word in (one.name, *one.aliases)), None)
