"""What a person is told after an error, on a terminal: what was probably meant, and what to do about it.

Programs get kubectl's words alone. Nothing is imported before somebody needs advice.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kctl import program
from kctl.command_line import usage


def after(error: BaseException) -> str:
    """What follows the sentence about an error, with an end of line before it; empty for nothing."""
    for one in (error, error.__cause__):
        mistyped: tuple[str, Sequence[str]] | None = getattr(one, "mistyped", None)
        if mistyped is not None:
            near = usage.did_you_mean(usage.closest(*mistyped))
            return f"\n{near}" if near else ""
    if _is_refused(error):
        return f"\n\n{_planes()}"
    return ""


def _is_refused(error: BaseException) -> bool:
    errors = sys.modules.get("localplane.client.errors")
    return errors is not None and isinstance(error, errors.ConnectionRefused)


def _planes() -> str:
    """Nobody answers: is there a plane that would?"""
    from localplane.cli.errors import PlaneError
    from localplane.cli.run_file import running_names

    try:
        names = running_names()
    except PlaneError:
        names = []
    if not names:
        return f"No plane is running on this machine. Start one with: {program.name()} up"
    return f"Planes that are up: {', '.join(names)}. Use one with: {program.name()} ctx kctl-{names[0]}"
