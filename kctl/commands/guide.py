"""`kctl guide`: how to do something, in a screen or three, by task."""

from __future__ import annotations

import sys

from kctl import guides, program
from kctl.command_line import usage
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import UsageError
from kctl.printers.table import TabWriter, print_rows
from kctl.session.session import Session

_WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""


async def run(session: Session, flags: FlagSet) -> None:
    if not flags.arguments:
        _list(session)
        return
    if len(flags.arguments) > 1:
        raise UsageError(f"one guide at a time, not {len(flags.arguments)}: {' '.join(flags.arguments)}")
    text = guides.text_of(_named(flags.arguments[0]))
    if session.is_terminal or flags.text("color") == "always":
        _render(session, text)
    else:
        session.write(text)


def _list(session: Session) -> None:
    print_rows([("NAME", "ABOUT"), *guides.GUIDES], TabWriter(session.write))
    if session.is_terminal:
        session.say(f"\nShow one with '{program.name()} guide NAME'.\n")


def _named(word: str) -> guides.Guide:
    guide = next((guide for guide in guides.GUIDES if guide.name == word.lower()), None)
    if guide is None:
        near = usage.closest(word, [guide.name for guide in guides.GUIDES])
        hint = usage.did_you_mean(near).lstrip("\n") or "'kctl guide' lists them."
        raise UsageError(f'there is no guide "{word}"', hint=hint)
    return guide


def _render(session: Session, text: str) -> None:
    """Imported here: Markdown takes ten times as long to load as the rest of a start."""
    from rich.console import Console
    from rich.markdown import Markdown

    coloured = session.colours(sys.stdout)
    console = Console(
        file=sys.stdout, force_terminal=coloured, no_color=not coloured, color_system="standard" if coloured else None
    )
    width = min(console.width, _WIDEST)
    console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False), width=width)


COMMAND = Command(
    "guide",
    "guide [NAME]",
    "Show how to do something, by task",
    run=run,
    description="""\
List the guides, or show one. Each tells how to do one thing, with commands that can be typed as they stand. In a pipe
it is plain Markdown.""",
    examples="""\
# Which are there?
kctl guide

# A cluster for each test
kctl guide pytest

# As Markdown, for another program
kctl guide webhooks | glow""",
)
