"""Command lines that somebody may write: a command, what it is about, and flags of its table with values that fit.

The tables are kctl's own (`Command.flags`), so a new flag is tried by itself: switches in all their forms, numbers, and
whatever command_lines.yaml has a value for. A seed and a number tell the whole line.
"""

from __future__ import annotations

import importlib
import random
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag
from kctl.command_line.verbs import GROUPS
from localplane.apimachinery.serializers.yaml import parse_yaml

_HERE = Path(__file__).parent
_NEVER = frozenset(
    (
        *("watch", "watch-only", "wait", "timeout", "edit", "interactive", "attach", "stdin", "tty", "rm", "quiet"),
        *("leave-stdin-open", "detach-keys", "filename", "kustomize", "recursive", "all-namespaces", "template"),
        *("at", "clean", "decode", "concurrency", "show-secrets", "to", "merge"),
    )
)
"""Flags that wait for somebody, ask for all there is, or are kctl's alone."""
_OF_ALL = {"taint": ("selector", "all"), "create priorityclass": ("global-default",)}
"""Flags that reach into what the other program has."""
_NUMBERS = ("0", "1", "7", "-1")
_MOST_FLAGS = 3
READING = frozenset(
    (
        *("api-resources", "api-versions", "auth", "cluster-info", "config", "describe", "diff", "events", "get"),
        *("kustomize", "wait"),
    )
)
"""Verbs after which everything is as it was."""


@dataclass(frozen=True, slots=True)
class Line:
    """`required` came with the command; each of `flags` may be left out."""

    command: str
    required: str
    flags: tuple[str, ...] = ()

    @property
    def reads_only(self) -> bool:
        return self.command.split()[0] in READING or self.command.endswith(("history", "view-last-applied"))

    def words(self, places: Mapping[str, str]) -> list[str]:
        """Flags stand before the arguments, because whatever is behind `--` is none."""
        filled = self.required
        for name, value in places.items():
            filled = filled.replace("{" + name + "}", value)
        return [*self.command.split(), *self.flags, *shlex.split(filled)]

    def smaller(self) -> Iterator[Line]:
        """The same with a flag less."""
        for index in range(len(self.flags)):
            yield Line(self.command, self.required, (*self.flags[:index], *self.flags[index + 1 :]))

    def __str__(self) -> str:
        return " ".join([self.command, *map(shlex.quote, self.flags), self.required]).rstrip()


def command_line(seed: int, number: int, known: Mapping[str, Collection[str]], only: Sequence[str] = ()) -> Line:
    """`known` are the flags that the other program has, by command: one that it has not is no difference."""
    chance = random.Random(f"{seed}/{number}")
    arguments = parts()["arguments"]
    command = chance.choice([name for name in arguments if not only or name in only or name.split()[0] in only])
    required = chance.choice(arguments[command])
    said = {word.partition("=")[0] for word in shlex.split(required)}
    flags = [
        flag
        for flag in declared(command)
        if flag.name in known.get(command, ())
        and flag.name not in (*_NEVER, *_OF_ALL.get(command, ()))
        and f"--{flag.name}" not in said
    ]
    chosen = chance.sample(flags, min(len(flags), chance.randint(0, _MOST_FLAGS)))
    return Line(command, required, tuple(word for flag in chosen if (word := _given(flag, chance)) is not None))


def _given(flag: Flag, chance: random.Random) -> str | None:
    values = parts()["values"].get(flag.name)
    name = f"--{flag.name}"
    if values is not None:
        return f"{name}={chance.choice(values)}" if values else None
    if flag.kind == "switch":
        return chance.choice((name, name, f"{name}=true", f"{name}=false"))
    if flag.kind in ("int", "int32"):
        return f"{name}={chance.choice(_NUMBERS)}"
    return None


@cache
def parts() -> dict[str, Any]:
    document: dict[str, Any] = parse_yaml((_HERE / "command_lines.yaml").read_bytes()).value
    return document


@cache
def declared(command: str) -> tuple[Flag, ...]:
    """The flags of a command in kctl's table that are shown."""
    verb, *below = command.split()
    module = next(one.module for group in GROUPS for one in group.verbs if one.name == verb)
    found: Command = importlib.import_module(module).COMMAND
    for name in below:
        found = next(one for one in found.commands if name in (one.name, *one.aliases))
    return tuple(flag for flag in found.flags if not flag.hidden)
