"""Help about a Command, and about the flags that all of them have."""

from __future__ import annotations

from collections.abc import Iterable

from kctl.command import Command
from kctl.exit_codes import EXIT_CODES
from kctl.flags import Flag
from localplane.apimachinery.light_typing import Any

from .layout import Page, Rows, Section, render

_PLACEHOLDERS = {
    "int": "N",
    "int32": "N",
    "duration": "DURATION",
    "go-duration": "DURATION",
    "slice": "LIST",
    "levels": "FILE=N",
}
_OPTIONS = "'kctl options' lists the flags that every command has."


def help_text(command: Command, title: str) -> str:
    parent = title.rpartition(" ")[0]
    usage = f"{parent} {command.usage}"
    shown = [flag for flag in command.flags if not flag.hidden]
    if shown and "[options]" not in usage and "[flags]" not in usage:
        usage += " [flags]"
    sections = [Section("Usage", lines=usage)]
    if command.aliases:
        sections.append(Section("Also called", lines=", ".join(command.aliases)))
    if command.examples:
        sections.append(Section("Examples", lines=command.examples))
    if command.commands:
        sections.append(Section("Available Commands", [(one.name, one.summary) for one in command.commands]))
    if shown:
        sections.append(Section("Flags", flag_rows(shown)))
    about = command.description or f"{command.summary.rstrip('.')}."
    footer = f"'{title} COMMAND --help' tells more about a command. {_OPTIONS}" if command.commands else _OPTIONS
    return render(Page(about, sections, footer))


def options_text(flags: Iterable[Flag]) -> str:
    """What `kctl options` shows."""
    shown = [flag for flag in flags if not flag.hidden]
    codes = [(str(code), meaning) for code, meaning in EXIT_CODES]
    return render(
        Page(
            "Every command has these flags, before or after its name.",
            (Section("Flags", flag_rows(shown)), Section("Exit codes with --error-format=json", codes)),
            "Without it every error is a 1, as kubectl has it; commands with codes of their own (diff, plugins, exec) "
            "keep them.",
        )
    )


def flag_rows(flags: Iterable[Flag]) -> Rows:
    """By name, letters first."""
    return [(_name(flag), _said(flag)) for flag in sorted(flags, key=lambda flag: flag.name)]


def _name(flag: Flag) -> str:
    short = f"-{flag.short}, " if flag.short else "    "
    if flag.kind == "switch":
        return f"{short}--{flag.name}"
    value = _PLACEHOLDERS.get(flag.kind, "TEXT")
    return f"{short}--{flag.name}[={value}]" if flag.bare else f"{short}--{flag.name} {value}"


def _said(flag: Flag) -> str:
    default = _default(flag)
    return f"{flag.usage} (default {default})" if default else flag.usage


def _default(flag: Flag) -> str:
    """What is worth telling: nothing, no and none are what one expects."""
    value: Any = flag.default
    if isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    if flag.kind in ("duration", "go-duration"):
        return _duration(float(value)) if value else ""
    return "" if value in ("", 0, None) else str(value)


def _duration(seconds: float) -> str:
    whole = int(seconds)
    if seconds != whole or whole % 60:
        return f"{seconds:g}s"
    return f"{whole // 3600}h" if not whole % 3600 else f"{whole // 60}m"
