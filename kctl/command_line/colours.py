"""Whether to colour. Kubernetes: cli-runtime/pkg/printers/terminal.go, AllowsColorOutput."""

from __future__ import annotations

import os
from collections.abc import Sequence

from kctl import program
from kctl.command_line.flags import last_said
from localplane.apimachinery.light_typing import TextIO

CHOICES = ("auto", "always", "never")


def wanted(words: Sequence[str], stream: TextIO) -> bool:
    """By what a command line says with --color: needed before it is known to be a good one."""
    return allowed(said(words), stream)


def said(words: Sequence[str]) -> str:
    """What --color is, or `auto`."""
    return last_said(words, "color", "auto")


def allowed(choice: str, stream: TextIO, *, of_kubectl: bool = False) -> bool:
    """On a terminal that can, unless NO_COLOR is set. KCTL_COLOR is what --color would say, if nobody does.

    Called kubectl, nothing is coloured by itself but what is `of_kubectl`'s: its warnings.
    """
    if choice == "auto":
        choice = os.environ.get("KCTL_COLOR") or ("never" if program.is_kubectl() and not of_kubectl else "auto")
    if choice in ("always", "never"):
        return choice == "always"
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
