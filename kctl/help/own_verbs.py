"""Help about verbs that are declared with Typer, in the form that all others have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .layout import Page, Section, render


def own_help(command: Any, program: str, arguments: Sequence[str]) -> str:
    """Of the command that the arguments name."""
    for word in arguments:
        inner = getattr(command, "commands", {}).get(word)
        if inner is None:
            break
        command, program = inner, f"{program} {word}"
    about, _, examples = (command.help or "").partition("Examples:")
    sections = [Section("Usage", lines=_usage(command, program))]
    if examples.strip():
        sections.append(Section("Examples", lines=_dedented(examples)))
    if subcommands := getattr(command, "commands", {}):
        rows = [(name, one.get_short_help_str(200)) for name, one in subcommands.items()]
        sections.append(Section("Available Commands", rows))
    shown = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    if shown:
        sections.append(Section("Flags", [(_name(one), _said(one)) for one in sorted(shown, key=_order)]))
    footer = f"'{program} COMMAND --help' tells more about a command." if subcommands else ""
    return render(Page(about.replace("\b", "").strip(), sections, footer))


def _usage(command: Any, program: str) -> str:
    if getattr(command, "commands", None):
        return f"{program} COMMAND"
    arguments = [one.make_metavar() for one in command.params if one.param_type_name == "argument"]
    return " ".join((program, *arguments, "[flags]"))


def _dedented(text: str) -> str:
    """One example from the next is told by an empty line."""
    found: list[str] = []
    for line in (line.strip() for line in text.strip("\n").split("\n")):
        if line.startswith("#") and found and found[-1]:
            found.append("")
        found.append(line)
    return "\n".join(found).replace("\n\n\n", "\n\n")


def _order(option: Any) -> str:
    return str(max(option.opts, key=len)).lstrip("-")


def _name(option: Any) -> str:
    long = max(option.opts, key=len)
    short = next((f"{one}, " for one in option.opts if not one.startswith("--")), "    ")
    if option.is_flag:
        return f"{short}{long}"
    return f"{short}{long} {option.metavar or ('N' if option.type.name == 'integer' else 'TEXT')}"


def _said(option: Any) -> str:
    said = option.help or ""
    if option.show_default and option.default not in (None, "", False, (), []):
        value = ",".join(map(str, option.default)) if isinstance(option.default, list | tuple) else option.default
        said = f"{said} (default {value})"
    return f"{said} (repeatable)" if option.multiple else said
