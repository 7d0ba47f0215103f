"""`kctl clock`: what time it is in a plane of `kctl up`, and letting time pass there."""

from __future__ import annotations

import orjson

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import UsageError
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml

_FORMATS = ("json", "yaml")


async def show(session: Session, flags: FlagSet) -> None:
    _check_format(flags)
    if flags.arguments:
        raise UsageError(f"a plane has one clock: leave out {flags.arguments[0]}")
    _print(session, flags, await instruments.ask(session, "GET", "clock"))


async def advance(session: Session, flags: FlagSet) -> None:
    _check_format(flags)
    if len(flags.arguments) != 1:
        raise UsageError(f"say by how much, once: {program.name()} clock advance 1h30m")
    body = {"advance": flags.arguments[0]}
    _print(session, flags, await instruments.ask(session, "POST", "clock", body=body))


def _check_format(flags: FlagSet) -> None:
    if (output := flags.text("output")) and output not in _FORMATS:
        raise UsageError(f"--output {output} is none that is known here: use {', '.join(_FORMATS)}")


def _print(session: Session, flags: FlagSet, clock: JSONObject) -> None:
    if output := flags.text("output"):
        text = orjson.dumps(clock, option=orjson.OPT_INDENT_2) + b"\n" if output == "json" else to_yaml(clock)
        session.write_object(text.decode())
    elif clock["advances"]:
        session.write(f"{clock['now']}, {clock['ahead']} ahead of the machine's clock\n")
    else:
        session.write(f"{clock['now']}, by the machine's clock\n")


_OUTPUT = Flag("output", usage=f"Output format, one of: {', '.join(_FORMATS)}.", short="o")

COMMAND = Command(
    "clock",
    "clock",
    "Show what time it is in a plane, and let time pass",
    description="""\
What happens in an hour, without waiting for it: schedules of CronJobs, deadlines, back-offs, leases, tokens, whatever
is kept for a while only. A plane that 'kctl up --own-clock' started has a clock that can be advanced, and so has each
cluster of localplane.testing. Timestamps follow it; clients' own clocks, yours too, do not.

A plane with another store than memory begins with the machine's time again whenever it is started.""",
    examples="""\
# A plane whose clock can be advanced
kctl up -d --ephemeral --own-clock

# What time is it there?
kctl clock show

# An hour and a minute later
kctl clock advance 61m""",
    commands=(
        Command(
            "show",
            "show",
            "Show what time it is in a plane",
            run=show,
            flags=(_OUTPUT,),
            description="Show what time it is in a plane, and by how much that is ahead of the machine's clock.",
            examples="""\
# What time is it there?
kctl clock show

# For a program
kctl clock show -o json""",
        ),
        Command(
            "advance",
            "advance DURATION",
            "Let time pass",
            run=advance,
            flags=(_OUTPUT,),
            description="""\
Let time pass. Everything that becomes due meanwhile happens in order, and the plane's controllers, scheduler and nodes
are done with it when the command ends. Programs beside the plane are not waited for. A clock goes forward only.""",
            examples="""\
# An hour and a minute later
kctl clock advance 61m

# A day
kctl clock advance 24h""",
        ),
    ),
)
