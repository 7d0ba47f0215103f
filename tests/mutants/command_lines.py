"""A command line, with the flags that it gives, by the tables of kctl itself."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from kctl.command_line.command import Command, find
from kctl.command_line.flags import Flag, first_word, parse
from kctl.command_line.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.command_line.verbs import GROUPS
from kctl.errors import KctlError

EVERY_VERB = "kctl"
"""What owns the flags that every verb has."""
VERBS = {verb.name: verb for group in GROUPS for verb in group.verbs}


@dataclass(frozen=True, slots=True)
class FlagOf:
    """A flag and the command that owns it: `create secret tls`, or EVERY_VERB."""

    command: str
    flag: str

    def __str__(self) -> str:
        return f"{self.command} --{self.flag}"

    @classmethod
    def parse(cls, text: str) -> FlagOf:
        command, _, flag = text.rpartition(" --")
        return cls(command, flag)


@dataclass(frozen=True, slots=True)
class Known:
    """What it takes to find a flag's words: its names, and whether its value is a word of its own."""

    owner: FlagOf
    names: tuple[str, ...]
    letters: tuple[str, ...]
    alone: bool
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class CommandLine:
    words: tuple[str, ...]
    flags: tuple[Known, ...]

    def given(self) -> set[FlagOf]:
        return {known.owner for known, _ in self._pieces() if known is not None}

    def without(self, flag: FlagOf) -> list[str]:
        return [word for known, words in self._pieces() if known is None or known.owner != flag for word in words]

    def _pieces(self) -> Iterator[tuple[Known | None, list[str]]]:
        """The words in their order, each with the flag that it belongs to; letters that share a dash come apart."""
        named = {name: known for known in reversed(self.flags) for name in known.names}
        letters = {letter: known for known in reversed(self.flags) for letter in known.letters}
        rest = list(self.words)
        while rest:
            word = rest.pop(0)
            if word == "--":
                yield None, [word, *rest]
                return
            if word.startswith("--"):
                name, equals, _ = word[2:].partition("=")
                known = named[name.replace("_", "-")]
                yield known, [word] if equals or known.alone else [word, rest.pop(0)]
            elif word.startswith("-") and word != "-":
                yield from _apart(word[1:], letters, rest)
            else:
                yield None, [word]


def _apart(text: str, letters: dict[str, Known], rest: list[str]) -> Iterator[tuple[Known | None, list[str]]]:
    while text:
        known, after = letters[text[0]], text[1:]
        if known.alone and not after.startswith("="):
            yield known, [f"-{text[0]}"]
            text = after
            continue
        yield known, [f"-{text}"] if after else [f"-{text}", rest.pop(0)]
        return


def understood(words: Sequence[str]) -> CommandLine | None:
    """Nothing if kctl would not run it: what it says of wrong flags is another matter."""
    position = first_word(words, (*GLOBAL_FLAGS, HELP_FLAG))
    if position is None or words[position] not in VERBS:
        return None
    verb = words[position]
    module = importlib.import_module(VERBS[verb].module)
    rest = [*words[:position], *words[position + 1 :]]
    try:
        flags = _declared(module.COMMAND, rest) if hasattr(module, "COMMAND") else _of_typer(verb, module, rest)
        line = CommandLine(tuple(words), tuple(flags))
        line.given()
    except (KctlError, KeyError, IndexError):
        return None
    return line


def _declared(command: Command, rest: list[str]) -> Iterable[Known]:
    path, rest = find(command, rest, (*GLOBAL_FLAGS, HELP_FLAG))
    flags = (*path[-1].flags, *GLOBAL_FLAGS, HELP_FLAG)
    parse(rest, flags)
    title = " ".join(one.name for one in path)
    own = {flag.name for flag in path[-1].flags}
    return [_known(title if flag.name in own else EVERY_VERB, flag) for flag in flags]


def _known(command: str, flag: Flag) -> Known:
    return Known(
        FlagOf(command, flag.name), (flag.name,), (flag.short,) if flag.short else (), bool(flag.bare), flag.hidden
    )


def _of_typer(verb: str, module: ModuleType, rest: Sequence[str]) -> Iterable[Known]:
    command = _typer_command(module)
    title = verb
    for word in rest:
        if word in getattr(command, "commands", {}):
            title, command = f"{verb} {word}", command.commands[word]
            break
    return [*_options(title, command), *(_known(EVERY_VERB, flag) for flag in (*GLOBAL_FLAGS, HELP_FLAG))]


def _typer_command(module: ModuleType) -> Any:
    import typer  # most lines need none, and each is a process

    return typer.main.get_command(module.app)


def _options(title: str, command: Any) -> Iterator[Known]:
    for option in command.params:
        spellings = [*option.opts, *option.secondary_opts]
        names = tuple(name[2:] for name in spellings if name.startswith("--"))
        letters = tuple(name[1:] for name in spellings if re.fullmatch(r"-\w", name))
        if names:
            alone = bool(getattr(option, "is_flag", False) or getattr(option, "count", False))
            yield Known(FlagOf(title, names[0]), names, letters, alone, bool(getattr(option, "hidden", False)))


def flags_of(verb: str) -> Iterator[FlagOf]:
    """Of it and of the commands below it, but those that nobody is told of."""
    return (known.owner for known in known_flags(verb))


def known_flags(verb: str) -> Iterator[Known]:
    """As `flags_of`, with their letters."""
    if verb == EVERY_VERB:
        yield from (_known(EVERY_VERB, flag) for flag in GLOBAL_FLAGS)
        return
    module = importlib.import_module(VERBS[verb].module)
    if hasattr(module, "COMMAND"):
        for title, command in _commands(module.COMMAND, ""):
            yield from (_known(title, flag) for flag in command.flags if not flag.hidden)
        return
    group = _typer_command(module)
    for name, command in {"": group, **getattr(group, "commands", {})}.items():
        yield from (known for known in _options(f"{verb} {name}".strip(), command) if not known.hidden)


def _commands(command: Command, above: str) -> Iterator[tuple[str, Command]]:
    title = f"{above} {command.name}".strip()
    yield title, command
    for below in command.commands:
        yield from _commands(below, title)
