"""Which painter a command's output gets."""

from __future__ import annotations

import os
from collections.abc import Callable

from kctl.command_line.flags import FlagSet
from kctl.printers.painting.documents import JSONPainter, YAMLPainter
from kctl.printers.painting.pages import DescriptionPainter, DifferencePainter, ExplanationPainter
from kctl.printers.painting.tables import TablePainter
from kctl.printers.painting.themes import Theme, theme
from localplane.apimachinery.light_typing import Protocol


class Painter(Protocol):
    def paint(self, text: str) -> str:
        """Whole lines, in colour."""


_BY_FORMAT: dict[str, Callable[[Theme], Painter]] = {
    "json": JSONPainter,
    "kyaml": JSONPainter,
    "skeleton": YAMLPainter,
    "yaml": YAMLPainter,
}
_BY_COMMAND: dict[str, Callable[[Theme], Painter]] = {
    "config view": YAMLPainter,
    "describe": DescriptionPainter,
    "diff": DifferencePainter,
    "explain": ExplanationPainter,
    "history": lambda theme: DifferencePainter(theme, margin=2),
    "kustomize": YAMLPainter,
    "rbac minimal": YAMLPainter,
}


def painter_for(command: str, flags: FlagSet) -> Painter | None:
    """For what a command writes that is no table. None for what has no form that is known here."""
    made = _BY_FORMAT.get(_format(flags)) or _BY_COMMAND.get(command.partition(" ")[2])
    return made(theme(os.environ)) if made else None


def table_painter(flags: FlagSet, cleaned: Callable[[str], str]) -> TablePainter | None:
    """None for what is written in columns and is no table: YAML in which there may be tabs."""
    return TablePainter(theme(os.environ), cleaned) if _format(flags) not in _BY_FORMAT else None


def _format(flags: FlagSet) -> str:
    return flags.text("output").lower() if flags.known("output") and flags.kind("output") == "text" else ""
