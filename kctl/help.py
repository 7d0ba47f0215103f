"""What `--help` shows: what it does, examples, its commands, its flags, how it is called. kubectl's form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kctl.command import Command
from kctl.flags import Flag


def help_text(command: Command, title: str) -> str:
    sections = [_filled(command.description or f"{command.summary}.")]
    if command.examples:
        sections.append("Examples:\n" + _indented(command.examples.strip("\n")))
    if command.commands:
        width = max(len(one.name) for one in command.commands)
        lines = (f"  {one.name:<{width}}   {one.summary}\n" for one in command.commands)
        sections.append(f"Available Commands:\n{''.join(lines)}".rstrip("\n"))
    if shown := [flag for flag in command.flags if not flag.hidden]:
        sections.append("Options:\n" + "\n\n".join(_option(flag) for flag in sorted(shown)))
    parent = title.rpartition(" ")[0]
    usage = f"{parent} {command.usage}"
    if not usage.endswith("]") and "options" not in usage:
        usage += " [options]"
    sections.append(f"Usage:\n  {usage}")
    if command.commands:
        sections.append(f'Use "{title} <command> --help" for more information about a given command.')
    sections.append('Use "kctl options" for a list of global command-line options (applies to all commands).')
    return "\n\n".join(sections) + "\n"


def options_text(flags: Iterable[Flag]) -> str:
    """What `kctl options` shows."""
    listed = "\n\n".join(_option(flag) for flag in sorted(flags) if not flag.hidden)
    return f"The following options can be passed to any command:\n\n{listed}\n"


def _option(flag: Flag) -> str:
    short = f"-{flag.short}, " if flag.short else "    "
    return f"    {short}--{flag.name}={_default(flag)}:\n\t{flag.usage}"


def _default(flag: Flag) -> str:
    value: Any = flag.default
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(str, value))}]"
    if flag.kind == "duration":
        return f"{value:g}s"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _filled(text: str) -> str:
    return " " + text.strip().replace("\n", "\n ").replace("\n \n", "\n\n")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.split("\n"))
