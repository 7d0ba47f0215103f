"""The verbs as a tree of commands. A verb's module is imported when a line has named it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from kctl.command_line.command import Command
from kctl.command_line.command import find as find_below
from kctl.command_line.flags import Flag, first_word
from kctl.command_line.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.command_line.verbs import GROUPS

REQUIRED = {
    "autoscale": ("max",),
    "create clusterrolebinding": ("clusterrole",),
    "create cronjob": ("image", "schedule"),
    "create deployment": ("image",),
    "create service externalname": ("external-name",),
    "kuberc set": ("section",),
    "run": ("image",),
    "scale": ("replicas",),
}
"""Flags without which a command is not complete: they are offered before all others."""


class CommandMatch(NamedTuple):
    """The commands that were named, outermost first (none: kctl itself), and the words that are left."""

    path: tuple[Command, ...]
    rest: list[str]

    @property
    def name(self) -> str:
        """`create service externalname`."""
        return " ".join(one.name for one in self.path)

    @property
    def own_flags(self) -> list[Flag]:
        own = [*(self.path[-1].flags if self.path else ()), *(() if self.path else GLOBAL_FLAGS)]
        return sorted((flag for flag in [*own, HELP_FLAG] if flag.name), key=lambda flag: flag.name)

    @property
    def inherited_flags(self) -> list[Flag]:
        own = {flag.name for flag in self.own_flags}
        return sorted((flag for flag in GLOBAL_FLAGS if flag.name not in own), key=lambda flag: flag.name)

    @property
    def flags(self) -> list[Flag]:
        return [*self.own_flags, *self.inherited_flags]


def find(words: Sequence[str]) -> CommandMatch | None:
    """None if the first word is no verb."""
    everywhere = (*GLOBAL_FLAGS, HELP_FLAG)
    position = first_word(words, everywhere)
    if position is None:
        return CommandMatch((), list(words))
    command = verb(words[position])
    if command is None:
        return None
    rest = [*words[:position], *words[position + 1 :]]
    path, left = find_below(command, rest, everywhere)
    return CommandMatch(path, left)


def summaries(path: Sequence[Command]) -> list[tuple[str, str]]:
    """The commands below, by name: (name, what it does)."""
    if path:
        return sorted((one.name, one.summary) for one in path[-1].commands)
    verbs = ((one.name, one.summary) for group in GROUPS for one in group.verbs if not one.hidden)
    return sorted([*verbs, ("help", "Help about any command")])


def is_verb(name: str) -> bool:
    return name == "help" or any(one.name == name for group in GROUPS for one in group.verbs)


def verb(name: str) -> Command | None:
    if name == "help":
        return Command("help", "help", "Help about any command")
    for group in GROUPS:
        for one in group.verbs:
            if one.name == name:
                module = importlib.import_module(one.module)
                found: Command | None = getattr(module, "COMMAND", None)
                return found if found is not None else _typed(one.name, one.summary, module.app)
    return None


def _typed(name: str, summary: str, app: Any) -> Command:
    """Of a verb that is declared with Typer."""
    import typer

    return _command(name, summary, typer.main.get_command(app))


def _command(name: str, summary: str, declared: Any) -> Command:
    flags = [_flag(one) for one in declared.params if one.param_type_name == "option" and not one.hidden]
    below = [
        _command(each, (one.help or "").split("\n")[0], one)
        for each, one in getattr(declared, "commands", {}).items()
        if not one.hidden
    ]
    return Command(name, name, summary, flags=tuple(flags), commands=tuple(below))


def _flag(option: Any) -> Flag:
    names = [name for name in option.opts if name.startswith("--")]
    short = [name[1:] for name in option.opts if len(name) == 2]
    kind = "array" if option.multiple else "text"
    return Flag(names[0][2:], kind, "", option.help or "", "".join(short[:1]), "true" if option.is_flag else "")
